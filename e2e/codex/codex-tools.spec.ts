import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { byCodex, expect, sessionsOf, test } from './codex-world.ts';
import type { ExecProxy } from './exec-proxy.ts';

/** A PNG of one pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** One more than Codex keeps when they are started one after the other (0.169); at once, it keeps this one too. */
const PROCESSES = 65;

test('apply_patch makes, changes and removes files through the app, and files are read through it', async ({
  shellscope,
  codex,
  network,
}) => {
  const path = (name: string) => join(codex.cwd, name);
  await writeFile(path('AGENTS.md'), 'Speak of the blue heron.\n');
  await writeFile(path('pixel.png'), Buffer.from(PICTURE, 'base64'));
  await writeFile(path('old.txt'), 'old\n');
  const run = codex.start();

  const first = await run.asked();
  expect(first.said()).toContain('Speak of the blue heron.');
  const made = patch('*** Add File: poem.txt', '+Röslein röt,', '+two', '+three');
  first.callTool('call_1', 'exec_command', { cmd: made });
  const second = await run.asked();
  expect(second.toolOutput('call_1')).toContain('Success. Updated the following files:\nA poem.txt\n');
  expect(await readFile(path('poem.txt'), 'utf8')).toBe('Röslein röt,\ntwo\nthree\n');
  const changed = patch('*** Update File: poem.txt', '@@', ' Röslein röt,', '-two', '+Röslein auf', ' three');
  second.callTool('call_2', 'exec_command', { cmd: changed });
  const third = await run.asked();
  expect(third.toolOutput('call_2')).toContain('Success. Updated the following files:\nM poem.txt\n');
  expect(await readFile(path('poem.txt'), 'utf8')).toBe('Röslein röt,\nRöslein auf\nthree\n');
  third.callTool('call_3', 'exec_command', { cmd: patch('*** Delete File: old.txt') });
  const fourth = await run.asked();
  expect(fourth.toolOutput('call_3')).toContain('Success. Updated the following files:\nD old.txt\n');
  fourth.callTool('call_4', 'view_image', { path: path('pixel.png') });
  const last = await run.asked();
  expect(last.toolImage('call_4')).toBe(`data:image/png;base64,${PICTURE}`);
  last.say('done');
  expect((await run.finished()).exitCode).toBe(0);

  expect((await readdir(codex.cwd)).toSorted()).toEqual(['AGENTS.md', 'pixel.png', 'poem.txt']);
  // No shell had a part in it.
  expect(await sessionsOf(shellscope)).toEqual([]);
  expect(filesOf(network, 'fs/readFile')).toEqual(expect.arrayContaining(['AGENTS.md', 'poem.txt', 'pixel.png']));
  expect(filesOf(network, 'fs/writeFile')).toEqual(['poem.txt', 'poem.txt']);
  expect(filesOf(network, 'fs/remove')).toEqual(['old.txt']);
});

test('65 processes at once are 65 tabs, each with its own output', async ({ shellscope, codex, network }) => {
  const calls = Array.from({ length: PROCESSES }, (_, index) => ({
    callId: `call_${index + 1}`,
    name: 'exec_command',
    args: { cmd: `echo "number ${index + 1}"; exec cat`, tty: true, yield_time_ms: 10_000 },
  }));
  const run = codex.start();
  (await run.asked()).callTools(calls);
  await expect.poll(async () => running(await sessionsOf(shellscope))).toBe(PROCESSES);
  await expect(shellscope.tabs).toHaveCount(PROCESSES);

  const answered = await run.asked();
  for (const [index, { callId }] of calls.entries()) {
    expect(answered.toolOutput(callId)).toMatch(/Process running with session ID \d+\n/);
    expect(answered.toolOutput(callId)).toContain(`Output:\nnumber ${index + 1}\r\n`);
  }
  const [, sessionId] = /session ID (\d+)/.exec(answered.toolOutput(`call_${PROCESSES}`)) ?? [];
  answered.callTool('call_66', 'write_stdin', { session_id: Number(sessionId), chars: 'still here\n' });
  const last = await run.asked();
  expect(last.toolOutput('call_66')).toContain('still here\r\nstill here\r\n');
  last.say('done');
  const { exitCode, threadId } = await run.finished();
  expect(exitCode).toBe(0);

  expect(network.calls('process/start')).toHaveLength(PROCESSES);
  // At its end Codex ends what runs; what it had printed stays to be looked at.
  const ended = new Set(network.calls('process/terminate').map(({ message }) => message.params?.['processId']));
  expect(ended.size).toBeGreaterThan(0);
  await expect.poll(async () => running(await sessionsOf(shellscope))).toBe(PROCESSES - ended.size);
  const sessions = await sessionsOf(shellscope);
  expect(sessions).toHaveLength(PROCESSES);
  expect(sessions.map(({ origin }) => origin)).toEqual(
    expect.arrayContaining(calls.map(({ callId }) => byCodex(threadId, callId))),
  );
});

test.describe('with sandbox_mode workspace-write, which the app enforces', () => {
  test.use({ sandboxMode: 'workspace-write' });

  test('Codex runs and edits in its workspace, and its model reads that it is denied everything else', async ({
    shellscope,
    codex,
    network,
  }) => {
    // Temporary folders may be written to: what lies outside is elsewhere.
    const outside = await mkdtemp(join(homedir(), '.shellscope-codex-outside-'));
    const run = codex.start();
    (await run.asked()).callTool('call_1', 'exec_command', { cmd: 'touch it-ran' });
    const second = await run.asked();
    expect(second.toolOutput('call_1')).toContain('Process exited with code 0\n');
    second.callTool('call_2', 'exec_command', { cmd: `touch ${join(outside, 'ran')}` });
    const third = await run.asked();
    expect(third.toolOutput('call_2')).toContain('Process exited with code 1\n');
    expect(third.toolOutput('call_2')).toContain('Read-only file system');
    third.callTool('call_3', 'exec_command', { cmd: patch('*** Add File: written.txt', '+one') });
    const fourth = await run.asked();
    expect(fourth.toolOutput('call_3')).toContain('A written.txt');
    fourth.callTool('call_4', 'exec_command', { cmd: patch(`*** Add File: ${join(outside, 'written.txt')}`, '+one') });
    const fifth = await run.asked();
    expect(fifth.toolOutput('call_4')).not.toContain('Success');
    const beyond = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
    fifth.callTool('call_5', 'exec_command', { cmd: 'touch it-ran', ...beyond });
    const last = await run.asked();
    expect(last.toolOutput('call_5')).toContain('you cannot ask for escalated permissions');
    last.say('done');
    await run.finished();

    expect((await readdir(codex.cwd)).toSorted()).toEqual(['it-ran', 'written.txt']);
    expect(await readdir(outside)).toEqual([]);
    await rm(outside, { recursive: true });
    expect(network.calls('process/start').map(({ message }) => message.params?.['sandbox'])).toEqual([
      expect.objectContaining({ permissions: expect.objectContaining({ type: 'managed' }) }),
      expect.objectContaining({ permissions: expect.objectContaining({ type: 'managed' }) }),
    ]);
    expect((await sessionsOf(shellscope)).map(({ sandbox }) => sandbox)).toEqual([
      'workspace-write, no network',
      'workspace-write, no network',
    ]);
  });

  test('what a person allows to run without the sandbox runs in the app; what they do not is not asked of it', async ({
    shellscope,
    codex,
    network,
  }) => {
    const run = await codex.startAttended();
    const beyond = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
    (await run.asked()).callTool('call_1', 'exec_command', { cmd: 'touch in-the-sandbox' });
    const second = await run.asked();
    expect(second.toolOutput('call_1')).toContain('Process exited with code 0\n');
    second.callTool('call_2', 'exec_command', { cmd: 'touch allowed', ...beyond });
    expect(await run.decide('accept')).toEqual({ command: "/bin/bash -lc 'touch allowed'", reason: 'May I?' });
    const third = await run.asked();
    expect(third.toolOutput('call_2')).toContain('Process exited with code 0\n');
    third.callTool('call_3', 'exec_command', { cmd: 'touch declined', ...beyond });
    expect(await run.decide('decline')).toEqual({ command: "/bin/bash -lc 'touch declined'", reason: 'May I?' });
    const last = await run.asked();
    expect(last.toolOutput('call_3')).toContain('rejected by user');
    last.say('done');
    await run.finished();

    expect((await readdir(codex.cwd)).toSorted()).toEqual(['allowed', 'in-the-sandbox']);
    const sandboxes = network.calls('process/start').map(({ message }) => message.params?.['sandbox']);
    expect(sandboxes).toEqual([expect.objectContaining({ permissions: expect.any(Object) }), null]);
    expect(await sessionsOf(shellscope)).toEqual([
      expect.objectContaining({ sandbox: 'workspace-write, no network' }),
      expect.objectContaining({ argv: ['/bin/bash', '-lc', 'touch allowed'], endedBy: 'child', sandbox: null }),
    ]);
  });
});

/** The command by which a model without a tool of its own for it edits files; Codex runs no shell for it. */
function patch(...lines: readonly string[]): string {
  return ["apply_patch <<'EOF'", '*** Begin Patch', ...lines, '*** End Patch', 'EOF', ''].join('\n');
}

/** Names of the files that the method was asked for, in order. */
function filesOf(network: ExecProxy, method: string): readonly string[] {
  return network.calls(method).map(({ message }) => String(message.params?.['path']).split('/').at(-1) ?? '');
}

function running(sessions: readonly { readonly state: string }[]): number {
  return sessions.filter(({ state }) => state === 'running').length;
}
