import { once } from 'node:events';
import { describe, expect, vi } from 'vitest';
import type { SessionId, SessionInfo } from '../../src/shared/session.ts';
import { CLI, test as base, type CliWorld } from '../support/cli-world.ts';
import type { EngineWorld } from '../support/engine-world.ts';

/** A terminal that a person has in front of her: a pty session of the test's own engine, with a command in it. */
interface Terminal {
  readonly id: SessionId;
  type(text: string): Promise<void>;
  resize(cols: number, rows: number): Promise<void>;
  /** Resolves when it shows the text; answers everything that it has shown. */
  shows(text: string): Promise<string>;
  ended(): Promise<SessionInfo>;
}

const test = base.extend<{ terminal: (argv: readonly string[]) => Promise<Terminal> }>({
  terminal: async ({ world, cli }, use) => {
    await use((argv) => openTerminal(world, cli, argv));
  },
});

async function openTerminal(world: EngineWorld, cli: CliWorld, argv: readonly string[]): Promise<Terminal> {
  const { engine } = world;
  const { id } = await world.start(argv, {
    cwd: cli.folder,
    backend: { kind: 'pty', size: { cols: 100, rows: 30 } },
    environment: {
      kind: 'inherit',
      from: 'all',
      excludeCredentials: false,
      exclude: [],
      set: {},
      includeOnly: [],
      overlay: { SHELLSCOPE_STATE_DIR: cli.folder, TERM: 'xterm' },
    },
  });
  return {
    id,
    type: async (text) => void (await engine.write(id, Buffer.from(text))),
    resize: (cols, rows) => engine.resize(id, { cols, rows }),
    shows: (text) => world.printed(id, text),
    ended: () => world.closed(id),
  };
}

const shellscope = (...args: readonly string[]) => [process.execPath, CLI, ...args];

/** Runs a command of ours in a shell that says the terminal's modes before and after. */
const betweenModes = (...args: readonly string[]) => [
  'sh',
  '-c',
  'echo "before $(stty -g)"; "$@"; echo "after $(stty -g) $?"',
  'sh',
  ...shellscope(...args),
];

function expectSameModes(shown: string): void {
  const [, before] = /before (\S+)/.exec(shown) ?? [];
  const [, after] = /after (\S+)/.exec(shown) ?? [];
  expect(before).toBeDefined();
  expect(after).toBe(before);
}

/** The keyboard of an interactive shell in the host. */
async function startShell(cli: CliWorld): Promise<void> {
  await cli.serve();
  await cli.run(['run', '--detach', '--tty', '--name', 'shell', '-e', 'PS1=ready$ ', '--', 'sh', '-i']);
  expect(await cli.run(['wait', 'shell', '--text', 'ready$', '--timeout', '15s'])).toMatchObject({ code: 0 });
}

describe('shellscope run --tty', () => {
  test('gives the command this terminal’s size, and each new one', async ({ cli, terminal }) => {
    await cli.serve();
    const here = await terminal(shellscope('run', '--tty', '--', 'sh', '-c', 'stty size; read line; stty size'));
    await here.shows('30 100');
    await here.resize(90, 20);
    await vi.waitFor(
      async () => expect(await cli.sessions()).toMatchObject([{ size: { cols: 90, rows: 20 } }]),
      10_000,
    );
    await here.type('\r');
    await here.shows('20 90');
    expect((await here.ended()).exit).toEqual({ exitCode: 0, signal: null });
  });

  test('passes each key, Ctrl-C too, ends like the command, and leaves the terminal as it was', async ({
    cli,
    terminal,
  }) => {
    await cli.serve();
    const script = `trap 'echo caught; exit 9' INT; printf '\\033[?1049h\\033[?2004hready'; while :; do sleep 0.05; done`;
    const here = await terminal(betweenModes('run', '--tty', '--', 'sh', '-c', script));
    await here.shows('ready');
    await here.type('\u0003');
    await here.ended();
    const shown = await here.shows('after');
    expect(shown).toContain('^Ccaught');
    expectSameModes(shown);
    expect(shown).toContain('\u001B[?1049l\u001B[?2004l');
    expect(await cli.sessions()).toMatchObject([{ exit: { exitCode: 9, signal: null }, backend: 'pty' }]);
  });

  test('when its own stdin is no terminal, the end of it is the end of input', async ({ cli }) => {
    await cli.serve();
    const { code, stdout } = await cli.run(['run', '--tty', '--', 'cat'], 'line\n');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'line\r\nline\r\n' });
  });
});

describe('shellscope attach', () => {
  test('replays what is retained, passes the keyboard, and leaves by its keys while the session goes on', async ({
    cli,
    terminal,
  }) => {
    await startShell(cli);
    const here = await terminal(betweenModes('attach', 'shell'));
    await here.shows('ready$');
    await here.type('echo $((6*7)); stty size\r');
    await here.shows('42');
    await here.shows('30 100');
    await here.type("printf '\\033[?1049h\\033[?1000h\\033[?25lin'; echo side\r");
    await here.shows('inside');
    await here.type('\u001C\u001C');
    await here.ended();
    const shown = await here.shows('after');
    expect(shown).toContain('[detached from shell; `shellscope attach shell` comes back]');
    expect(shown).toContain('\u001B[?1049l\u001B[?1000l\u001B[?25h');
    expectSameModes(shown);
    expect(await cli.sessions()).toMatchObject([{ id: 'shell', state: 'running' }]);
  });

  test('one press of the key that would detach is the child’s, and other keys can be chosen', async ({
    cli,
    terminal,
  }) => {
    await cli.serve();
    await cli.run(['run', '-d', '-t', '--name', 'raw', '--', 'sh', '-c', 'stty raw -echo; echo ready; exec cat -v']);
    await cli.run(['wait', 'raw', '--text', 'ready', '--timeout', '15s']);
    const here = await terminal(shellscope('attach', 'raw', '--detach-key', 'C-a d'));
    await here.shows('ready');
    await here.type('\u0001x\u001C\u001C');
    await here.shows('^Ax^\\^\\');
    await here.type('\u0001');
    // Nothing follows it in time.
    await here.shows('^Ax^\\^\\^A');
    await here.type('\u0001d');
    expect((await here.ended()).exit).toEqual({ exitCode: 0, signal: null });
    expect(await here.shows('detached')).not.toContain('^Ad');
  });

  test('ends like the session, with its words', async ({ cli, terminal }) => {
    await startShell(cli);
    const here = await terminal(shellscope('attach', 'shell'));
    await here.shows('ready$');
    await here.type('exit 5\r');
    expect((await here.ended()).exit).toEqual({ exitCode: 5, signal: null });
    await here.shows('[shell exited 5]');
    const again = await terminal(shellscope('attach', 'shell'));
    expect((await again.ended()).exit).toEqual({ exitCode: 5, signal: null });
    await again.shows('exit 5');
  });

  test('shows no question to the terminal that the host has answered already', async ({ cli, terminal }) => {
    await cli.serve();
    const script = `stty raw -echo; printf 'a\\033[6n\\033]11;?\\033\\\\\\033[cb'; head -c 6 | od -c; sleep 300`;
    await cli.run(['run', '-d', '-t', '--', 'sh', '-c', script]);
    await cli.run(['wait', '1', '--text', '033', '--timeout', '15s']);
    const here = await terminal(shellscope('attach', '1'));
    const shown = await here.shows('033');
    expect(shown).toContain('ab');
    await here.type('\u001C\u001C');
    await here.ended();
  });

  test('with --read-only types nothing, and with --no-resize leaves the size alone', async ({ cli, terminal }) => {
    await cli.serve();
    await cli.run(['run', '-d', '-t', '--', 'sh', '-c', 'echo ready; cat']);
    await cli.run(['wait', '1', '--text', 'ready', '--timeout', '15s']);
    const watcher = await terminal(shellscope('attach', '1', '--read-only'));
    await watcher.shows('ready');
    await watcher.type('unwanted\r');
    const here = await terminal(shellscope('attach', '1', '--no-resize'));
    await here.shows('ready');
    await here.type('wanted\r');
    await watcher.shows('wanted\r\nwanted');
    expect(await cli.sessions()).toMatchObject([{ size: { cols: 80, rows: 24 } }]);
    await watcher.type('\u001C\u001C');
    await here.type('\u001C\u001C');
    await Promise.all([watcher.ended(), here.ended()]);
    expect((await cli.run(['read', '1'])).stdout).toBe('ready\nwanted\nwanted\n');
  });

  test('to a session on pipes sends lines, and their end', async ({ cli, terminal }) => {
    await cli.serve();
    await cli.run(['run', '-d', '--', 'sh', '-c', 'cat; echo over']);
    const here = await terminal(shellscope('attach', '1'));
    await vi.waitFor(async () => expect((await cli.run(['ls', '-q'])).stdout).toBe('session-1\n'), { timeout: 10_000 });
    await here.type('line\n');
    await here.shows('line\r\nline');
    await here.type('\u0004');
    await here.shows('over');
    expect((await here.ended()).exit).toEqual({ exitCode: 0, signal: null });
  });

  test('a host that is killed leaves the terminal as it was', async ({ cli, terminal }) => {
    const host = await cli.serve();
    await cli.run(['run', '-d', '-t', '--', 'sh', '-c', "printf '\\033[?1049hready'; exec sleep 300"]);
    const [session] = await cli.sessions();
    const here = await terminal(betweenModes('attach', '1'));
    await here.shows('ready');
    const hostEnded = once(host, 'exit');
    host.kill('SIGKILL');
    await hostEnded;
    await here.ended();
    const shown = await here.shows('after');
    expect(shown).toContain('\u001B[?1049l');
    expect(shown).toContain('shellscope: the host ended, and session session-1 with it');
    expectSameModes(shown);
    try {
      process.kill(session?.pid ?? 0, 'SIGKILL');
    } catch {
      // It ended with its terminal.
    }
  });

  test('without a terminal it says what to use', async ({ cli }) => {
    await startShell(cli);
    expect(await cli.run(['attach', 'shell'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'shellscope: attach needs a terminal for its keyboard; use --read-only, or `shellscope send`\n',
    });
  });
});
