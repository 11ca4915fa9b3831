import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NO_SANDBOX, sandboxReport } from '../support/sandbox-here.ts';

interface Run {
  readonly code: number | null;
  /** Both streams, without colours. */
  readonly output: string;
}

const ROOT = resolve(import.meta.dirname, '../..');

/** The tests that are started here, in another process, load the whole engine. Milliseconds. */
const DEADLINE_MS = 120_000;

/** Runs a Node program where bubblewrap is not installed: in its place lies what nobody can execute. */
function withoutBubblewrap(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<Run> {
  const program = sandboxReport.kind === 'usable' ? sandboxReport.program : '';
  const hiding = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', program, '--chdir', ROOT, '--'];
  return new Promise((done) => {
    execFile(
      program,
      [...hiding, process.execPath, ...args],
      { env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...env }, timeout: DEADLINE_MS },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        done({ code, output: stdout + stderr });
      },
    );
  });
}

const vitest = (file: string) => [
  join(ROOT, 'node_modules/vitest/vitest.mjs'),
  ...['run', '--project', 'integration', '--reporter', 'verbose', file],
];

const isHere = process.platform === 'linux' && NO_SANDBOX === null;

describe.skipIf(!isHere)('where bubblewrap is not installed', () => {
  test('doctor says so, with the command that installs it', async () => {
    const { code, output } = await withoutBubblewrap([join(ROOT, 'out/cli/main.js'), 'doctor'], {});
    expect(output).toMatch(/sandbox.*bubblewrap \(bwrap\), which fences commands in, is not installed/s);
    expect(output).toMatch(/(apt-get|dnf|pacman|zypper|apk) .*bubblewrap/);
    // It is lacking, and everything else works.
    expect(code).toBe(0);
  });

  test(
    'tests of the sandbox say so by name and are skipped',
    async () => {
      const { code, output } = await withoutBubblewrap(vitest('sandbox-terminal'), { CI: undefined });
      expect(output).toMatch(/not here, bubblewrap \(bwrap\), which fences commands in, is not installed/);
      expect(output).toMatch(/\d+ skipped/);
      expect(output).not.toMatch(/\d+ passed/);
      expect(code).toBe(0);
    },
    DEADLINE_MS,
  );

  test(
    'and where it is expected they fail',
    async () => {
      const { code, output } = await withoutBubblewrap(vitest('sandbox-terminal'), { CI: 'true' });
      expect(output).toMatch(/the tests of the sandbox cannot run: bubblewrap .* is not installed \(.*bubblewrap\)/);
      expect(code).toBe(1);
    },
    DEADLINE_MS,
  );
});
