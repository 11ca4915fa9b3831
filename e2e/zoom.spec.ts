import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { brokenRules } from './broken-rules.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

/** For a look at the pictures: a folder that they are put into. */
const PICTURES = process.env['SHELLSCOPE_PICTURES'];

async function picture({ page }: Shellscope, name: string): Promise<void> {
  if (PICTURES !== undefined) {
    await page.screenshot({ path: `${PICTURES}/zoom-${name}.png` });
  }
}

/** Each of them can be hit with the mouse, when it is scrolled to. */
async function expectReached(controls: Locator): Promise<void> {
  await expect(controls).not.toHaveCount(0);
  for (const control of await controls.all()) {
    await control.click({ trial: true });
  }
}

const region = (page: Page, name: string): Locator => page.getByRole('complementary', { name });

for (const [zoom, rows] of [
  [50, [60, 80]],
  [150, [14, 22]],
  [200, [8, 16]],
  [300, [2, 9]],
] as const) {
  test(`at ${zoom} % in a small window nothing is out of reach, and a shell has the size of its pane`, async ({
    shellscope,
    agent,
    stateFolder,
  }) => {
    const { page } = shellscope;
    const settings = (more: object): Promise<void> =>
      writeFile(join(stateFolder, 'settings.json'), JSON.stringify({ appearance: { zoom }, ...more }), { mode: 0o600 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await shellscope.setContentSize(900, 600);
    await agent.start('job', ['/bin/sh', '-c', 'echo up; exec cat']);
    const shell = await shellscope.openShell();
    await settings({});
    await expect.poll(() => page.evaluate(() => window.innerWidth)).toBeCloseTo(90_000 / zoom, -1);
    await shellscope.type(`clear; trap 'clear; stty size' WINCH; clear; stty size\n`);
    await shellscope.expectScreen(shell, /^\d+ \d+/);
    const size = async (): Promise<readonly number[]> =>
      ((await shellscope.screenText(shell)) ?? '').split(/\s/, 2).map(Number);
    await expect.poll(async () => (await size())[0] ?? 0).toBeGreaterThanOrEqual(rows[0]);
    await expect.poll(async () => (await size())[0] ?? 0).toBeLessThanOrEqual(rows[1]);
    const screen = await page.locator('.xterm-screen').last().boundingBox();
    expect((screen?.x ?? 0) + (screen?.width ?? Infinity)).toBeLessThanOrEqual(90_000 / zoom + 1);
    await picture(shellscope, `${zoom}-shell`);

    await page.keyboard.press('Control+Shift+L');
    await page.keyboard.press('Control+Shift+Y');
    await picture(shellscope, `${zoom}-panels`);
    await expectReached(region(page, 'Timeline').getByRole('button'));
    await region(page, 'Session list').getByRole('searchbox').focus();
    await picture(shellscope, `${zoom}-list`);
    await expectReached(region(page, 'Session list').getByRole('button', { disabled: false }));
    await expectReached(region(page, 'Session list').getByRole('searchbox'));

    // An agent's question is whole over what is open, by scrolling.
    await page.keyboard.press('Escape');
    await settings({ approvals: { mode: 'ask-unless-known-safe' } });
    const asked = agent.start('push', ['/bin/sh', '-c', 'rm -rf dist && git push --force origin main']);
    const question = page.getByRole('article');
    await expect(question).toBeVisible();
    await picture(shellscope, `${zoom}-question`);
    await expectReached(question.getByRole('button'));
    expect(await brokenRules(page)).toEqual([]);
    await question.getByRole('button', { name: 'Refuse', exact: true }).click();
    await asked;

    for (const [keys, name] of [
      ['Control+,', 'Settings'],
      ['Control+Shift+J', 'Keyboard shortcuts'],
      ['Control+Alt+Shift+I', 'Session details'],
      ['Control+Alt+Shift+A', 'Allowed Commands'],
    ] as const) {
      await page.keyboard.press(keys);
      const dialog = page.getByRole('dialog', { name });
      await expect(dialog).toBeVisible();
      await picture(shellscope, `${zoom}-${name.toLowerCase().replaceAll(' ', '-')}`);
      await expectReached(dialog.getByRole('button', { name: /^Close/ }));
      await dialog.getByRole('button', { name: /^Close/ }).click();
      await expect(dialog).toHaveCount(0);
    }
    await expectReached(page.getByRole('tab', { selected: true }));
  });
}

test('where there is little room the name of the tab in view and the words of the timeline have it', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  const widthOf = (place: Locator): Promise<number> =>
    place.evaluate((element) => element.getBoundingClientRect().width);
  await shellscope.setContentSize(900, 600);
  for (const target of ['web', 'api', 'cli']) {
    await agent.start(target, ['/bin/sh', '-c', `echo npm run build -- --target=${target}; exec cat`]);
  }
  await expect(shellscope.tabs).toHaveCount(3);
  await shellscope.tab(/target=api/).click();
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Control+Shift+Y');
  await picture(shellscope, 'both-panels');
  expect(await widthOf(region(page, 'Timeline').locator('.timeline-words').first())).toBeGreaterThan(200);
  const panes = await widthOf(page.getByRole('tabpanel').first());
  expect(panes).toBeGreaterThanOrEqual(450);
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Control+Shift+Y');

  await writeFile(join(stateFolder, 'settings.json'), JSON.stringify({ appearance: { zoom: 300 } }), { mode: 0o600 });
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBeCloseTo(300, -1);
  const selected = page.getByRole('tab', { selected: true });
  await picture(shellscope, '300-long-name');
  expect(await widthOf(selected.locator('.tab-title'))).toBeGreaterThan(120);
  const scroller = await page.locator('.strip-scroller').boundingBox();
  const tab = await selected.locator('.tab-title').boundingBox();
  expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThanOrEqual((scroller?.x ?? 0) + (scroller?.width ?? 0) + 1);
  await page.getByRole('button', { name: 'All tabs' }).click({ trial: true });
});

/** The keyboard is in a panel beside the panes, and nothing stands over it there. */
const isInPanelInSight = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const focused = document.activeElement;
    if (focused === null || focused.closest('.side-panel') === null) {
      return false;
    }
    const { x, y, width, height } = focused.getBoundingClientRect();
    return focused.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });

test('in a small window a panel beside the panes is in sight when it has the keyboard, and has it when opened', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  const settings = (more: object): Promise<void> =>
    writeFile(join(stateFolder, 'settings.json'), JSON.stringify(more), { mode: 0o600 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await shellscope.setContentSize(900, 600);
  await agent.start('job', ['/bin/sh', '-c', 'echo up; exec cat']);
  await shellscope.openShell();
  await settings({ appearance: { zoom: 150 }, approvals: { mode: 'ask-unless-known-safe' } });
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBeCloseTo(600, -1);
  await page.keyboard.press('Control+Shift+Y');
  const timeline = region(page, 'Timeline');
  await expect(timeline).toBeVisible();
  await page.getByRole('button', { name: 'Connect an agent' }).click();
  const connect = page.getByRole('dialog', { name: 'Connect an agent' });
  await expect(connect).toBeFocused();
  await connect.getByRole('button', { name: /^Close/ }).click({ trial: true });
  // To the panel over the right side, where both stand.
  for (let presses = 0; presses < 8 && !(await timeline.locator(':focus').count()); presses++) {
    await page.keyboard.press('F6');
  }
  expect(await isInPanelInSight(page)).toBe(true);
  await picture(shellscope, 'timeline-over-connect');
  await connect.getByRole('button', { name: /^Close/ }).focus();
  await page.keyboard.press('Enter');
  await expect(connect).toHaveCount(0);

  // A question that stands when a panel is opened.
  await timeline.getByRole('button', { name: 'Close timeline' }).click();
  const asked = agent.start('push', ['/bin/sh', '-c', 'rm -rf dist && git push --force origin main']);
  const question = page.getByRole('article');
  await expect(question).toBeVisible();
  await page.keyboard.press('Control+Shift+Y');
  await expect.poll(() => isInPanelInSight(page)).toBe(true);
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Refuse', exact: true }).click({ trial: true });
  await page.getByRole('button', { name: 'Sessions', exact: true }).click();
  await expect.poll(() => isInPanelInSight(page)).toBe(true);
  await picture(shellscope, 'list-over-question');
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Refuse', exact: true }).click();
  await asked;
});

test('one press of its key or button brings a panel beneath a question forward, and the next closes it', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await shellscope.setContentSize(900, 600);
  await agent.start('job', ['/bin/sh', '-c', 'echo up; exec cat']);
  const shell = await shellscope.openShell();
  // What is asked keeps away from the cursor, which is at the bottom now.
  await shellscope.type('clear; seq 100\n');
  await shellscope.expectScreen(shell, /100\n\$$/);
  await writeFile(
    join(stateFolder, 'settings.json'),
    JSON.stringify({ appearance: { zoom: 150 }, approvals: { mode: 'ask-unless-known-safe' } }),
    { mode: 0o600 },
  );
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBeCloseTo(600, -1);
  const asked = agent.start('push', ['/bin/sh', '-c', 'rm -rf dist && git push --force origin main']);
  const refuse = page.getByRole('article').getByRole('button', { name: 'Refuse', exact: true });
  await expect(refuse).toBeVisible();

  const sides = [
    ['Control+Shift+L', region(page, 'Session list')],
    ['Control+Shift+Y', region(page, 'Timeline')],
  ] as const;
  const dialogs = [
    ['Control+,', 'Settings'],
    ['Control+Shift+J', 'Keyboard shortcuts'],
    ['Control+Shift+K', 'Connect an agent'],
    ['Control+Shift+O', 'Survivors'],
    ['Control+Alt+Shift+A', 'Allowed commands'],
    ['Control+Alt+Shift+E', 'Environment'],
  ] as const;
  const over = dialogs.map(([key, name]) => [key, page.getByRole('dialog', { name })] as const);
  for (const [key, panel] of [...sides, ...over]) {
    const close = panel.getByRole('button', { name: /^Close/ }).first();
    await page.keyboard.press(key);
    await expect(panel.locator(':focus').or(panel.and(page.locator(':focus')))).toHaveCount(1);
    await close.click({ trial: true });
    await page.keyboard.press('Control+Shift+Q');
    await expect(refuse).toBeFocused();
    await refuse.click({ trial: true });
    await page.keyboard.press(key);
    await expect(panel.locator(':focus')).toHaveCount(1);
    await close.click({ trial: true });
    await picture(shellscope, `forward-${key}`);
    await page.keyboard.press(key);
    await expect(panel).toHaveCount(0);
  }

  for (const [name, panel] of [
    ['Timeline', region(page, 'Timeline')],
    ['Connect an agent', page.getByRole('dialog', { name: 'Connect an agent' })],
    ['Settings', page.getByRole('dialog', { name: 'Settings' })],
  ] as const) {
    const button = page.getByRole('button', { name, exact: true });
    await button.click();
    await expect(panel).toBeVisible();
    await page.keyboard.press('Control+Shift+Q');
    await expect(refuse).toBeFocused();
    await button.click();
    await expect(panel.locator(':focus')).toHaveCount(1);
    await button.click();
    await expect(panel).toHaveCount(0);
  }
  await page.keyboard.press('Control+Shift+Q');
  await refuse.click();
  await asked;
});

test('at 300 % the Connect panel, whose button has no room, leaves the keyboard to the pane', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  await shellscope.setContentSize(900, 600);
  const shell = await shellscope.openShell();
  await writeFile(join(stateFolder, 'settings.json'), JSON.stringify({ appearance: { zoom: 300 } }), { mode: 0o600 });
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBeCloseTo(300, -1);
  const connect = page.getByRole('dialog', { name: 'Connect an agent' });
  for (const close of ['Escape', 'Enter']) {
    await page.keyboard.press('Control+Shift+K');
    await expect(connect).toBeFocused();
    if (close === 'Enter') {
      await connect.getByRole('button', { name: /^Close/ }).focus();
    }
    await page.keyboard.press(close);
    await expect(connect).toHaveCount(0);
    await expect(page.locator('.xterm-helper-textarea:focus')).toHaveCount(1);
  }
  await shellscope.type('clear; echo ty""ped\n');
  await shellscope.expectScreen(shell, /typed/);
});
