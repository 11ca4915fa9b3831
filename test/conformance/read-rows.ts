import { expect } from 'vitest';
import {
  ask,
  chunk,
  ends,
  error,
  page,
  result,
  shell,
  start,
  write,
  type AskStep,
  type ConformanceRow,
} from './conformance-row.ts';

const PARAMETERS = 'texts of refused parameters';
const ALL_READ = '`nextSeq` of a read with `maxBytes` that gives all there is';

const read = (params: object, gives: unknown, more: Partial<AskStep> = {}): AskStep =>
  ask('process/read', { processId: 'p', ...params }, gives, more);

const FIRST = chunk(1, 'pty', 'first');
const SECOND = chunk(2, 'pty', 'second');
const OVER = { exited: true, exitCode: 3, closed: true };

const refused = (params: object, field: string, real: string): AskStep =>
  read(params, error(-32_602, expect.stringContaining(`\`${field}\``)), {
    differs: { real: error(-32_602, real), why: PARAMETERS },
  });

/** Waits far longer than any of these take. */
const LONG_MS = 60_000;

export const readRows: readonly ConformanceRow[] = [
  {
    title: 'C5 C6: a read begins behind a seq, is cut at its budget, and consumes nothing',
    source: 'codex.md §1.4, observed',
    steps: [
      // It goes on only when its word has been heard: two words could be one chunk, and the real server gives `exited` the
      // `seq` before that of the last output when a child ends right after it (15 of 200 on a busy machine).
      start('p', shell('stty -echo; printf first; read go; printf second; read go; exit 3')),
      { kind: 'prints', processId: 'p', text: 'first' },
      write('p', '\n', 'after-first'),
      { kind: 'prints', processId: 'p', text: 'second' },
      write('p', '\n', 'after-second'),
      ends('p', { pty: 'firstsecond', exitCode: 3 }),
      read({}, page({ ...OVER, chunks: [FIRST, SECOND], nextSeq: 5 })),
      read({ afterSeq: null, maxBytes: null, waitMs: null }, page({ ...OVER, chunks: [FIRST, SECOND], nextSeq: 5 })),
      read({ afterSeq: 1 }, page({ ...OVER, chunks: [SECOND], nextSeq: 5 })),
      ...[2, 3, 4].map((afterSeq) => read({ afterSeq }, page({ ...OVER, nextSeq: 5 }))),
      ...[0, 1, 5, 6, 10].map((maxBytes) => read({ maxBytes }, page({ ...OVER, chunks: [FIRST], nextSeq: 2 }))),
      ...[11, 12, 1_000_000].map((maxBytes) =>
        read({ maxBytes }, page({ ...OVER, chunks: [FIRST, SECOND], nextSeq: 5 }), {
          differs: { real: page({ ...OVER, chunks: [FIRST, SECOND], nextSeq: 3 }), why: ALL_READ },
        }),
      ),
      read({ afterSeq: 1, maxBytes: 1, waitMs: LONG_MS }, page({ ...OVER, chunks: [SECOND], nextSeq: 5 }), {
        differs: { real: page({ ...OVER, chunks: [SECOND], nextSeq: 3 }), why: ALL_READ },
      }),
      read({ afterSeq: 2, maxBytes: 1 }, page({ ...OVER, nextSeq: 5 })),
      read({ afterSeq: 4, waitMs: LONG_MS }, page({ ...OVER, nextSeq: 5 }), { atMostMs: 5_000 }),
    ],
  },
  {
    title: 'C6: a read of a silent process answers at once, or waits as long as it was told to',
    source: 'codex.md §1.4',
    steps: [
      start('p', ['/bin/sleep', '60']),
      read({}, page({}), { atMostMs: 5_000 }),
      read({ waitMs: 200 }, page({}), { atLeastMs: 190, atMostMs: 5_000 }),
      ask('process/terminate', { processId: 'p' }, result({ running: true })),
    ],
  },
  {
    title: 'C6: a read that waits is answered by output',
    source: 'codex.md §1.4',
    steps: [
      start('p', shell('sleep 0.2; printf out; sleep 60')),
      read({ waitMs: LONG_MS }, page({ chunks: [chunk(1, 'pty', 'out')], nextSeq: 2 }), { atMostMs: 5_000 }),
      ask('process/terminate', { processId: 'p' }, result({ running: true })),
    ],
  },
  {
    title: 'C6: a read that waits is answered by the end',
    source: 'codex.md §1.4, observed',
    steps: [
      start('p', shell('sleep 0.2; exit 6'), { tty: false }),
      read(
        { waitMs: LONG_MS },
        page({ nextSeq: expect.any(Number), exited: true, exitCode: 6, closed: expect.any(Boolean) }),
        { atMostMs: 5_000 },
      ),
      ends('p', { exitCode: 6 }),
      read({}, page({ nextSeq: 3, exited: true, exitCode: 6, closed: true })),
    ],
  },
  {
    title: 'C6: a read of nobody, and with parameters of another type',
    source: 'codex.md §1.4, observed',
    steps: [
      ask('process/read', { processId: 'nobody' }, error(-32_600, 'unknown process id nobody')),
      ask('process/read', {}, error(-32_602, 'missing field `processId`')),
      refused({ processId: 5 }, 'processId', 'invalid type: number, expected a string'),
      refused({ afterSeq: -1 }, 'afterSeq', 'invalid number'),
      refused({ afterSeq: 1.5 }, 'afterSeq', 'invalid number'),
      refused({ afterSeq: '1' }, 'afterSeq', 'invalid type: string "1", expected u64'),
      refused({ maxBytes: -1 }, 'maxBytes', 'invalid number'),
      refused({ waitMs: -1 }, 'waitMs', 'invalid number'),
    ],
  },
  {
    title: 'C11: a client that comes back reads what it missed, and hears of what comes then',
    source: 'codex.md §1.3 and transcript D',
    steps: [
      start('p', shell('echo one; read a; echo "two $a"; read b; echo "three $b"; exit 9'), {
        tty: false,
        pipeStdin: true,
      }),
      { kind: 'prints', processId: 'p', text: 'one' },
      { kind: 'drop' },
      { kind: 'resume' },
      read({ afterSeq: 1 }, page({ nextSeq: 2 })),
      read({}, page({ chunks: [chunk(1, 'stdout', 'one\n')], nextSeq: 2 })),
      write('p', 'x\n', 'w1'),
      { kind: 'prints', processId: 'p', text: 'two x' },
      { kind: 'drop' },
      { kind: 'resume' },
      write('p', 'again\n', 'w1'),
      write('p', 'y\n', 'w2'),
      ends('p', { stdout: 'three y\n', exitCode: 9 }),
      read(
        { afterSeq: 1 },
        page({
          chunks: [chunk(2, 'stdout', 'two x\n'), chunk(3, 'stdout', 'three y\n')],
          nextSeq: 6,
          exited: true,
          exitCode: 9,
          closed: true,
        }),
      ),
    ],
  },
  {
    title: 'C11: what ended while its client was away can be read, and is not told again',
    source: 'codex.md §1.3, observed',
    steps: [
      start('p', shell('read a; sleep 0.1; echo gone; exit 2'), { tty: false, pipeStdin: true }),
      write('p', 'x\n', 'w'),
      { kind: 'drop' },
      { kind: 'resume' },
      read(
        { afterSeq: 0, waitMs: LONG_MS },
        page({
          chunks: [chunk(1, 'stdout', 'gone\n')],
          nextSeq: expect.any(Number),
          exited: expect.any(Boolean),
          exitCode: expect.toSatisfy((code: unknown) => code === null || code === 2),
          closed: expect.any(Boolean),
        }),
      ),
    ],
  },
];
