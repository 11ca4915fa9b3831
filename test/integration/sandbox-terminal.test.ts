import { existsSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { SessionId } from '../../src/shared/session.ts';
import { NO_SANDBOX } from '../support/sandbox-here.ts';
import { test, type SandboxWorld } from '../support/sandbox-world.ts';

const VIM = '/usr/bin/vim';

/** A shell with a prompt that is found in its output, and nothing of the person's own settings. */
const SHELL = ['bash', '--norc', '--noprofile', '-i'];

async function type(sandbox: SandboxWorld, id: SessionId, text: string): Promise<void> {
  await sandbox.engine.write(id, Buffer.from(text));
}

/** Types a line and waits for what it prints. In the text that is waited for, the line itself must not stand. */
async function answer(sandbox: SandboxWorld, id: SessionId, line: string, wanted: string): Promise<string> {
  await type(sandbox, id, `${line}\n`);
  return sandbox.printed(id, wanted);
}

/** A shell in the sandbox, at its first prompt. */
async function shellIn(sandbox: SandboxWorld): Promise<SessionId> {
  const { id } = await sandbox.fencedTerminal(SHELL);
  await answer(sandbox, id, "PS1='at''> '; set +o histexpand", 'at> ');
  return id;
}

describe.runIf(process.platform === 'linux')(
  `a terminal in the sandbox${NO_SANDBOX === null ? '' : `: not here, ${NO_SANDBOX}`}`,
  () => {
    describe.skipIf(NO_SANDBOX !== null)('D4: is made before it opens, and works as one outside', () => {
      test('its command, variables and directory are those of the sandbox from the first moment', async ({
        sandbox,
      }) => {
        const { id } = await sandbox.fencedTerminal(
          ['bash', '-c', 'echo "first:$(tr "\\0" " " < /proc/1/cmdline | cut -c1-40) tmp:$TMPDIR in:$PWD"'],
          {},
          { TMPDIR: sandbox.outside },
        );
        const { argv, cwd, exit } = await sandbox.closed(id);
        // What runs is the fence; what it was asked for is what is shown.
        expect(await sandbox.text(id)).toMatch(
          new RegExp(`^first:\\S*bwrap .* tmp:/tmp in:${sandbox.workspace}\\r\\n$`),
        );
        expect([argv[0], cwd, exit?.exitCode]).toEqual(['bash', sandbox.workspace, 0]);
      });

      test('a shell has job control, and no warning about it', async ({ sandbox }) => {
        const id = await shellIn(sandbox);
        const printed = await answer(sandbox, id, 'echo "flags:$-:"', 'flags:h');
        expect(printed).toMatch(/flags:\w*m\w*:/);
        expect(printed).not.toMatch(/no job control|cannot set terminal process group/);
        await type(sandbox, id, 'exit\n');
        expect((await sandbox.closed(id)).exit).toEqual({ exitCode: 0, signal: null });
      });

      test('Ctrl-C ends what runs in the foreground, and the shell stays', async ({ sandbox }) => {
        const id = await shellIn(sandbox);
        await answer(sandbox, id, "sh -c 'echo run''ning; exec sleep 1000'", 'running');
        await type(sandbox, id, '\u0003');
        await answer(sandbox, id, 'echo "code"-$?', 'code-130');
        await sandbox.engine.close(id, 'host');
      });

      test('Ctrl-Z stops it, jobs lists it, fg goes on with it', async ({ sandbox }) => {
        const id = await shellIn(sandbox);
        await answer(sandbox, id, "sh -c 'echo run''ning; read line; echo got-$line'", 'running');
        await type(sandbox, id, '\u001a');
        await sandbox.printed(id, 'Stopped');
        await answer(sandbox, id, 'jobs -s | grep -c "read line" | sed s/^/stopped-/', 'stopped-1');
        await type(sandbox, id, 'fg\n');
        await answer(sandbox, id, 'word', 'got-word');
        await sandbox.engine.close(id, 'host');
      });

      test('it has the size of its terminal, and hears of a change', async ({ sandbox }) => {
        const id = await shellIn(sandbox);
        await answer(sandbox, id, 'echo size-$(stty size | tr " " x)-', 'size-24x80-');
        await answer(sandbox, id, "trap 'echo changed-$(stty size | tr \" \" x)-' WINCH; echo set''ting", 'setting');
        await sandbox.engine.resize(id, { cols: 100, rows: 30 });
        await answer(sandbox, id, 'echo now-$(stty size | tr " " x)-', 'now-30x100-');
        await sandbox.printed(id, 'changed-30x100-');
        await sandbox.engine.close(id, 'host');
      });

      test('the folder of its shell is what that says, since the same path is another folder here', async ({
        sandbox,
      }) => {
        const { engine } = sandbox;
        const id = await shellIn(sandbox);
        const paths = new Set<string | undefined>();
        const stop = engine.onEvent((event) => paths.add('session' in event ? event.session.folder?.path : undefined));
        await answer(sandbox, id, 'cd /tmp; echo in-$PWD-', 'in-/tmp-');
        await type(sandbox, id, `printf '\\033]7;file:///tmp/said\\007'\n`);
        await expect.poll(() => [...paths]).toContain('/tmp/said');
        stop();
        expect([...paths].filter((path) => path !== undefined)).toEqual(['/tmp/said']);
        await engine.close(id, 'host');
      });

      test('its terminal has colours', async ({ sandbox }) => {
        const id = await shellIn(sandbox);
        await answer(sandbox, id, 'echo term-$TERM-', 'term-xterm-256color-');
        await answer(sandbox, id, 'echo color > made; ls --color=auto -d /tmp', '\u001b[');
        await answer(sandbox, id, 'test -t 0 && test -t 1 && : < /dev/tty && echo ter"minal"', '\rterminal');
        await sandbox.engine.close(id, 'host');
      });

      test.skipIf(!existsSync(VIM))('vim draws its screen, edits a file and leaves', async ({ sandbox }) => {
        const { id } = await sandbox.fencedTerminal([VIM, '-u', 'NONE', '-i', 'NONE', '-n', 'made']);
        await sandbox.printed(id, '"made" [New');
        await type(sandbox, id, 'ihello from vim\u001b:wq\r');
        expect((await sandbox.closed(id)).exit).toEqual({ exitCode: 0, signal: null });
        expect(await sandbox.text(id)).toContain('\u001b[?1049l');
        expect(await sandbox.attempt('cat made', { kind: 'none' })).toEqual({
          exitCode: 0,
          output: 'hello from vim\n',
        });
      });
    });
  },
);
