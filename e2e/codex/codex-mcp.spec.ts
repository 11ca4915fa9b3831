import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Shellscope } from '../fixtures.ts';
import type { Codex } from './codex-client.ts';
import { copiedBlock, expect, sessionsOf, test } from './codex-world.ts';
import type { ModelRequest } from './mock-model.ts';

/** What Codex calls itself to MCP servers (0.169). */
const CODEX_MCP_CLIENT = 'codex-mcp-client';

test('by MCP Codex drives an interactive program in the app: its session is a tab with its name, to the exit code', async ({
  shellscope,
  codex,
}) => {
  await configureMcp(codex, shellscope);
  const run = codex.start();
  const tab = shellscope.tab(/^python3 -i, /);

  call(await run.asked(), 'call_1', 'shell_exec', { command: 'python3 -i' });
  const started = await run.asked();
  expect(answer(started, 'call_1')).toMatchObject({
    session_id: 'session-1',
    state: 'running',
    waiting: { class: 'repl', program: expect.stringContaining('python') },
    output: expect.stringMatching(/>>> $/),
  });
  await expect(tab).toHaveAccessibleName(/^python3 -i, codex, /);
  await shellscope.expectScreen(tab, /^>>>$/m);

  const written = { session_id: 'session-1', submit: true };
  call(started, 'call_2', 'shell_write', { ...written, text: '6 * 7' });
  const computed = await run.asked();
  expect(answer(computed, 'call_2')).toMatchObject({ output: '6 * 7\n42\n>>> ', control: 'agent' });
  await shellscope.expectScreen(tab, /^>>> 6 \* 7\n42\n>>>$/m);

  const slowly = 'import time; time.sleep(0.5); print("slept" + "well")';
  call(computed, 'call_3', 'shell_write', { ...written, text: slowly, yield_ms: 0 });
  const sleeping = await run.asked();
  expect(answer(sleeping, 'call_3')).toMatchObject({ state: 'running' });
  call(sleeping, 'call_4', 'shell_wait', { session_ids: ['session-1'], until: ['match'], pattern: 'sleptwell' });
  const awake = await run.asked();
  expect(answer(awake, 'call_4')).toMatchObject({
    outcome: 'met',
    met: [{ session_id: 'session-1', kind: 'match', match: 'sleptwell' }],
  });

  call(awake, 'call_5', 'shell_write', { ...written, text: 'while True: pass\n', yield_ms: 0 });
  await shellscope.expectScreen(tab, /while True: pass\n\.\.\.$/m);
  const endless = await run.asked();
  call(endless, 'call_6', 'shell_write', { session_id: 'session-1', keys: ['ctrl-c'] });
  const interrupted = await run.asked();
  expect(answer(interrupted, 'call_6')).toMatchObject({ output: expect.stringMatching(/KeyboardInterrupt\n>>> $/) });

  call(interrupted, 'call_7', 'shell_write', { ...written, text: 'raise SystemExit(7)', yield_ms: 0 });
  call(await run.asked(), 'call_8', 'shell_wait', { session_ids: ['session-1'] });
  const last = await run.asked();
  expect(answer(last, 'call_8')).toMatchObject({ outcome: 'met', sessions: [{ exit_code: 7, exit: { by: 'child' } }] });
  await expect(tab).toHaveAttribute('data-exit-code', '7');
  last.say('done');
  expect((await run.finished()).exitCode).toBe(0);
  expect(await sessionsOf(shellscope)).toEqual([
    expect.objectContaining({
      backend: 'pty',
      cwd: codex.cwd,
      endedBy: 'child',
      exit: { exitCode: 7, signal: null },
      origin: expect.objectContaining({ kind: 'agent', client: CODEX_MCP_CLIENT }),
    }),
  ]);
});

test('when Codex goes, what it left running by MCP is ended, and its tab says by whom', async ({
  shellscope,
  codex,
}) => {
  await configureMcp(codex, shellscope);
  const run = codex.start();
  call(await run.asked(), 'call_1', 'shell_exec', { command: 'exec sleep 300', background: true });
  const left = await run.asked();
  await expect(shellscope.tabs).toHaveAttribute('data-state', 'running');
  left.say('done');
  await run.finished();
  await expect(shellscope.tabs).toHaveAttribute('data-state', 'closed');
  expect(await sessionsOf(shellscope)).toEqual([expect.objectContaining({ endedBy: 'agent' })]);
});

/** As a person does: the block that the window offers, pasted. */
async function configureMcp(codex: Codex, shellscope: Shellscope): Promise<void> {
  await appendFile(join(codex.home, 'config.toml'), await copiedBlock(shellscope, 'the MCP block for Codex'));
}

function call(request: ModelRequest, callId: string, name: string, args: object): void {
  request.callTools([{ callId, name, args, namespace: 'mcp__shellscope' }]);
}

/** The facts that the model reads, in the text that Codex puts them into. */
function answer(request: ModelRequest, callId: string): unknown {
  const [, facts = ''] = /\nOutput:\n(.*)$/s.exec(request.toolOutput(callId)) ?? [];
  return JSON.parse(facts);
}
