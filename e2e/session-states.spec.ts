import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { missingProgram } from '../test/support/screen-programs.ts';
import { brokenRules } from './broken-rules.ts';
import { expect, test, type Shellscope } from './fixtures.ts';
import { startAgain } from './restart.ts';

/** For a look at the pictures: a folder that they are put into. */
const PICTURES = process.env['SHELLSCOPE_PICTURES'];

/** Holds the output open after its leader has ended, until it is stopped. */
const LEAVES_OUTPUT_OPEN = 'echo told; setsid sleep 300 & until grep -q sleep /proc/$!/comm; do :; done; exit 0';

const iconOf = (place: Locator): Promise<string> => place.locator('svg.icon').first().innerHTML();

async function expectNoViolations({ page }: Shellscope): Promise<void> {
  expect(await brokenRules(page)).toEqual([]);
}

/** Where a session is seen: its tab, and its row in the list of all. */
const placesOf = async ({ page }: Shellscope, tab: Locator): Promise<readonly Locator[]> => {
  const id = (await tab.getAttribute('data-session-id')) ?? '';
  const rows = page.getByRole('tree', { name: 'All sessions' }).getByRole('treeitem');
  return [tab, rows.and(page.locator(`[data-session-id="${id}"]`))];
};

/** Which process has forked that one. */
const parentOf = async (pid: number): Promise<number> =>
  Number(/^PPid:\s*(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);

test('each state of a session is a text, an icon of its own and a part of the name, at its tab and in the list', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const sh = (script: string) => ['/bin/sh', '-c', script];
  await agent.start('busy', ['/bin/sleep', '300']);
  await agent.start('line', ['/bin/cat']);
  await agent.start('password', ['/bin/bash', '-c', 'read -rsp "Password: " word']);
  await agent.start('good', sh('exit 0'));
  await agent.start('bad', sh('exit 3'));
  await agent.start('ended', ['/bin/sleep', '301']);
  await agent.request('process/terminate', { processId: 'ended' });
  await agent.start('typo', ['no-such-program']);
  await agent.start('open', sh(LEAVES_OUTPUT_OPEN), { tty: false });
  await agent.printed('open', 'told');

  // In the words that are seen, which are also the name; with the icon beside them.
  const states = [
    ['sleep', 'running', 'running', /^sleep 300, test-agent, running$/],
    ['cat', 'running', 'waits: line', /^cat, test-agent, waits: line$/],
    ['read', 'running', 'waits: password', /, test-agent, waits: password$/],
    ['exit 0', 'closed', 'exited 0', /^exit 0, test-agent, exited 0$/],
    ['exit 3', 'closed', 'exited 3', /^exit 3, test-agent, exited 3$/],
    ['sleep 301', 'closed', 'killed SIGTERM', /^sleep 301, test-agent, killed SIGTERM$/],
    ['no-such', 'failed', 'failed to start', /^no-such-program, test-agent, failed to start$/],
    ['echo told', 'exited', 'exited 0', /, test-agent, exited 0$/],
  ] as const;
  await page.keyboard.press('Control+Shift+L');
  const icons: string[] = [];
  for (const [index, [, state, words, name]] of states.entries()) {
    const tab = shellscope.tabs.nth(index);
    await expect(tab).toHaveAccessibleName(name);
    await expect(tab).toHaveAttribute('data-state', state);
    await expect(tab.getByText(words, { exact: true })).toBeVisible();
    await expect(tab.locator('svg.icon').first()).toBeVisible();
    icons.push(await iconOf(tab));
    const [, row = tab] = await placesOf(shellscope, tab);
    await expect(row).toContainText(words);
    expect(await iconOf(row)).toBe(icons.at(-1));
  }
  // Both that wait look alike; what runs, success, failure, a signal and what never ran differ from it and from one another.
  expect(icons[1]).toBe(icons[2]);
  expect(new Set([icons[0], icons[1], icons[3], icons[4], icons[5], icons[6]]).size).toBe(6);
  await expectNoViolations(shellscope);
});

test('what an agent’s session waits for is told in words and by the name, at its tab and in the list', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const bash = (script: string) => ['/bin/bash', '-c', script];
  const programs = [
    [['less', '/etc/services'], 'pager', 'less /etc/services'],
    [['vim', '-u', 'NONE', '-i', 'NONE', '-N', '/etc/services'], 'keys', 'vim -u NONE -i NONE -N /etc/services'],
    [bash('read -rsn1 key; exec sleep 301'), 'keys', 'read -rsn1 key; exec sleep 301'],
    [['python3', '-i'], 'command', 'python3 -i'],
    [['bash', '--norc', '-i'], 'command', 'bash'],
    [bash('read -rsp "Password: " word; exec sleep 302'), 'password', null],
    [['cat'], 'line', 'cat'],
    [['tee', '/dev/null'], 'input', 'tee /dev/null'],
    [['sleep', '300'], null, 'sleep 300'],
  ] as const;
  const present = programs.filter(([[program]]) => program.includes('/') || missingProgram(program) === null);
  await page.keyboard.press('Control+Shift+L');
  for (const [index, [argv, kind, title]] of present.entries()) {
    await agent.start(`p${index}`, argv, kind === 'input' ? { tty: false, pipeStdin: true } : {});
    const words = kind === null ? 'running' : `waits: ${kind}`;
    const tab = shellscope.tabs.nth(index);
    await expect(tab).toHaveAccessibleName(
      title === null ? new RegExp(`, test-agent, ${words}$`) : `${title}, test-agent, ${words}`,
    );
    for (const place of await placesOf(shellscope, tab)) {
      await expect(place).toContainText(words);
      await expect(place).toHaveAttribute('data-look', kind === null ? 'running' : 'waiting');
    }
  }
  // What has got what it waited for is busy.
  for (const [kind, answer] of [
    ['read -rsn1', 'k'],
    ['Password', 'word\r'],
  ] as const) {
    const index = present.findIndex(([argv]) => argv.at(-1)?.includes(kind));
    await agent.write(`p${index}`, answer, 'answer');
    await expect(shellscope.tabs.nth(index)).toHaveAccessibleName(/, test-agent, running$/);
  }
  await expectNoViolations(shellscope);
});

test('an end that nobody could know is called so, by text, icon and name, also after a restart', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  await agent.start('blind', ['/bin/sh', '-c', 'read -r go; exit 3']);
  await agent.start('known', ['/bin/sh', '-c', 'exit 3']);
  await agent.closedProcess('known');
  const blind = shellscope.tabs.first();
  await blind.click();
  await expect(blind).toHaveAccessibleName(/waits: line$/);
  // Only who has forked a process is told how it ended: without that one nobody is.
  const pid = Number((await page.getByText(/^pid \d+$/).textContent())?.slice('pid '.length));
  const forkServer = await parentOf(pid);
  expect(await parentOf(forkServer)).toBe(shellscope.app.process().pid);
  process.kill(forkServer, 'SIGKILL');
  await agent.write('blind', 'go\r', 'w1');

  const expectUnknown = async (shown: Shellscope): Promise<void> => {
    const tab = shown.tab(/^read -r go; exit 3, test-agent, exit unknown$/);
    await expect(tab).toHaveAttribute('data-state', 'closed');
    await expect(tab).not.toHaveAttribute('data-exit-code');
    await expect(tab).not.toHaveAttribute('data-exit-signal');
    await tab.click();
    const line = shown.page.locator('[role=tabpanel]:not([hidden]) .exit-line');
    await expect(line.getByRole('status')).toHaveText(/^exited, code unknown after [\d.]+ m?s$/);
    for (const place of await placesOf(shown, tab)) {
      await expect(place).toContainText('exit unknown');
      await expect(place).toHaveAttribute('data-look', 'unknown');
      expect(await iconOf(place)).not.toBe(await iconOf(shown.tab(/exited 3$/)));
    }
    await expectNoViolations(shown);
    if (PICTURES !== undefined) {
      await shown.page.screenshot({ path: join(PICTURES, `exit-unknown-${shown === shellscope}.png`) });
    }
  };
  await page.keyboard.press('Control+Shift+L');
  await expectUnknown(shellscope);
  // It can be run again: what is started from now on is forked by another.
  await page.getByRole('button', { name: 'Run again' }).click();
  await expect(shellscope.tab(/^read -r go; exit 3, you, waits: line$/)).toHaveCount(1);
  agent.drop();
  await shellscope.app.close();

  const again = await startAgain(stateFolder);
  await expectUnknown(again);
  await again.app.close();
});

test('a pane says how its session ended, when and by whom, and what of it still holds on', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const line = page.locator('[role=tabpanel]:not([hidden]) .exit-line');
  await agent.start('bad', ['/bin/sh', '-c', 'exit 3']);
  await agent.closedProcess('bad');
  await shellscope.tab(/exited 3/).click();
  await expect(line.getByRole('status')).toHaveText(
    /^exited with code 3 after \d+ ms$|^exited with code 3 after [\d.]+ s$/,
  );
  await expect(line.locator('time')).toHaveText(/\d+:\d\d:\d\d/);

  await agent.start('ended', ['/bin/sleep', '301']);
  await agent.request('process/terminate', { processId: 'ended' });
  await shellscope.tab(/SIGTERM/).click();
  await expect(line.getByRole('status')).toHaveText(/^killed by SIGTERM by test-agent after /);

  await agent.start('open', ['/bin/sh', '-c', LEAVES_OUTPUT_OPEN], { tty: false });
  await agent.printed('open', 'told');
  const open = shellscope.tab(/echo told/);
  await open.click();
  await expect(line.getByRole('status')).toHaveText(
    /^exited with code 0 after .*; something it started still holds its output open$/,
  );
  await expectNoViolations(shellscope);
  await line.getByRole('button', { name: 'Show what runs' }).click();
  const panel = page.getByRole('dialog', { name: 'Survivors' });
  await panel.getByRole('button', { name: /^Stop all that is left of/ }).press('Enter');
  await expect(open).toHaveAttribute('data-state', 'closed');
  await expect(line.getByRole('status')).toHaveText(/^exited with code 0 after [\d.]+ m?s$/);
});

test('a failure is marked until somebody has looked at it, whatever else happens meanwhile', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await shellscope.openShell();
  await agent.start('bad', ['/bin/sh', '-c', 'exit 3']);
  await agent.closedProcess('bad');
  const failed = shellscope.tab(/exited 3/);
  const mark = page.getByRole('button', { name: '1 failed' });
  await expect(failed).toHaveAccessibleDescription('Not looked at yet');
  await expect(mark).toBeVisible();
  // Neither a new session, nor success, nor the list of all tabs is a look at it.
  await agent.start('good', ['/bin/sh', '-c', 'exit 0']);
  await agent.closedProcess('good');
  await expect(shellscope.tab(/exited 0/)).not.toHaveAccessibleDescription('Not looked at yet');
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Control+Alt+Shift+T');
  await page.keyboard.press('Escape');
  await shellscope.openShell();
  await expect(failed).toHaveAccessibleDescription('Not looked at yet');
  await mark.click();
  await expect(failed).toHaveAttribute('aria-selected', 'true');
  await expect(failed).not.toHaveAccessibleDescription('Not looked at yet');
  await expect(mark).toHaveCount(0);
});

test('closing what runs asks first, says what would be lost, and each answer does what it says', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/sh', '-c', 'yes a line of output | head -c 30000; exec sleep 300']);
  const tab = shellscope.tabs.first();
  await tab.click();
  await expect(page.getByText(/\d\d\.\d kB out/)).toBeVisible();
  const question = page.getByRole('alertdialog');
  const ask = () => page.keyboard.press('Control+Shift+W');
  await ask();
  await expect(question).toHaveAccessibleName(
    /is still running for test-agent, since .*\. Ending it stops everything it started; closing also discards its \d\d\.\d kB of output\./,
  );
  await expect(question.getByRole('button', { name: 'Keep it running' })).toBeFocused();
  await expectNoViolations(shellscope);
  // Between both panels of a small window it has all its answers.
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Control+Shift+Y');
  await shellscope.setContentSize(760, 600);
  await expect.poll(() => page.evaluate(() => innerWidth)).toBe(760);
  for (const answer of ['Keep it running', 'End it, keep the output', 'End and close']) {
    await expect(question.getByRole('button', { name: answer })).toBeInViewport({ ratio: 1 });
  }
  await shellscope.setContentSize(1280, 800);
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Control+Shift+Y');
  await question.getByRole('button', { name: 'Keep it running' }).press('Escape');
  await expect(question).toHaveCount(0);
  await expect(tab).toHaveAttribute('data-state', 'running');

  await ask();
  await question.getByRole('button', { name: 'End it, keep the output' }).press('Enter');
  await expect(tab).toHaveAttribute('data-state', 'closed');
  await expect(page.getByText(/by you after/)).toBeVisible();
  await shellscope.expectScreen(tab, 'a line of output');
  // What has ended is closed without a question.
  await ask();
  await expect(shellscope.tabs).toHaveCount(0);

  await agent.start('again', ['/bin/sleep', '300']);
  await shellscope.tabs.first().click();
  await ask();
  await question.getByRole('button', { name: 'End and close' }).press('Enter');
  await expect(shellscope.tabs).toHaveCount(0);
  expect((await agent.closedProcess('again')).exitCode).not.toBe(0);
});
