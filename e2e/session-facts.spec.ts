import { brokenRules } from './broken-rules.ts';
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
  expect(await brokenRules(page)).toEqual([]);

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

test('the limits of a running session are told where its usage is, each with what is used of it', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const facts = page.getByRole('list', { name: 'Session in view' }).getByRole('listitem');
  await shellscope.openShell();
  await expect(facts.filter({ hasText: /^CPU \d+% · [\d.]+ MB$/ })).toBeVisible();
  await expect(facts.filter({ hasText: 'limit' })).toHaveCount(0);

  const limits = {
    memoryBytes: 200_000_000,
    processes: 20,
    cpuSeconds: 60,
    outputBytes: 1_000_000,
    lifetimeMs: 600_000,
    idleMs: 300_000,
  };
  const request = { shellscope: { limits } };
  await agent.start('limited', ['/bin/sh', '-c', 'sleep 311 & echo up; exec sleep 312'], request);
  await agent.printed('limited', 'up');
  await shellscope.tab(/test-agent/).click();
  await expect(facts.filter({ hasText: /^[1-9]\d* B of 1 MB out$/ })).toBeVisible();
  await expect(facts.filter({ hasText: /^CPU \d+% · [\d.]+ MB of 200 MB$/ })).toBeVisible();
  const told = [
    'memory [\\d.]+ MB of 200 MB',
    '2 of 20 processes',
    'CPU time \\d+ ms of 1 min',
    'output [1-9]\\d* B of 1 MB',
    'lifetime [\\d.]+ s of 10 min',
    'idle ([\\d.]+ s|\\d+ ms) of 5 min',
  ];
  const item = page.getByRole('listitem', { name: new RegExp(`^${told.join('\\s')}$`) });
  await expect(item).toHaveText(new RegExp(`^6 limits: ${told.join(', ')}$`));
  // What is hovered for takes no room.
  expect((await item.boundingBox())?.width).toBeLessThan(80);

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await brokenRules(page)).toEqual([]);
  }

  await agent.request('process/terminate', { processId: 'limited' });
  await agent.closedProcess('limited');
  await expect(facts.filter({ hasText: 'limit' })).toHaveCount(0);
  await expect(facts.filter({ hasText: /out$/ })).not.toContainText(' of ');
});

test('all that is told of a session can be read by the keyboard alone: limits, ports, the whole command', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const own = await shellscope.openShell();
  const limits = { memoryBytes: 200_000_000, processes: 20, idleMs: 300_000 };
  const script = `${SERVER} # ${'a remark '.repeat(400)}the end`;
  await agent.start('server', ['/bin/sh', '-c', script], { shellscope: { limits } });
  const port = /at (\d+)/.exec(await agent.printed('server', '\n'))?.[1];
  await shellscope.tab(/python3/).click();
  const panel = page.getByRole('dialog', { name: 'Session details' });
  const told = (name: string) => panel.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('~ dd');
  const opener = page.getByRole('button', { name: 'Details', exact: true });

  await page.keyboard.press('Control+Alt+Shift+I');
  await expect(panel).toBeFocused();
  await expect(opener).toHaveAttribute('aria-expanded', 'true');
  await expect(told('Memory')).toHaveText(/^[\d.]+ MB of 200 MB$/);
  await expect(told('Processes')).toHaveText('2 of 20');
  await expect(told('Idle for')).toHaveText(/ of 5 min$/);
  await expect(told('Listens on')).toHaveText(`127.0.0.1:${port}`);
  await expect(told('Command')).toHaveText(/^\/bin\/sh -c ".*the end"$/);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await brokenRules(page)).toEqual([]);
  }
  // It fits, however long the command; what has no room is scrolled to.
  await shellscope.setContentSize(900, 600);
  const box = await panel.boundingBox();
  expect([box?.x, (box?.y ?? 0) >= 44]).toEqual([0, true]);
  const facts = panel.getByRole('region', { name: 'Facts' });
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(facts).toBeFocused();
  await page.keyboard.press('End');
  await expect(told('Listens on')).toBeInViewport({ ratio: 1 });

  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await shellscope.type('typed');
  await shellscope.expectScreen(shellscope.tab(/python3/), 'typed');

  // By its button likewise, and of whichever session is in view.
  await opener.focus();
  await page.keyboard.press('Space');
  await expect(panel).toBeFocused();
  await page.keyboard.press('Control+PageUp');
  await expect(own).toHaveAttribute('aria-selected', 'true');
  await expect(told('Command')).toHaveText('/bin/bash');
  await opener.press('Enter');
  await expect(panel).toHaveCount(0);
  await opener.press('Enter');
  await page.keyboard.press('Escape');
  await expect(opener).toBeFocused();
});

test('a budget that ended a session is told in its pane, with what was allowed, and as a failure at its tab', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const own = await shellscope.openShell();
  for (const [name, limits, script, sentence] of [
    ['output', { outputBytes: 100_000 }, 'yes', /^ended by its output limit: it had printed .* by then; the limit is /],
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
