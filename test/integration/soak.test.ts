import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const PROJECT = join(import.meta.dirname, '../..');

/** Milliseconds. Far above what a run needs, with the build before the first one. */
const TIMEOUT_MS = 90_000;

interface Finished {
  readonly exitCode: number | null;
  readonly output: string;
  /** The rows of the table that are off. */
  readonly off: readonly string[];
}

/** Runs a short soak as a person does. */
function soak(...args: readonly string[]): Promise<Finished> {
  return new Promise((resolve) => {
    const all = [join(PROJECT, 'scripts/bench.mjs'), 'soak', '--sessions', '16', '--seed', '1', ...args];
    const child = execFile(process.execPath, all, { timeout: TIMEOUT_MS }, (_error, stdout, stderr) => {
      const off = stdout.split('\n').flatMap((line) => /^OFF (.+?) {2,}/.exec(line)?.[1] ?? []);
      resolve({ exitCode: child.exitCode, output: stdout + stderr, off });
    });
  });
}

describe('a soak of some seconds', () => {
  beforeAll(async () => {
    // Builds it, so that no run below waits for the build of another.
    await soak('--seconds', '0.1');
  }, TIMEOUT_MS);

  test('finds nothing off, and exits with 0', { timeout: TIMEOUT_MS }, async () => {
    const { exitCode, output, off } = await soak('--seconds', '4');
    expect({ off, exitCode }, output).toEqual({ off: [], exitCode: 0 });
    expect(output).toMatch(/^ok {2}bytes verified by checksum +[1-9]/m);
    expect(output).toMatch(/told as gone +[1-9]\d*\.\d MB in [1-9]/);
  });

  test.for([
    { plant: 'loss', finds: ['bytes lost', 'sessions with lost bytes', 'bytes changed (places)'] },
    { plant: 'gap', finds: ['gaps told wrongly'] },
    { plant: 'descriptor', finds: ['descriptors left'] },
    { plant: 'child', finds: ['children left'] },
    { plant: 'timer', finds: ['timers left'] },
  ])('with a planted $plant finds it, nothing else, and exits with 1', { timeout: TIMEOUT_MS }, async (row) => {
    const { exitCode, output, off } = await soak('--seconds', '2', '--plant', row.plant);
    expect({ off, exitCode }, output).toEqual({ off: row.finds, exitCode: 1 });
  });

  test('refuses what it does not understand', { timeout: TIMEOUT_MS }, async () => {
    expect(await soak('--plant', 'weed')).toMatchObject({ exitCode: 2 });
    expect(await soak('--seconds', 'ten')).toMatchObject({ exitCode: 2 });
  });
});
