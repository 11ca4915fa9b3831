import { accessSync, chownSync, constants, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { lookAtProcess } from '../../src/engine/backend/process-table.ts';
import { readTerminalModes } from '../../src/engine/backend/terminal-modes.ts';
import { whatIsWaitedFor } from '../../src/engine/backend/waiting-for.ts';
import type { WaitingFor, WaitingKind } from '../../src/shared/session.ts';
import { test, type EngineWorld } from '../support/engine-world.ts';
import { watchChild, type WatchedChild } from '../support/waiting-world.ts';

const READS_TERMINAL = join(import.meta.dirname, '../fixtures/programs/reads-terminal.py');

/** A user who may not look into the processes of root. */
const NOBODY = 65_534;

/** Looks that must all say the same of a child that does not change. */
const LOOKS = 20;

interface Expected {
  readonly kind: WaitingKind;
  readonly echo: boolean;
  readonly canonical: boolean;
}

const PASSWORD: Expected = { kind: 'password', echo: false, canonical: true };
const LINE: Expected = { kind: 'line', echo: true, canonical: true };
const KEYS: Expected = { kind: 'keys', echo: false, canonical: false };
const PAGER: Expected = { kind: 'pager', echo: false, canonical: false };
const REPL: Expected = { kind: 'repl', echo: false, canonical: false };

/** Programs of the machine, each with what it waits for and what it is called by the kernel. */
const PROGRAMS: readonly (readonly [argv: readonly string[], Expected, RegExp])[] = [
  [['bash', '-c', 'read -s secret'], PASSWORD, /^bash$/],
  [['bash', '-c', 'read answer'], LINE, /^bash$/],
  [['bash', '-c', 'read -sn1 key'], KEYS, /^bash$/],
  [['bash', '--norc', '-i'], REPL, /^bash$/],
  [['sh', '-c', 'cat; exit'], LINE, /^cat$/],
  [['python3', '-c', 'import getpass; getpass.getpass()'], PASSWORD, /^python/],
  [['python3', '-c', 'input("name: ")'], LINE, /^python/],
  [['python3', '-i'], REPL, /^python/],
  [['node', '-i'], REPL, /^node/],
  [['node', '-e', 'process.stdin.resume()'], LINE, /^node/],
  [['less', READS_TERMINAL], PAGER, /^(less|pager)$/],
  [['sh', '-c', 'seq 1000 | less'], PAGER, /^(less|pager)$/],
  [['sh', '-c', 'seq 1000 | more'], PAGER, /^more$/],
  // It takes its keys from stdin when it was given a file, as any program does that wants keys.
  [['more', READS_TERMINAL], KEYS, /^more$/],
  [['vim', '-u', 'NONE', '-n'], KEYS, /^vim/],
  [['htop'], KEYS, /^htop$/],
  [['psql', '-h', '127.0.0.1', '-p', '1', '-W', '-U', 'nobody'], PASSWORD, /^psql$/],
];

/** What every machine with python3 shows: the modes that such programs set, and every way to wait. */
const FIXTURES: readonly (readonly [mode: string, Expected])[] = [
  ['line', LINE],
  ['password', PASSWORD],
  ['any-key', KEYS],
  ['editor', REPL],
  ['full-screen', KEYS],
  ['pager', PAGER],
];

/** The system calls by which a program can wait, and a thread that is not its first. */
const WAYS = ['read', 'select', 'poll', 'epoll', 'thread'];

const environment = {
  kind: 'inherit',
  from: 'all',
  excludeCredentials: false,
  exclude: [],
  set: { TERM: 'xterm-256color', LESS: '' },
  includeOnly: [],
  overlay: {},
} as const;

function start(world: EngineWorld, argv: readonly string[]): Promise<WatchedChild> {
  return watchChild(world, world.start(argv, { environment }));
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function looks(child: WatchedChild): Promise<readonly WaitingFor[]> {
  const answers: WaitingFor[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    answers.push(await child.look());
  }
  return answers;
}

function busy(program: string | RegExp) {
  const named = typeof program === 'string' ? program : expect.stringMatching(program);
  return { kind: 'busy', pid: expect.any(Number), program: named, echo: null, canonical: null };
}

describe.runIf(process.platform === 'linux')('what a pty child waits for', () => {
  for (const [argv, expected, program] of PROGRAMS) {
    test(`S5: \`${argv.join(' ').replace(READS_TERMINAL, 'FILE')}\` waits for: ${expected.kind}`, async ({
      world,
      skip,
    }) => {
      const pager = /\| (\w+)$/.exec(argv.at(-1)!)?.[1];
      const missing = [argv[0]!, pager ?? argv[0]!].find((name) => !isOnPath(name));
      skip(missing !== undefined, `${missing} is not on this machine`);
      const child = await start(world, argv);
      const answer = { ...expected, pid: expect.any(Number), program: expect.stringMatching(program) };
      expect(await child.until(expected.kind)).toEqual(answer);
      expect(new Set((await looks(child)).map(({ kind }) => kind))).toEqual(new Set([expected.kind]));
    });
  }

  for (const [mode, expected] of FIXTURES) {
    // A kind does not hang on the way, so every way is shown for one kind that is read by stdin and one that is not.
    for (const way of mode === 'line' || mode === 'pager' ? WAYS : ['read']) {
      test(`S5: a program that sets up ${mode} and waits by ${way} waits for: ${expected.kind}`, async ({ world }) => {
        const child = await start(world, ['python3', READS_TERMINAL, mode, way]);
        const answer = { ...expected, pid: child.pid, program: expect.stringMatching(/^python/) };
        expect(await child.until(expected.kind)).toEqual(answer);
        expect(await looks(child)).toEqual(Array.from({ length: LOOKS }, () => answer));
      });
    }
  }

  test('S5: what sleeps, computes or waits for its children waits for nothing, whatever the modes are', async ({
    world,
  }) => {
    for (const [script, program] of [
      ['echo ready; exec sleep 100', 'sleep'],
      ['echo ready; sleep 100; exit', 'bash'],
      ['stty -echo; echo ready; sleep 100; exit', 'bash'],
      ['stty raw -echo; echo ready; sleep 100; exit', 'bash'],
      ['echo ready; while :; do :; done', 'bash'],
      ['echo ready; sleep 100 | cat', 'bash'],
    ] as const) {
      const child = await start(world, ['bash', '-c', script]);
      await world.printed(child.info.id, 'ready');
      expect(await child.until('busy')).toEqual(busy(program));
      expect(new Set((await looks(child)).map(({ kind }) => kind))).toEqual(new Set(['busy']));
    }
  });

  test('S5: a compile waits for nothing until it is over', async ({ world, skip }) => {
    skip(!isOnPath('cc'), 'cc is not on this machine');
    const folder = await mkdtemp(join(tmpdir(), 'shellscope-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const functions = Array.from({ length: 1_500 }, (_, n) => `int f${n}(int a) { return a * ${n} + a / 3; }`);
    writeFileSync(join(folder, 'long.c'), functions.join('\n'));
    const child = await start(world, ['sh', '-c', `echo ready; cc -O2 -c -o /dev/null ${folder}/long.c; exit`]);
    await world.printed(child.info.id, 'ready');
    const kinds: WaitingKind[] = [];
    while ((await world.engine.get(child.info.id)).state === 'running') {
      kinds.push((await child.look()).kind);
      await world.engine.read(child.info.id, { afterSeq: 1, maxBytes: 1, waitMs: 10 });
    }
    expect(kinds.length).toBeGreaterThan(5);
    // The last look may be at a child that has just ended.
    expect(new Set(kinds.slice(0, -1))).toEqual(new Set(['busy']));
  });

  test('S5: a silent child that begins to read is seen to wait, and to work on after the answer', async ({ world }) => {
    const child = await start(world, ['bash', '-c', 'sleep 0.3; read -s x; sleep 0.3; read y; exec sleep 100']);
    expect(await child.until('password')).toMatchObject(PASSWORD);
    await child.type('secret\n');
    expect(await child.until('line')).toMatchObject(LINE);
    await child.type('answer\n');
    expect(await child.until('busy')).toEqual(busy('sleep'));
  });

  test('S5: a shell waits at its prompt, not while a job has the keyboard; a background or stopped job changes nothing', async ({
    world,
  }) => {
    const child = await start(world, ['bash', '--norc', '-i']);
    const atPrompt = { ...REPL, pid: child.pid, program: 'bash' };
    expect(await child.until('repl')).toEqual(atPrompt);
    await child.type('sleep 100 &\r');
    expect(await child.until('repl')).toEqual(atPrompt);
    await child.type('sleep 200\r');
    expect(await child.until('busy')).toEqual(busy('sleep'));
    await child.type('\x1a');
    expect(await child.until('repl')).toEqual(atPrompt);
    await child.type('fg\r');
    expect(await child.until('busy')).toEqual(busy('sleep'));
    await child.type('\x03');
    expect(await child.until('repl')).toEqual(atPrompt);
    await child.type('cat\r');
    expect(await child.until('line')).toMatchObject({ ...LINE, program: 'cat' });
  });

  test('S5: a stopped program waits for nothing; continued it waits again, also when its poll is restarted', async ({
    world,
  }) => {
    for (const way of ['read', 'select', 'poll', 'epoll']) {
      const child = await start(world, ['python3', READS_TERMINAL, 'line', way]);
      expect(await child.until('line')).toMatchObject(LINE);
      process.kill(child.pid, 'SIGSTOP');
      expect(await child.until('busy')).toEqual({ ...busy(/^python/), pid: child.pid });
      process.kill(child.pid, 'SIGCONT');
      expect(await child.until('line')).toMatchObject({ ...LINE, pid: child.pid });
    }
    const sleeper = await start(world, ['python3', '-c', 'import time; print("ready", flush=True); time.sleep(100)']);
    await world.printed(sleeper.info.id, 'ready');
    expect(await sleeper.until('busy')).not.toBeNull();
    process.kill(sleeper.pid, 'SIGSTOP');
    process.kill(sleeper.pid, 'SIGCONT');
    expect(new Set((await looks(sleeper)).map(({ kind }) => kind))).toEqual(new Set(['busy']));
  });

  test('S5: of a program of another user a hidden line is told by the terminal, and nothing else is', async ({
    world,
    skip,
  }) => {
    skip(process.geteuid?.() !== 0, 'only root can look as another user');
    for (const [mode, kind] of [
      ['password', 'password'],
      ['line', 'unknown'],
      ['editor', 'unknown'],
    ] as const) {
      const child = await start(world, ['python3', READS_TERMINAL, mode, 'read']);
      expect((await child.until(mode === 'editor' ? 'repl' : mode))?.pid).toBe(child.pid);
      // As with sudo: the terminal is ours, the program on it is not.
      chownSync(child.slavePath, NOBODY, NOBODY);
      process.seteuid?.(NOBODY);
      try {
        expect(await child.look()).toMatchObject({ kind, pid: child.pid });
      } finally {
        process.seteuid?.(0);
      }
    }
  });

  test('a child that has ended, or another child under its number, is unknown', async ({ world }) => {
    const child = await start(world, ['bash', '-c', 'read x']);
    expect(await child.until('line')).toMatchObject(LINE);
    const nothing = { kind: 'unknown', pid: null, program: null, echo: null, canonical: null };
    const place = { kind: 'pty', slavePath: child.slavePath, screen: null } as const;
    expect(await whatIsWaitedFor({ pid: child.pid, startTime: '1' }, place)).toEqual(nothing);
    const { startTime } = lookAtProcess(child.pid)!;
    const elsewhere = { kind: 'pty', slavePath: '/dev/null', screen: null } as const;
    expect(await whatIsWaitedFor({ pid: child.pid, startTime }, elsewhere)).toEqual(nothing);
    await child.type('\n');
    await world.closed(child.info.id);
    expect(await child.look()).toEqual(nothing);
    // Not its own path: the system has given that number away again.
    expect(await readTerminalModes('/dev/pts/999999')).toBeNull();
  });
});

describe.runIf(process.platform === 'linux')('what a pipe child waits for', () => {
  const pipes = (stdin: boolean) => ({ environment, backend: { kind: 'pipe', stdin } as const });

  for (const [argv, program] of [
    [['cat'], 'cat'],
    [['sh', '-c', 'cat; exit'], 'cat'],
    [['bash', '-c', 'read answer'], 'bash'],
    [['timeout', '100', 'cat'], 'cat'],
    [['node', '-e', 'process.stdin.resume()'], 'node'],
  ] as const) {
    test(`S5: \`${argv.join(' ')}\` waits for input`, async ({ world }) => {
      const child = await watchChild(world, world.start(argv, pipes(true)));
      const answer = { kind: 'input', pid: expect.any(Number), program, echo: null, canonical: null };
      expect(await child.until('input')).toEqual(answer);
      expect(await looks(child)).toEqual(Array.from({ length: LOOKS }, () => answer));
    });
  }

  test('S5: what reads something else than the input that we hold, or has none of us, waits for nothing', async ({
    world,
  }) => {
    for (const [script, stdin] of [
      ['read go; echo ready; sleep 100 | cat', true],
      ['read go; echo ready; exec sleep 100', true],
      ['read go; echo ready; exec cat < <(exec sleep 100)', true],
      ['echo ready; exec sleep 100', false],
    ] as const) {
      const child = await watchChild(world, world.start(['bash', '-c', script], pipes(stdin)));
      if (stdin) {
        await child.type('go\n');
      }
      await world.printed(child.info.id, 'ready');
      expect((await child.until('busy'))?.kind).toBe('busy');
      expect(new Set((await looks(child)).map(({ kind }) => kind))).toEqual(new Set(['busy']));
    }
  });
});
