// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { runForeground, runQuietly } from './run-command.mjs';

const node = process.execPath;

describe('a program that is run quietly', () => {
  it('fails as data, with what it wrote', async () => {
    const done = await runQuietly(node, ['-e', "console.log('out'); console.error('err'); process.exitCode = 3"]);
    expect({ ...done, output: done.output.split('\n').sort() }).toEqual({
      exitCode: 3,
      signal: null,
      timedOut: false,
      stdout: 'out\n',
      output: ['', 'err', 'out'],
    });
  });

  it('is killed when its time is up, though a child of it holds its output open', async () => {
    const done = await runQuietly('/bin/sh', ['-c', 'sleep 60 & echo $!; wait'], { timeoutMs: 300 });
    process.kill(Number(done.stdout));
    expect(done).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true });
  });

  it('keeps the end of a long output', async () => {
    const { stdout } = await runQuietly(node, ['-e', "process.stdout.write('x'.repeat(2_000_000) + 'end')"]);
    expect(stdout.endsWith('xend')).toBe(true);
    expect(stdout.length).toBeLessThan(400_000);
  });

  it('rejects when it cannot be started', async () => {
    await expect(runQuietly('/no/such/program', [])).rejects.toThrow('ENOENT');
  });
});

describe('a program that is run in the foreground', () => {
  it('gives its exit code', async () => {
    expect(await runForeground(node, ['-e', 'process.exitCode = 7'], { cwd: '/', env: process.env })).toBe(7);
  });

  it('gives 128 and the number of the signal that killed it', async () => {
    const suicide = "process.kill(process.pid, 'SIGKILL')";
    expect(await runForeground(node, ['-e', suicide], { cwd: '/', env: process.env })).toBe(137);
  });

  it.each([/** @type {const} */ ('SIGINT'), /** @type {const} */ ('SIGTERM')])(
    'is told of %s, once',
    async (signal) => {
      const program = `
      let told = 0;
      process.on('${signal}', () => { told += 1; setTimeout(() => process.exit(10 + told), 100); });
      setInterval(() => {}, 1000);
      console.log('ready');`;
      const starter = `
      import { runForeground } from ${JSON.stringify(new URL('run-command.mjs', import.meta.url).href)};
      process.exitCode = await runForeground(process.execPath, ['-e', ${JSON.stringify(program)}], { cwd: '/', env: process.env });`;
      const started = spawn(node, ['--input-type=module', '--eval', starter], {
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      const ended = once(started, 'exit');
      await once(createInterface({ input: started.stdout }), 'line');
      // As a terminal does, to the whole group, and as npm does on top of it.
      process.kill(-(started.pid ?? 0), signal);
      process.kill(started.pid ?? 0, signal);
      expect(await ended).toEqual([11, null]);
    },
  );
});
