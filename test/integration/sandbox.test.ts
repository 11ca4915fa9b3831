import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { access, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { fenceFor } from '../../src/engine/sandbox/fence.ts';
import { readOnly, workspaceWrite, type FencePolicy } from '../../src/engine/sandbox/sandbox-policy.ts';
import { EngineError } from '../../src/shared/errors.ts';
import { pythonProgram } from '../support/python-program.ts';
import { NO_SANDBOX, sandboxReport } from '../support/sandbox-here.ts';
import { test, type SandboxWorld } from '../support/sandbox-world.ts';

const isRoot = process.geteuid?.() === 0;

/** Runs the same text in the sandbox and without it; the second shows that it would have worked. */
async function bothWays(sandbox: SandboxWorld, text: string, more: Partial<FencePolicy> = {}) {
  const fenced = await sandbox.attempt(text, workspaceWrite(sandbox.workspace, more));
  const free = await sandbox.attempt(text, { kind: 'none' });
  return { fenced, free };
}

/** Refused inside, and done outside: then the refusal is the sandbox's doing. */
async function expectRefused(sandbox: SandboxWorld, text: string, more: Partial<FencePolicy> = {}): Promise<string> {
  const { fenced, free } = await bothWays(sandbox, text, more);
  expect(free, `without the sandbox: ${text}`).toMatchObject({ exitCode: 0 });
  expect(fenced.exitCode, `in the sandbox it said ${fenced.output}`).not.toBe(0);
  expect(fenced.output).not.toContain('bwrap:');
  return fenced.output;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function listening(server: Server, where: Parameters<Server['listen']>[0]): Promise<Server> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, resolve);
  });
  return server;
}

async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

/** Python's text that runs to its end, or fails with what the system said. */
function python(text: string): string {
  return `${pythonProgram()} -c '${text.replaceAll("'", `'"'"'`)}'`;
}

describe.runIf(process.platform === 'linux')(
  `the sandbox${NO_SANDBOX === null ? '' : `: not here, ${NO_SANDBOX}`}`,
  () => {
    describe.skipIf(NO_SANDBOX !== null)('lets a command work', () => {
      test('in its workspace and in a temporary folder of its own', async ({ sandbox }) => {
        const { workspace } = sandbox;
        // No other run's.
        const name = `made-${randomUUID()}`;
        const text = `echo a > made && mkdir -p deep/er && mv made deep/er/moved && echo b > /tmp/${name} && cat /tmp/${name} && ls -A /tmp`;
        const attempt = await sandbox.attempt(text, workspaceWrite(workspace));
        expect(attempt).toEqual({ exitCode: 0, output: `b\n${name}\n` });
        expect(await readFile(join(workspace, 'deep/er/moved'), 'utf8')).toBe('a\n');
        expect(await isThere(`/tmp/${name}`)).toBe(false);
      });

      test('with the exit code it has', async ({ sandbox }) => {
        for (const [text, exitCode] of [
          ['exit 7', 7],
          ['true', 0],
          // A signal becomes what a shell makes of it: bwrap is who exits.
          ['kill -KILL $$', 137],
        ] as const) {
          expect((await sandbox.attempt(text, workspaceWrite(sandbox.workspace))).exitCode).toBe(exitCode);
        }
      });

      test('with the whole system to read, and nothing open but its streams', async ({ sandbox }) => {
        const { output } = await sandbox.attempt(
          'head -1 /etc/passwd; for f in /proc/self/fd/*; do echo "${f##*/}"; done',
          readOnly(),
        );
        const [passwd, ...descriptors] = output.trim().split('\n');
        expect(passwd).toBe(readFileSync('/etc/passwd', 'utf8').split('\n')[0]);
        expect(descriptors).toEqual(['0', '1', '2', '3']);
      });

      test('under the name it was given', async ({ sandbox }) => {
        const argv = ['/bin/bash', '-c', 'echo $0'];
        const fenced = await fenceFor(
          { argv, arg0: 'other', cwd: sandbox.workspace, environment: {} },
          readOnly(),
          sandboxReport,
        );
        const { id } = await sandbox.start([...fenced.prefix, ...argv], { cwd: sandbox.workspace });
        expect(await sandbox.printed(id, 'other')).toContain('other');
        await sandbox.closed(id);
      });
    });

    describe.skipIf(NO_SANDBOX !== null)('refuses to write', () => {
      test('outside of the workspace', async ({ sandbox }) => {
        await expectRefused(sandbox, `rm -f ${sandbox.outside}/a; echo x > ${sandbox.outside}/a`);
        await sandbox.attempt(`rm -f ${sandbox.outside}/a`, { kind: 'none' });
        await sandbox.attempt(`echo x > ${sandbox.outside}/a`, workspaceWrite(sandbox.workspace));
        expect(await isThere(join(sandbox.outside, 'a'))).toBe(false);
      });

      test('in the workspace when it may only read', async ({ sandbox }) => {
        const { exitCode, output } = await sandbox.attempt('echo x > a', readOnly());
        expect(exitCode).not.toBe(0);
        expect(output).toContain('Read-only file system');
        expect((await sandbox.attempt('echo x > a', { kind: 'none' })).exitCode).toBe(0);
      });

      test('through a link that leads out', async ({ sandbox }) => {
        await symlink(sandbox.outside, join(sandbox.workspace, 'link'));
        await expectRefused(sandbox, 'echo x > link/a');
        await expectRefused(sandbox, `ln -sfn ${sandbox.outside} made; echo x > made/a`);
      });

      test('through /proc', async ({ sandbox }) => {
        const { id, pid } = await sandbox.start(['sleep', '1000'], { cwd: sandbox.outside });
        for (const root of [`/proc/${process.pid}/root`, '/proc/self/root', '/proc/$$/root', `/proc/${pid}/root`]) {
          await expectRefused(sandbox, `echo x > ${root}${sandbox.outside}/a`);
        }
        // Inside, process 1 is its own; the system's is not seen.
        const first = await sandbox.attempt(
          `echo x > /proc/1/root${sandbox.outside}/b`,
          workspaceWrite(sandbox.workspace),
        );
        expect(first.exitCode).not.toBe(0);
        expect(await isThere(join(sandbox.outside, 'b'))).toBe(false);
        await expectRefused(sandbox, `echo x > /proc/${pid}/cwd/a`);
        await expectRefused(sandbox, `exec 5< ${sandbox.outside}; echo x > /proc/self/fd/5/a`);
        await sandbox.engine.close(id, 'host');
      });

      test('into the repository, where hooks and configuration run programs', async ({ sandbox }) => {
        for (const path of ['.git/hooks/pre-commit', '.git/config', '.git/commondir', '.git/made']) {
          await expectRefused(sandbox, `echo x >> ${path}`);
        }
        await expectRefused(sandbox, 'mv .git .other && mv .other .git');
      });

      test('to hooks and configuration where commits may be made, also by another folder in their place', async ({
        sandbox,
      }) => {
        const commits = { git: 'commits' } as const;
        await mkdir(join(sandbox.workspace, '.git/modules'));
        for (const path of ['.git/hooks/pre-commit', '.git/config', '.git/modules/a']) {
          await expectRefused(sandbox, `echo x >> ${path}`, commits);
        }
        await expectRefused(sandbox, 'mv .git .other && mv .other .git', commits);
        await expectRefused(sandbox, 'mv .git/hooks .git/other && mv .git/other .git/hooks', commits);
        await expectRefused(sandbox, 'mv .git/config .git/other && mv .git/other .git/config', commits);
        const attempt = await sandbox.attempt('echo x > .git/index', workspaceWrite(sandbox.workspace, commits));
        expect(attempt).toEqual({ exitCode: 0, output: '' });
      });

      test('to hooks that are not there yet', async ({ sandbox }) => {
        await sandbox.attempt('rm -r .git/hooks', { kind: 'none' });
        await expectRefused(sandbox, 'mkdir -p .git/hooks && echo x > .git/hooks/pre-commit', { git: 'commits' });
      });

      test('where the repository is a file that leads elsewhere', async ({ sandbox }) => {
        await sandbox.attempt('mv .git real && echo "gitdir: real" > .git', { kind: 'none' });
        await expectRefused(sandbox, 'cp .git copy && cat copy > .git');
        await expectRefused(sandbox, 'echo x > real/hooks/pre-commit');
      });

      test("to agents' settings and to what else is named", async ({ sandbox }) => {
        await sandbox.attempt('mkdir .codex; touch .codex/config.toml .mcp.json named', { kind: 'none' });
        await expectRefused(sandbox, 'echo x > .codex/config.toml');
        await expectRefused(sandbox, 'echo x > .mcp.json');
        await expectRefused(sandbox, 'echo x > named', { readOnly: [join(sandbox.workspace, 'named')] });
      });
    });

    describe.skipIf(NO_SANDBOX !== null)('keeps from what is ours', () => {
      test('settings and tokens are not there, in the workspace or elsewhere', async ({ sandbox }) => {
        for (const folder of [join(sandbox.outside, 'state'), join(sandbox.workspace, 'deep/state')]) {
          await mkdir(folder, { recursive: true });
          await writeFile(join(folder, 'token'), 'secret');
          const hidden = { hidden: [folder] };
          await expectRefused(sandbox, `cat ${folder}/token`, hidden);
          await expectRefused(sandbox, `echo x > ${folder}/new`, hidden);
          await expectRefused(sandbox, `ls ${folder}/token`, { hidden: [join(folder, 'token'), folder] });
          expect(await readdir(folder)).toEqual(['new', 'token']);
        }
      });

      test('a folder that is not there yet cannot be made', async ({ sandbox }) => {
        await expectRefused(sandbox, 'mkdir -p state && echo x > state/settings.json', {
          hidden: [join(sandbox.workspace, 'state')],
        });
      });

      test('sockets cannot be connected to', async ({ sandbox }) => {
        const folder = join(sandbox.outside, 'state');
        await mkdir(folder);
        const path = join(folder, 'control.sock');
        const server = await listening(createServer(), { path });
        try {
          const connect = python(`import socket; socket.socket(socket.AF_UNIX).connect("${path}")`);
          await expectRefused(sandbox, connect, { hidden: [folder] });
          await expectRefused(sandbox, connect, { hidden: [path] });
          // Read-only is not enough: that is why they are hidden.
          expect((await sandbox.attempt(connect, workspaceWrite(sandbox.workspace))).exitCode).toBe(0);
        } finally {
          await closed(server);
        }
      });
    });

    describe.skipIf(NO_SANDBOX !== null)('has no network', () => {
      test('not even to loopback', async ({ sandbox }) => {
        const server = await listening(createServer(), { host: '127.0.0.1', port: 0 });
        try {
          const address = server.address();
          const port = typeof address === 'object' ? address?.port : 0;
          await expectRefused(sandbox, `exec 3<>/dev/tcp/127.0.0.1/${port}`);
          const { exitCode } = await sandbox.attempt(
            `exec 3<>/dev/tcp/127.0.0.1/${port}`,
            workspaceWrite(sandbox.workspace, { network: 'host' }),
          );
          expect(exitCode).toBe(0);
        } finally {
          await closed(server);
        }
      });

      test('nor to another address', async ({ sandbox, skip }) => {
        const address = Object.values(networkInterfaces())
          .flatMap((addresses) => addresses ?? [])
          .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
        if (address === undefined) {
          return skip('this machine has no address but loopback');
        }
        const server = await listening(createServer(), { host: address, port: 0 });
        try {
          const bound = server.address();
          const port = typeof bound === 'object' ? bound?.port : 0;
          expect(await expectRefused(sandbox, `exec 3<>/dev/tcp/${address}/${port}`)).toMatch(/unreachable/i);
        } finally {
          await closed(server);
        }
      });

      test('nor to abstract sockets', async ({ sandbox }) => {
        const name = `shellscope-test-${process.pid}`;
        const open = `import socket; s=socket.socket(socket.AF_UNIX); address=chr(0)+"${name}"`;
        const server = `${open}; s.bind(address); s.listen(); print("ready", flush=True); input()`;
        const { id } = await sandbox.start([pythonProgram(), '-c', server]);
        await sandbox.printed(id, 'ready');
        await expectRefused(sandbox, python(`${open}; s.connect(address)`));
        await sandbox.engine.close(id, 'host');
      });
    });

    describe.skipIf(NO_SANDBOX !== null)('reaches no process outside', () => {
      test('by a signal or as its tracer', async ({ sandbox, skip }) => {
        const { id, pid } = await sandbox.start(['sleep', '1000']);
        await expectRefused(sandbox, `kill -0 ${pid}`);
        await expectRefused(sandbox, `cat /proc/${pid}/environ`);
        const scope = await readFile('/proc/sys/kernel/yama/ptrace_scope', 'utf8').catch(() => '0\n');
        const attach = python(
          `import ctypes,os,signal; c=ctypes.CDLL(None,use_errno=True); r=c.ptrace(16,${pid},0,0); ` +
            `r==0 and (os.waitpid(${pid},0x40000000), c.ptrace(17,${pid},0,0)); raise SystemExit(0 if r==0 else 1)`,
        );
        if (scope !== '0\n' && !isRoot) {
          await sandbox.engine.close(id, 'host');
          return skip(
            `kernel.yama.ptrace_scope is ${scope.trim()}: nothing could be traced without the sandbox either`,
          );
        }
        await expectRefused(sandbox, attach);
        await sandbox.engine.close(id, 'host');
      });

      test('through the terminal of another session', async ({ sandbox, skip }) => {
        const { id } = await sandbox.start(['sh', '-c', 'tty; exec cat']);
        const [terminal = ''] = /\/dev\/pts\/\d+/.exec(await sandbox.printed(id, '/dev/pts/')) ?? [];
        await expectRefused(sandbox, `echo written > ${terminal}`);
        if (isRoot) {
          await expectRefused(
            sandbox,
            python(
              `import fcntl,os,termios; fcntl.ioctl(os.open("${terminal}",os.O_RDWR|os.O_NOCTTY),termios.TIOCSTI,b"x")`,
            ),
          );
        }
        await sandbox.engine.close(id, 'host');
        if (!isRoot) {
          return skip('without the sandbox, too, only root can type into a terminal that is not its own (TIOCSTI)');
        }
      });

      test('by rights in a user namespace', async ({ sandbox, skip }) => {
        if (sandboxReport.kind === 'usable' && !sandboxReport.canDisableUserNamespaces) {
          return skip(`this bubblewrap (${sandboxReport.version}) cannot keep from making user namespaces`);
        }
        await expectRefused(sandbox, 'unshare -Ur true');
      });

      test('and leaves none behind', async ({ sandbox }) => {
        // No other run of these tests on this machine has this one.
        const seconds = 100_000 + process.pid;
        const fenced = await sandbox.attempt(
          `setsid sleep ${seconds} > /dev/null 2>&1 & disown; echo started`,
          workspaceWrite(sandbox.workspace),
        );
        expect(fenced).toEqual({ exitCode: 0, output: 'started\n' });
        const left = await sandbox.attempt(`grep -lsz "^${seconds}$" /proc/[0-9]*/cmdline`, { kind: 'none' });
        expect(left.output).toBe('');
      });
    });

    test('where no sandbox can be made the call fails with what to install, and nothing runs', async ({ sandbox }) => {
      const missing = {
        kind: 'missing',
        missing: [{ what: 'bubblewrap', why: 'bubblewrap is not installed', install: 'apt-get install -y bubblewrap' }],
      } as const;
      const refused = await fenceFor(
        { argv: ['touch', 'a'], cwd: sandbox.workspace, environment: {} },
        readOnly(),
        missing,
      ).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(EngineError);
      expect(refused).toMatchObject({
        code: 'sandbox-missing',
        message:
          'it shall run in a sandbox, and none can be made: bubblewrap is not installed. To mend it: apt-get install -y bubblewrap',
      });
    });
  },
);
