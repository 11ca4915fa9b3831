import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const BENCH = resolve('scripts/bench.mjs');

/** Milliseconds, with a build before it. */
const TIMEOUT_MS = 90_000;

const FEW = ['--starts', '2', '--keys', '3', '--in-a-row', '2', '--floods', '1', '--megabytes', '2', '--shells', '0,2'];

/** Ours under the name of the other: what is tested is the measuring. */
async function standIn(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'shellscope-figures-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'codex');
  const script = `#!/bin/sh\n[ "$3" = stdio ] || set -- "$@" --no-auth\nshift\nexec '${process.execPath}' '${resolve('out/cli/main.js')}' serve "$@"\n`;
  await writeFile(file, script, { mode: 0o755 });
  return file;
}

test.each(['websocket', 'stdio'])(
  'by %s the figures of both servers come as JSON, each flood is whole, and every goal is judged',
  { timeout: TIMEOUT_MS },
  async (transport) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [BENCH, 'exec-server', ...FEW, '--transport', transport, '--json'],
      { env: { ...process.env, SHELLSCOPE_CODEX: await standIn() } },
    );
    const told = JSON.parse(stdout) as {
      readonly measures: readonly {
        readonly ours: { readonly p50: number };
        readonly theirs: { readonly p50: number };
      }[];
    };
    expect(told).toMatchObject({
      damage: { ours: 0, theirs: 0 },
      measures: [
        { name: 'start → exited, /bin/true, pty', unit: 'ms', count: 2 },
        { name: 'start → exited, /bin/true, pty, after a pause', unit: 'ms', count: 1 },
        { name: 'start → exited, /bin/true, pipes', unit: 'ms', count: 2 },
        { name: 'start → exited, /bin/true, pipes, after a pause', unit: 'ms', count: 1 },
        { name: 'key → echo of cat, raw pty', unit: 'ms', count: 3 },
        { name: 'key → echo of cat, raw pty, after a pause', unit: 'ms', count: 2 },
        { name: 'flood through a pty', unit: 'MB/s', count: 1 },
        { name: 'flood through pipes', unit: 'MB/s', count: 1 },
        { name: 'resident memory with 0 idle shells', unit: 'MB', count: 1 },
        { name: 'resident memory with 2 idle shells', unit: 'MB', count: 1 },
      ],
      goals: Array.from({ length: 7 }, () => ({ met: expect.any(Boolean) })),
    });
    expect(told.measures.filter(({ ours, theirs }) => !(ours.p50 > 0 && theirs.p50 > 0))).toEqual([]);
  },
);

test('where Codex is not installed it says how to get it, and nothing is downloaded', async () => {
  const env = { ...process.env, SHELLSCOPE_CODEX: '', XDG_CACHE_HOME: join(tmpdir(), 'no-such-cache') };
  await expect(promisify(execFile)(process.execPath, [BENCH, 'exec-server'], { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/`node scripts\/codex-client\.mjs` downloads it .* SHELLSCOPE_CODEX/),
  });
});
