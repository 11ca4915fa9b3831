import { execFile } from 'node:child_process';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, vi } from 'vitest';
import { ControlClient } from '../../src/protocol/control/control-client.ts';
import { listenControl, type ControlServer } from '../../src/protocol/control/control-listener.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import { CLI, endOf, test, type CliWorld } from '../support/cli-world.ts';
import type { EngineWorld } from '../support/engine-world.ts';

/** The control socket of the test's own engine. */
function hostHere(cli: CliWorld, { engine }: EngineWorld): Promise<ControlServer> {
  return listenControl({
    folder: join(cli.folder, 'run'),
    engine,
    log: silentLogger,
    kind: 'serve',
    version: '0',
    execServerUrl: () => null,
  });
}

describe('without a host', () => {
  test('each command says how to start one and exits with 3, run with 125', async ({ cli }) => {
    const rows = [
      ['ls'],
      ['open'],
      ['read', '1'],
      ['send', '1', 'x'],
      ['wait', '1'],
      ['attach', '1'],
      ['kill', '1'],
      ['close', '1'],
      ['run', '--', 'true'],
    ];
    const ran = await Promise.all(rows.map((args) => cli.run(args)));
    expect(ran).toEqual(
      rows.map(([name]) => ({
        code: name === 'run' ? 125 : 3,
        stdout: '',
        stderr: 'shellscope: no host is running: start the app with `npm start`, or `shellscope serve`\n',
      })),
    );
  });
});

describe('wrong usage', () => {
  test('is told in a sentence that names what is wrong, exits with 2, and starts and changes nothing', async ({
    cli,
  }) => {
    await cli.serve();
    await cli.run(['run', '--detach', '--name', 'witness', '--', 'cat']);
    await cli.run(['wait', 'witness', '--input', '--timeout', '15s']);
    const before = await cli.sessions();
    const rows = [
      [['nope'], /unknown command 'nope'/],
      [['lss'], /Did you mean ls\?/],
      [['ls', '--jsn'], /unknown option '--jsn'[^]*Did you mean --json/],
      [['ls', 'x'], /too many arguments/],
      [['run'], /missing required argument 'command'/],
      [['run', '--env', 'novalue', '--', 'true'], /It must be NAME=VALUE/],
      [['read'], /missing required argument 'id'/],
      [['read', 'witness', '--from', 'yesterday'], /It must be start, unread, now, an offset/],
      [['read', 'witness', '--raw', '--text'], /'--text' cannot be used with option '--raw'/],
      [['read', 'witness', '--wait', 'soon'], /It must be a time like 500 \(milliseconds\), 30s, 2m or 1h/],
      [['read', 'witness', '--from', '99'], /cursor: not one of session witness/],
      [['send', 'witness'], /nothing to send: give a text, --submit, --key or --stdin/],
      [['send', 'witness', '--key', 'Retrun'], /There is no such key; write e\.g\. Enter/],
      [['send', 'witness', 'x', '--stdin'], /leave one out/],
      [['wait', 'witness', '--any', '--all'], /cannot be used with/],
      [['wait', 'witness', '--match', '('], /pattern: .*RE2/],
      [['wait', 'witness', '--text', ''], /text: must be 1 to/],
      [['attach', 'witness', '--detach-key', 'Nope'], /It must be keys like/],
      [['kill', 'witness', '--signal', 'NOPE'], /It must be the name of a signal/],
      [['connect'], /say the name of the client/],
      [['connect', 'x', '--for', 'emacs'], /Allowed choices are codex, claude, vscode, mcp, all/],
      [['completion', 'tcsh'], /Allowed choices are bash, zsh, fish/],
      [['serve', '--listen', 'http://x'], /expected `ws:\/\/IP:PORT` or `stdio`/],
    ] as const;
    const ran = await Promise.all(rows.map(([args]) => cli.run(args)));
    expect(ran.map((outcome, row) => [rows[row]?.[0], outcome])).toEqual(
      rows.map(([args, message]) => [args, { code: 2, stdout: '', stderr: expect.stringMatching(message) }]),
    );
    expect(await cli.sessions()).toEqual(before);
  });

  test('an id that means no session or several is an error that names them', async ({ cli }) => {
    await cli.serve();
    for (const name of ['build-a', 'build-b']) {
      await cli.run(['run', '--name', name, '--', 'true']);
    }
    await cli.run(['run', '--', 'true']);
    const rows = [
      ['x', "no session is called 'x'"],
      ['build', "'build' could be any of 2 sessions: build-a, build-b"],
      ['', "no session is called ''"],
    ] as const;
    for (const [id, message] of rows) {
      expect(await cli.run(['read', id])).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
    }
    for (const id of ['build-a', 'build-b', 'session-1', '1', 'sess']) {
      expect(await cli.run(['read', id])).toEqual({ code: 0, stdout: '', stderr: '' });
    }
  });

  test('every command has a help with a description', async ({ cli }) => {
    const help = (await cli.run(['--help'])).stdout;
    const names = [...help.matchAll(/^ {2}([a-z]+)[ |]/gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help');
    expect(names).toEqual(
      'open serve run ls read send wait attach kill close approvals attention connect doctor mcp completion'.split(' '),
    );
    const helps = await Promise.all(names.map((name) => cli.run([name, '--help'])));
    expect(helps).toEqual(
      names.map((name) => ({
        code: 0,
        stdout: expect.stringMatching(new RegExp(`^Usage: shellscope ${name}[^]*\n\n[a-z][^]*\n\nOptions:`)),
        stderr: '',
      })),
    );
  });
});

describe('the host', () => {
  test('is one: a second is told who holds the socket, and serves on unless --control was asked for', async ({
    cli,
  }) => {
    const first = await cli.serve();
    const who = new RegExp(`held by a \`shellscope serve\` \\(pid ${first.pid}\\) since \\d{4}-`);
    expect(await endOf(cli.start('serve', '--control'))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(who),
    });
    const second = await cli.serve();
    second.kill('SIGTERM');
    expect(await endOf(second)).toMatchObject({ code: 0, stderr: expect.stringMatching(who) });
    const third = await cli.serve('--no-control');
    third.kill('SIGTERM');
    expect((await endOf(third)).stderr).not.toContain('held by');
    const socket = await stat(join(cli.folder, 'run', 'control.sock'));
    expect([socket.isSocket(), socket.mode & 0o777]).toEqual([true, 0o600]);
    first.kill('SIGTERM');
    await endOf(first);
    await expect(stat(join(cli.folder, 'run', 'control.sock'))).rejects.toThrow('ENOENT');
  });

  test('without a folder of its own serves agents all the same, and says why', async ({ cli }) => {
    await mkdir(join(cli.folder, 'run'));
    await chmod(join(cli.folder, 'run'), 0o777);
    const host = await cli.serve();
    host.kill('SIGTERM');
    expect(await endOf(host)).toMatchObject({ code: 0, stderr: expect.stringContaining('run chmod 700') });
  });

  test('of `serve` has no window to open', async ({ cli }) => {
    const host = await cli.serve();
    expect(await cli.run(['open'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `shellscope: this host has no window: it is \`shellscope serve\` (pid ${host.pid})\n`,
    });
  });
});

describe('shellscope ls', () => {
  test('says what each session is in the words of the window, and what a machine reads as JSON', async ({ cli }) => {
    await cli.serve();
    await cli.run(['run', '--', 'sh', '-c', 'exit 3']);
    await cli.run(['run', '--', 'no-such-program']);
    await cli.run(['run', '--detach', '--tty', '--', 'sh', '-c', 'read line']);
    await cli.run(['wait', '3', '--input', '--timeout', '15s']);
    const { stdout } = await cli.run(['ls']);
    expect(stdout.replaceAll(/ \d+s /g, ' AGE ').split('\n')).toEqual([
      'ID         STATE            CLIENT  AGE  COMMAND        '.trimEnd().padEnd(stdout.split('\n')[0]?.length ?? 0),
      expect.stringMatching(/^session-1 {2}exited 3 +you +AGE +sh -c "exit 3"/),
      expect.stringMatching(/^session-2 {2}failed to start +you +AGE +no-such-program/),
      expect.stringMatching(/^session-3 {2}waits: line +you +AGE +sh -c "read line"/),
      '',
    ]);
    expect((await cli.run(['ls', '--quiet'])).stdout).toBe('session-1\nsession-2\nsession-3\n');
    expect(await cli.sessions()).toMatchObject([{ state: 'closed' }, { state: 'failed' }, { state: 'running' }]);
  });
});

describe('shellscope read', () => {
  test('prints all that is retained, or what this reader has not had, as text or as bytes', async ({ cli }) => {
    await cli.serve();
    await cli.run(['run', '--', 'printf', String.raw`\033[31mred\033[0m\r\n\033]0;title\007é\001`]);
    expect((await cli.run(['read', '1'])).stdout).toBe('red\né');
    expect((await cli.run(['read', '1', '--raw'])).stdout).toBe(
      '\u001B[31mred\u001B[0m\r\n\u001B]0;title\u0007é\u0001',
    );
    expect((await cli.run(['read', '1', '--from', 'unread'])).stdout).toContain('red');
    expect((await cli.run(['read', '1', '--from', 'unread'])).stdout).toBe('');
    expect((await cli.run(['read', '1', '--from', 'unread', '--reader', 'other', '--raw'])).stdout).toContain('red');
    expect((await cli.run(['read', '1', '--from', 'now'])).stdout).toBe('');
    const page = JSON.parse((await cli.run(['read', '1', '--from', '5', '--json'])).stdout) as {
      readonly cursor: string;
    };
    expect(page).toEqual({
      session: 'session-1',
      text: 'red\né',
      cursor: expect.stringMatching(/^[\w-]+:\d+$/),
      goneBytes: 0,
      exit: { exitCode: 0, signal: null },
      closed: true,
    });
    expect(await cli.run(['read', '1', '--from', page.cursor])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('of one that could not start says why', async ({ cli }) => {
    await cli.serve();
    await cli.run(['run', '--', 'no-such-program']);
    expect(await cli.run(['read', '1'])).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^shellscope: cannot start `no-such-program`: no such program on PATH/),
    });
  });

  test('--follow goes on to the end, also from what is unread', async ({ cli }) => {
    await cli.serve();
    await cli.run(['run', '--detach', '--', 'sh', '-c', 'echo one; read line; echo "two $line"']);
    const followers = [cli.start('read', '1', '--follow'), cli.start('read', '1', '-f', '--from', 'unread')];
    const ended = followers.map((follower) => endOf(follower));
    await cli.run(['wait', '1', '--text', 'one', '--timeout', '15s']);
    await cli.run(['send', '1', '--submit', 'go']);
    expect(await Promise.all(ended)).toEqual(followers.map(() => ({ code: 0, stdout: 'one\ntwo go\n', stderr: '' })));
  });

  test('gives what memory no longer holds from the disk', async ({ cli }) => {
    await cli.serve();
    await cli.run(['run', '--', 'head', '-c', '9000000', '/dev/zero']);
    const { code, stdout, stderr } = await cli.run(['read', '1', '--raw']);
    expect({ code, stderr, length: stdout.length }).toEqual({ code: 0, stderr: '', length: 9_000_000 });
  });

  test('says how much is kept nowhere any more', async ({ cli, world }) => {
    // Without a folder for transcripts.
    const host = await hostHere(cli, world);
    const { id } = await world.start(['head', '-c', '9000000', '/dev/zero'], {
      backend: { kind: 'pipe', stdin: false },
    });
    await world.closed(id);
    const { code, stdout, stderr } = await cli.run(['read', id, '--raw']);
    await host.close();
    expect(code).toBe(0);
    const gone = Number(/^shellscope: (\d+) bytes before this are no longer retained\n$/.exec(stderr)?.[1]);
    expect(gone + stdout.length).toBe(9_000_000);
  });
});

describe('shellscope send and wait', () => {
  test("types into an agent's session as the person, and gives the keyboard back", async ({ cli, world }) => {
    const host = await hostHere(cli, world);
    const origin = { kind: 'agent', client: 'codex', processId: '1', threadId: null, callId: null } as const;
    const { id } = await world.start(['cat'], { origin });
    expect(await cli.run(['send', id, '--submit', 'hello'])).toMatchObject({ code: 0, stderr: '' });
    await world.printed(id, 'hello');
    const acts = (await world.engine.timeline(id)).map(({ by, act }) => [by.kind, act.kind]);
    expect(acts).toEqual([
      ['agent', 'started'],
      ['person', 'took-keyboard'],
      ['person', 'wrote'],
      ['person', 'gave-keyboard-back'],
    ]);
    expect(await world.engine.get(id)).toMatchObject({ keyboard: 'agent' });
    await host.close();
  });

  test('type text, keys and stdin as one piece, and Ctrl-C', async ({ cli }) => {
    await cli.serve();
    await cli.run(['run', '--detach', '--tty', '--', 'sh', '-c', 'stty raw -echo; echo ready; cat -v']);
    await cli.run(['wait', '1', '--text', 'ready', '--timeout', '15s']);
    await cli.run(['send', '1', 'a', 'b', '--key', 'Up', '--key', 'C-a', '--key', 'M-x', '--submit']);
    await cli.run(['send', '1', '--stdin'], 'from stdin');
    await cli.run(['send', '1', '--key', 'Enter', '--', '-end']);
    expect(await cli.run(['wait', '1', '--match', 'end', '--timeout', '15s'])).toMatchObject({ code: 0 });
    expect((await cli.run(['read', '1'])).stdout).toContain('a b^M^[[A^A^[xfrom stdin-end^M');
    expect(await cli.run(['send', '1', 'x', '--json'])).toEqual({
      code: 0,
      stdout: '{"session":"session-1","deliveredBytes":1,"outcome":"delivered"}\n',
      stderr: '',
    });
  });

  test('what a child does not take is withdrawn in time, and what it cannot take is said', async ({ cli }) => {
    await cli.serve();
    await cli.run(['run', '--detach', '--', 'sleep', '300']);
    const { code, stderr } = await cli.run(['send', '1', '--stdin', '--timeout', '100'], Buffer.alloc(1_000_000));
    expect(code).toBe(124);
    expect(stderr).toMatch(/^shellscope: \d+ of 1000000 bytes were taken: the child does not read its input\n$/);
    await cli.run(['kill', '1']);
    expect(await cli.run(['send', '1', 'x'])).toEqual({
      code: 1,
      stdout: '',
      stderr: "shellscope: exec session 'session-1' is no longer writable\n",
    });
  });

  test('wait ends with 0 when it is true, 1 when it cannot be, 124 in time, and 3 when the host goes', async ({
    cli,
  }) => {
    const host = await cli.serve();
    for (const script of ['echo port 8080; exit 4', 'exec sleep 300', 'printf "name? "; read name']) {
      await cli.run(['run', '--detach', '--tty', '--', 'sh', '-c', script]);
    }
    expect(await cli.run(['wait', '1'])).toEqual({ code: 0, stdout: 'session-1: exited 4\n', stderr: '' });
    expect(await cli.run(['wait', '1', '--match', String.raw`PORT \d+`, '-i'])).toMatchObject({
      code: 0,
      stdout: 'session-1: port 8080\n',
    });
    expect(await cli.run(['wait', '1', '--text', 'never'])).toMatchObject({
      code: 1,
      stderr: 'shellscope: it cannot become true any more: a session ended\n',
    });
    expect(await cli.run(['wait', '2', '--timeout', '50ms'])).toMatchObject({ code: 124 });
    expect(await cli.run(['wait', '1', '2', '--timeout', '50ms'])).toMatchObject({
      code: 124,
      stdout: 'session-1: exited 4\n',
    });
    expect(await cli.run(['wait', '1', '2', '--any'])).toMatchObject({ code: 0, stdout: 'session-1: exited 4\n' });
    expect(await cli.run(['wait', '3', '--input'])).toMatchObject({ code: 0, stdout: 'session-3: input\n' });
    expect(JSON.parse((await cli.run(['wait', '2', '--idle', '10', '--json'])).stdout)).toEqual({
      outcome: 'met',
      met: [{ kind: 'idle', session: 'session-2', match: null }],
    });
    const waiting = endOf(cli.start('wait', '2', '--text', 'never'));
    const control = await ControlClient.connect({ folder: join(cli.folder, 'run'), client: 'test' });
    // A program of its own that starts: on a busy machine it takes seconds.
    await vi.waitFor(async () => expect((await control.request('who', {})).connections).toBe(2), { timeout: 10_000 });
    control.close();
    host.kill('SIGTERM');
    expect((await waiting).code).toBe(3);
  });
});

describe('shellscope kill and close', () => {
  test('end a tree, send a signal, and forget', async ({ cli }) => {
    await cli.serve();
    await cli.run([
      'run',
      '--detach',
      '--',
      'sh',
      '-c',
      "trap 'echo got; exit 6' HUP; echo ready; while :; do sleep 0.05; done",
    ]);
    await cli.run(['wait', '1', '--text', 'ready', '--timeout', '15s']);
    expect(await cli.run(['kill', '1', '--signal', 'hup'])).toMatchObject({ code: 0 });
    expect(await cli.run(['wait', '1'])).toMatchObject({ stdout: 'session-1: exited 6\n' });
    expect(await cli.run(['kill', '1', '--signal', 'HUP'])).toMatchObject({
      code: 1,
      stderr: 'shellscope: session session-1 has ended: nothing was sent to it\n',
    });
    expect(await cli.run(['kill', '1'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse((await cli.run(['close', '1', '--json'])).stdout)).toMatchObject([{ id: 'session-1' }]);
    expect(await cli.sessions()).toEqual([]);
  });
});

describe('shellscope doctor', () => {
  test('finds what is there, and exits with 1 for what is missing, with what mends it', async ({ cli }) => {
    await cli.serve();
    const { code, stdout } = await cli.run(['doctor', '--json']);
    const findings = JSON.parse(stdout) as readonly { readonly name: string; readonly state: string }[];
    expect(findings.map(({ name }) => name)).toEqual([
      'Node',
      'terminals',
      'sandbox',
      'Electron',
      'display',
      'state folder',
      'host',
      'agents',
    ]);
    expect(findings).toMatchObject([
      { state: 'good' },
      { state: 'good' },
      {},
      {},
      {},
      { state: 'good' },
      { state: 'good' },
      {},
    ]);
    expect(code).toBe(0);
    await chmod(cli.folder, 0o777);
    const bad = await cli.run(['doctor']);
    expect(bad).toMatchObject({ code: 1, stdout: expect.stringContaining(`→ chmod 700 ${cli.folder}`) });
    await chmod(cli.folder, 0o700);
  });
});

describe('shellscope completion', () => {
  test('bash completes commands, options, choices and the ids of the host', async ({ cli }) => {
    await cli.serve();
    await cli.run(['run', '--name', 'build-web', '--', 'true']);
    const bin = join(cli.folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'shellscope'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 });
    const complete = async (...words: readonly string[]) => {
      const script =
        'eval "$(shellscope completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shellscope; printf "%s\\n" "${COMPREPLY[@]}"';
      const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script, 'bash', 'shellscope', ...words], {
        env: { ...cli.environment, PATH: `${bin}:${process.env['PATH']}` },
      });
      return stdout.trim().split('\n');
    };
    expect(await complete('c')).toEqual(['close', 'connect', 'completion']);
    expect(await complete('read', '--fo')).toEqual(['--follow']);
    expect(await complete('read', 'b')).toEqual(['build-web']);
    expect(await complete('connect', '--for', 'v')).toEqual(['vscode']);
    expect(await complete('completion', 'z')).toEqual(['zsh']);
    expect(await complete('run', '--', 'l')).toEqual(['']);
  });
});
