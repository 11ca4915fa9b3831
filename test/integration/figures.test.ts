import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const BENCH = join(import.meta.dirname, '../../scripts/bench.mjs');

/** Milliseconds, with a build before it. */
const TIMEOUT_MS = 90_000;

test(
  'the figures come with both contenders of each measure, and no byte of ours is missing',
  { timeout: TIMEOUT_MS },
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [BENCH, 'figures', '--runs', '2']);
    const rows = [...stdout.matchAll(/^ {2}(?<name>\S.*?) {2,}(?<p50>[\d.]+) +[\d.]+ +[\d.]+ +(?<short>\d+)/gm)].map(
      ({ groups }) => ({ ...groups }),
    );
    const contenders = ['shellscope, pty', 'node-pty, pty', 'shellscope, pipe', 'child_process, pipe'];
    // Start to exit, exit to told, echo, flood.
    expect(rows.map(({ name }) => name)).toEqual([
      ...contenders,
      ...[...contenders, 'waitpid in C, pipe'],
      ...contenders,
      ...contenders,
    ]);
    expect(rows.filter(({ p50 }) => !(Number(p50) > 0))).toEqual([]);
    expect(rows.filter(({ name, short }) => name?.startsWith('shellscope') === true && short !== '0')).toEqual([]);
  },
);
