import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from './fixtures.ts';

/** Listens at a port that the system chooses and tells it, in a child of the shell that is the session's own. */
const SERVER =
  "python3 -c \"import socket, time; s = socket.create_server(('127.0.0.1', 0)); print('at', s.getsockname()[1], flush=True); time.sleep(300)\"; :";

test('the processor, memory and ports of the session in view are told, of all its processes together', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('server', ['/bin/sh', '-c', SERVER]);
  const port = /at (\d+)/.exec(await agent.printed('server', '\n'))?.[1];
  await shellscope.tab(/python3/).click();
  const facts = page.getByRole('list', { name: 'Session in view' });
  await expect(facts.getByRole('listitem').filter({ hasText: /^CPU \d+% · [\d.]+ MB$/ })).toBeVisible();
  await expect(facts.getByRole('listitem').filter({ hasText: /^listens on/ })).toHaveText(
    `listens on 127.0.0.1:${port}`,
  );
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);

  // Of another session they are not told, nor once it has ended.
  await shellscope.openShell();
  await expect(facts).not.toContainText('listens on');
  await shellscope.tab(/python3/).click();
  await expect(facts).toContainText('listens on');
  await agent.request('process/terminate', { processId: 'server' });
  await agent.closedProcess('server');
  await expect(facts).not.toContainText('listens on');
  await expect(facts).not.toContainText('CPU');
});

test('a budget that ended a session is told in its pane, with what was allowed, and as a failure at its tab', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const own = await shellscope.openShell();
  for (const [name, limits, script, sentence] of [
    ['output', { outputBytes: 100_000 }, 'yes', /^ended by its output limit: it printed .*; the limit is /],
    [
      'lifetime',
      { lifetimeMs: 500 },
      'exec sleep 311',
      /^ended by its time limit: it ran for .*; the limit is 0\.5 seconds$/,
    ],
    ['memory', { memoryBytes: 60_000_000 }, 'exec python3 -c "a = bytearray(200000000); input()"', /memory limit/],
  ] as const) {
    const request = { shellscope: { limits } };
    expect(await agent.start(name, ['/bin/sh', '-c', script], request)).toMatchObject({ result: {} });
    await agent.closedProcess(name);
    const tab = shellscope.tabs.last();
    await expect(tab).toHaveAccessibleName(/test-agent, killed SIG(?:KILL|TERM)$/);
    await expect(tab).toHaveAccessibleDescription('Not looked at yet');
    await tab.click();
    const line = page
      .getByRole('tabpanel', { name: /test-agent/ })
      .locator('.exit-line')
      .getByRole('status');
    await expect(line).toHaveText(sentence);
    await expect(tab).not.toHaveAccessibleDescription('Not looked at yet');
    await own.click();
  }
});
