import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { expect, sessionsOf, test } from './codex-world.ts';
import type { DeliveredChunk, ExecProxy } from './exec-proxy.ts';

/** What Codex keeps of a command's output, in bytes: half of it from the beginning, half from the end (0.169). */
const CODEX_KEEPS_BYTES = 1024 * 1024;

test('a connection that is cut after 1.5 s is taken up again, and Codex has all of the output in order', async ({
  shellscope,
  codex,
  network,
}) => {
  const run = codex.start();
  const cmd = 'for i in $(seq 40); do echo "line $i"; sleep 0.1; done; exit 3';
  (await run.asked()).callTool('call_1', 'exec_command', { cmd, yield_time_ms: 30_000 });
  await expect.poll(() => network.delivered().length).toBeGreaterThan(0);
  await passed(1_500);
  // What is lost on its way is lost for good: only a server that kept it can tell it again.
  network.hold();
  await expect.poll(() => lostOutput(network)).toBeGreaterThan(0);
  network.cut();

  const answered = await run.asked();
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join('');
  expect(answered.toolOutput('call_1')).toContain('Process exited with code 3\n');
  expect(answered.toolOutput('call_1')).toContain(`Output:\n${lines}`);
  expectResumedOnce(network);
  expectWhole(network.delivered(), Buffer.from(lines));
  answered.say('done');
  expect((await run.finished()).exitCode).toBe(0);
  expect(await sessionsOf(shellscope)).toEqual([
    expect.objectContaining({ state: 'closed', endedBy: 'child', exit: { exitCode: 3, signal: null } }),
  ]);
});

for (const tty of [false, true]) {
  test(`5 MB that a program prints on ${tty ? 'a pty' : 'pipes'} while its connection is away for 2.5 s reach Codex`, async ({
    shellscope,
    codex,
    network,
  }) => {
    // 10 bytes each, and one more on a pty, which sends CR LF.
    const numbers = Array.from({ length: tty ? 454_546 : 500_000 }, (_, index) => String(index + 1).padStart(9, '0'));
    const eol = tty ? '\r\n' : '\n';
    const expected = Buffer.from(['begin', ...numbers, ''].join(eol));
    const run = codex.start();
    const cmd = `echo begin; until [ -e go ]; do sleep 0.05; done; seq -f %09.0f ${numbers.length}; exit 7`;
    (await run.asked()).callTool('call_1', 'exec_command', { cmd, tty, yield_time_ms: 30_000 });
    await expect.poll(() => network.delivered().length).toBeGreaterThan(0);

    network.goAway();
    const back = passed(2_500);
    await writeFile(join(codex.cwd, 'go'), '');
    // All of it is printed, and the program gone, with nobody there to take it.
    await expect(shellscope.tabs).toHaveAttribute('data-exit-code', '7');
    await back;
    expect(network.refusals).toBeGreaterThan(0);
    network.comeBack();

    const answered = await run.asked();
    const output = answered.toolOutput('call_1');
    expect(output).toContain('Process exited with code 7\n');
    // Codex counts what it leaves out: with what it keeps that is every byte.
    const [, omitted] = /\.\.\. (\d+) bytes omitted \.\.\./.exec(output) ?? [];
    expect(Number(omitted) + CODEX_KEEPS_BYTES).toBe(expected.length);
    expect(output).toContain(`begin${eol}000000001${eol}000000002${eol}`);
    expect(output.trimEnd().endsWith(numbers.slice(-3).join(eol))).toBe(true);
    expectResumedOnce(network);
    expectWhole(network.delivered(), expected);
    const caughtUp = network.delivered().filter(({ by }) => by === 'read');
    expect(caughtUp.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeGreaterThanOrEqual(5_000_000);
    answered.say('done');
    expect((await run.finished()).exitCode).toBe(0);
    expect(await sessionsOf(shellscope)).toEqual([
      expect.objectContaining({ state: 'closed', endedBy: 'child', outputBytes: expected.length }),
    ]);
  });
}

test('a program that prints at full speed while its connection is taken up again loses nothing', async ({
  codex,
  network,
}) => {
  const run = codex.start();
  const cmd = [
    'echo begin; until [ -e go ]; do sleep 0.05; done; seq -f %09.0f 300000; echo > half',
    'until [ -e on ]; do :; done; seq -f %09.0f 400000; exit 7',
  ].join('; ');
  (await run.asked()).callTool('call_1', 'exec_command', { cmd, yield_time_ms: 30_000 });
  await expect.poll(() => network.delivered().length).toBeGreaterThan(0);
  network.goAway();
  await writeFile(join(codex.cwd, 'go'), '');
  await expect.poll(() => existsSync(join(codex.cwd, 'half'))).toBe(true);
  // Its request for what it missed is on its way while more is printed than Codex puts aside.
  network.upstreamDelayMs = 200;
  network.comeBack();
  await expect.poll(() => network.calls('process/read').length, { intervals: [5] }).toBeGreaterThan(0);
  await writeFile(join(codex.cwd, 'on'), '');

  const answered = await run.asked();
  expect(answered.toolOutput('call_1')).toContain('Process exited with code 7\n');
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1).padStart(9, '0'));
  expectWhole(network.delivered(), Buffer.from(['begin', ...numbers(300_000), ...numbers(400_000), ''].join('\n')));
  answered.say('done');
  expect((await run.finished()).exitCode).toBe(0);
});

function lostOutput(network: ExecProxy): number {
  return network.calls('process/output').filter(({ passed: gotThrough }) => !gotThrough).length;
}

/** The client came back once, to the session that it had, and asked for what came after the last that it saw. */
function expectResumedOnce(network: ExecProxy): void {
  expect(network.connections).toBe(2);
  const [first] = network.answers('initialize');
  expect(network.calls('initialize').map(({ message }) => message.params?.['resumeSessionId'])).toEqual([
    null,
    first?.result?.['sessionId'],
  ]);
  // Of a process that has ended Codex asks for the same twice.
  const reads = network
    .calls('process/read')
    .map(({ connection, message }) => ({ connection, from: message.params?.['afterSeq'] }));
  const lastSeen = network
    .calls('process/output')
    .findLast(({ connection, passed: gotThrough }) => connection === 1 && gotThrough);
  expect(new Set(reads.map((read) => JSON.stringify(read)))).toEqual(
    new Set([JSON.stringify({ connection: 2, from: lastSeen?.message.params?.['seq'] })]),
  );
}

/** Every sequence number from the first on, and together exactly these bytes. */
function expectWhole(chunks: readonly DeliveredChunk[], expected: Buffer): void {
  expect(chunks.map(({ seq }) => seq)).toEqual(Array.from(chunks, (_, index) => index + 1));
  const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes));
  // Compared by digest: a difference of 5 MB is no message to read.
  expect({ length: bytes.length, sha256: sha256(bytes) }).toEqual({
    length: expected.length,
    sha256: sha256(expected),
  });
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
