import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { brokenRules } from './broken-rules.ts';
import { expect, launch, Shellscope, test } from './fixtures.ts';
import { holdBack } from './held-panes.ts';

const LINES = 200_000;

/** Far more lines than a pane has, with a word at the begin, in colour, and one at the end. */
const PRINTS_MUCH = `printf 'the \\033[32mnee\\033[0mdle at the begin\\n'; seq ${LINES}; echo the Needle at the end`;

/** The find and what it shows over the pane. */
function finding({ page }: Shellscope) {
  const bar = page.getByRole('search', { name: 'Find in this pane' });
  const earlier = page.getByRole('region', { name: 'Earlier output' });
  return {
    bar,
    status: bar.getByRole('status'),
    box: bar.getByRole('searchbox'),
    earlier,
    // Not those of the picture that stands over them while they are drawn anew.
    rows: earlier.locator('.xterm-scrollable-element > .xterm-screen .xterm-rows'),
  };
}

/** A shell that has printed it; what was typed for it does not say what. */
async function printed(shellscope: Shellscope, stateFolder: string): Promise<Locator> {
  await writeFile(join(stateFolder, 'much.sh'), PRINTS_MUCH);
  const tab = await shellscope.openShell();
  await shellscope.type('clear; . ~/much.sh\n');
  await shellscope.expectScreen(tab, /the Needle at the end\n\$$/);
  return tab;
}

test('what has left the pane is found, opens at its place, and Escape leads back, by keyboard alone', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const tab = await printed(shellscope, stateFolder);
  const { bar, status, box, earlier, rows } = finding(shellscope);
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('needle');
  await expect(status).toHaveText('1 of 1 · 1 earlier');
  await page.keyboard.press('Enter');
  await expect(status).toHaveText('earlier: 1 of 1');
  await expect(earlier.locator('header > p')).toContainText(/^Earlier output, .+ · 1\.\d MB before now/);
  await expect(rows).toContainText('the needle at the begin');
  await expect(earlier.locator('.xterm-selection > div')).not.toHaveCount(0);
  for (const media of [
    { colorScheme: 'light' },
    { colorScheme: 'dark' },
    { colorScheme: 'dark', contrast: 'more' },
  ] as const) {
    await page.emulateMedia(media);
    expect(await brokenRules(shellscope.page)).toEqual([]);
  }
  // Nothing older; newer goes back to the pane.
  await page.keyboard.press('Enter');
  await expect(status).toHaveText('earlier: 1 of 1');
  await page.keyboard.press('Shift+Enter');
  await expect(earlier).toHaveCount(0);
  await expect(status).toHaveText('1 of 1 · 1 earlier');
  await page.keyboard.press('Enter');
  await expect(rows).toContainText('the needle at the begin');

  // What is typed into what was shown then reaches nobody.
  await page.keyboard.press('Shift+Tab');
  await expect(earlier.getByRole('textbox', { name: 'Earlier output' })).toBeFocused();
  await page.keyboard.press('F6');
  await expect(box).toBeFocused();
  await page.keyboard.press('Shift+F6');
  await expect(earlier.getByRole('textbox', { name: 'Earlier output' })).toBeFocused();
  await page.keyboard.type('echo typed\n');
  await page.keyboard.press('PageDown');
  await page.keyboard.press('Escape');
  await expect(earlier).toHaveCount(0);
  await expect(box).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(bar).toHaveCount(0);
  await shellscope.type('echo typed again\n');
  await shellscope.expectScreen(tab, /end\n\$ echo typed again\ntyped again\n\$$/);
});

test('case and whole words count for both, by button and by key', async ({ shellscope, stateFolder }) => {
  const { page } = shellscope;
  await printed(shellscope, stateFolder);
  const { bar, status } = finding(shellscope);
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('needle');
  await expect(status).toHaveText('1 of 1 · 1 earlier');
  await page.keyboard.press('Alt+c');
  await expect(bar.getByRole('button', { name: 'Match case' })).toHaveAttribute('aria-pressed', 'true');
  await expect(status).toHaveText('1 earlier');
  await bar.getByRole('button', { name: 'Match case' }).click();
  await bar.getByRole('searchbox').fill('need');
  await expect(status).toHaveText('1 of 1 · 1 earlier');
  await page.keyboard.press('Alt+w');
  await expect(bar.getByRole('button', { name: 'Whole word' })).toHaveAttribute('aria-pressed', 'true');
  await expect(status).toHaveText('no match');
});

test('steps through hits far apart, earlier and later, at the size they were made for', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/sh', '-c', `seq 100000; echo done; exec cat`], { tty: true });
  const tab = shellscope.tab(/test-agent/);
  await tab.click();
  await shellscope.expectScreen(tab, /done$/);
  const { status, earlier, rows } = finding(shellscope);
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('7777');
  await expect(status).toHaveText('1 of 1 · 18 earlier');
  await page.keyboard.press('Enter');
  await expect(rows).toContainText('87777');
  await expect(status).toHaveText('earlier: 1 of 18');
  // In the middle, though the pane has more rows than the terminal that it was made for.
  const fromMiddle = async (): Promise<number> => {
    const [mark, all] = [await earlier.locator('.match-mark.current').boundingBox(), await rows.boundingBox()];
    return mark === null || all === null ? Infinity : Math.abs(mark.y + mark.height / 2 - all.y - all.height / 2);
  };
  await expect.poll(fromMiddle).toBeLessThan(40);
  for (let step = 1; step < 18; step += 1) {
    await page.keyboard.press('Enter');
    await expect(status).toHaveText(`earlier: ${step + 1} of 18`);
  }
  await expect(rows).toContainText('7777');
  await expect(rows).toContainText('7773');
  await earlier.getByRole('button', { name: 'Earlier', exact: true }).click();
  await expect(rows).toContainText('6776');
  await earlier.getByRole('button', { name: 'Later', exact: true }).click();
  await earlier.getByRole('button', { name: 'Back to now' }).click();
  await expect(earlier).toHaveCount(0);
});

test('what a program drew over its screen is shown as the screen was then', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  const draws = [
    `printf '\\033[?1049h\\033[2J\\033[3;10Hthe needle, drawn\\033[5;1Hand more'`,
    `printf '\\033[3;10Hdrawn over, all of it\\033[?1049l'`,
    'seq 20000; echo done; exec cat',
  ];
  await agent.start('job', ['/bin/sh', '-c', draws.join('; ')], { tty: true });
  const tab = shellscope.tab(/test-agent/);
  await tab.click();
  await shellscope.expectScreen(tab, /done$/);
  const { status, rows, earlier } = finding(shellscope);
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('needle, drawn');
  await expect(status).toHaveText('1 earlier');
  await page.keyboard.press('Enter');
  await expect(rows).toContainText('the needle, drawn');
  await expect(rows).not.toContainText('drawn over');
  await expect(earlier.locator('.xterm-selection > div')).not.toHaveCount(0);
});

test('a flood goes on in the pane beneath, and the search comes to its end', async ({ shellscope, stateFolder }) => {
  const { page } = shellscope;
  await writeFile(
    join(stateFolder, 'flood.sh'),
    'echo a needle in the hay; echo no needle in it; yes hay | head -c 20000000; echo the last',
  );
  const tab = await shellscope.openShell();
  await shellscope.type('. ~/flood.sh\n');
  await shellscope.expectScreen(tab, /hay/);
  const { status, rows, earlier } = finding(shellscope);
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('needle in');
  await expect(status).toHaveText('2 earlier', { timeout: 15_000 });
  await page.keyboard.press('Enter');
  await expect(rows).toContainText('no needle in it');
  await expect.poll(() => shellscope.screenText(tab), { timeout: 20_000 }).toMatch(/the last\n\$$/);
  await expect(status).toHaveText('earlier: 1 of 2');
  await expect(earlier).toBeVisible();
});

test('the timeline goes to what has left the pane', async ({ shellscope, stateFolder }) => {
  const { page } = shellscope;
  await printed(shellscope, stateFolder);
  const { earlier, rows } = finding(shellscope);
  await page.keyboard.press('Control+Shift+Y');
  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  await timeline.getByRole('button').filter({ hasText: 'you ran' }).click();
  await expect(rows).toContainText('the needle at the begin');
  await page.keyboard.press('Control+Alt+Shift+B');
  await expect(earlier).toHaveCount(0);
});

test('a session of the run before is searched in everything that is kept of it', async ({
  stateFolder,
  shellscope,
}) => {
  await printed(shellscope, stateFolder);
  await shellscope.app.close();
  const app = await launch(stateFolder);
  try {
    const again = await Shellscope.drawn(app, await app.firstWindow());
    const tab = again.tab(/bash/).first();
    await tab.click();
    // A person looks for something else than what the pane shows.
    await again.expectScreen(tab, /the Needle at the end\n\$/);
    const { status, rows, earlier } = finding(again);
    await again.page.keyboard.press('Control+Shift+G');
    await again.page.keyboard.type('the needle');
    await expect(status).toHaveText(/1 earlier$/);
    await again.page.keyboard.press('Enter');
    await expect(rows).toContainText('the needle at the begin');
    await earlier.getByRole('button', { name: 'Back to the end' }).click();
    await expect(earlier).toHaveCount(0);
  } finally {
    await app.close();
  }
});

/** The number in the first row that is seen: of the picture over a terminal that is drawn anew, else of the terminal. */
const firstNumber = ({ page }: Shellscope): Promise<number> =>
  page
    .locator('.earlier-output .xterm-rows')
    .first()
    .evaluate((rows) => Number(rows.firstElementChild?.textContent));

test('earlier output is loaded on as it is scrolled through, by wheel and by keys, and nothing jumps', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  await printed(shellscope, stateFolder);
  const { status, earlier, rows } = finding(shellscope);
  const news = page.getByRole('tabpanel').locator('p[aria-live=polite]');
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('100000');
  await expect(status).toHaveText('1 earlier');
  await page.keyboard.press('Enter');
  await expect(rows).toContainText('100000');
  await expect(earlier.locator('[data-shown]')).toHaveCount(1);
  await page.keyboard.press('Shift+Tab');
  await expect(earlier.getByRole('textbox')).toBeFocused();

  // Each page begins with the last line of the one before, through a load in either direction.
  const height = await rows.locator('> div').count();
  const begin = await firstNumber(shellscope);
  const pages = (lines: number): number => Math.ceil(lines / height);
  for (const [key, step, turns] of [
    ['PageUp', 1 - height, pages(1_400)],
    ['PageDown', height - 1, pages(1_400) + pages(700)],
    ['PageUp', 1 - height, pages(700)],
  ] as const) {
    for (let turn = 0; turn < turns; turn += 1) {
      const first = await firstNumber(shellscope);
      await page.keyboard.press(key);
      await expect.poll(() => firstNumber(shellscope), { intervals: [10, 30, 100] }).toBe(first + step);
    }
    await expect(news).toHaveText(/^More (before|after) it: Earlier output, /);
  }
  expect(await firstNumber(shellscope)).toBe(begin);
  // What was found is marked again where it is drawn again, and what is drawn stays a few rows.
  await expect(rows).toContainText('100000');
  await expect(earlier.locator('.match-mark.current')).toHaveCount(1);
  expect(await page.locator('.earlier-output *').count()).toBeLessThan(20 * height);

  // Home goes to the first line that is loaded, again and again.
  const before = await firstNumber(shellscope);
  await expect
    .poll(async () => {
      await page.keyboard.press('Home');
      return firstNumber(shellscope);
    })
    .toBeLessThan(before - 1_500);

  // The wheel, three lines a turn, past the begin of what is loaded by then.
  const { x, y } = (await rows.boundingBox()) ?? { x: 0, y: 0 };
  await page.mouse.move(x + 100, y + 100);
  const top = await firstNumber(shellscope);
  for (let turn = 0; turn < 1_000 / height - 4; turn += 1) {
    await page.keyboard.press('PageUp');
  }
  for (let turn = 0; turn < 120; turn += 1) {
    await page.mouse.wheel(0, -100);
  }
  await expect.poll(() => firstNumber(shellscope)).toBeLessThan(top - 1_050);
});

test('says where earlier output begins, when the person goes on there', async ({ shellscope, stateFolder }) => {
  const { page } = shellscope;
  await printed(shellscope, stateFolder);
  const { status, earlier, rows } = finding(shellscope);
  const news = page.getByRole('tabpanel').locator('p[aria-live=polite]');
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('the needle at');
  await page.keyboard.press('Enter');
  await expect(status).toHaveText(/^earlier: 1 of \d/);
  await expect(rows).toContainText('the needle at the begin');
  await page.keyboard.press('Shift+Tab');
  await expect(earlier.getByRole('textbox')).toBeFocused();
  await expect(news).toHaveText(/^Earlier output, /);
  await page.keyboard.press('PageUp');
  await expect(news).toHaveText('This is the oldest output that is kept');
  await expect(earlier.getByRole('button', { name: 'Earlier', exact: true })).toBeDisabled();
});

test('all matches in view are marked, the shown one otherwise, and Enter goes on from inside the view', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const tab = await printed(shellscope, stateFolder);
  const { bar, box, status, earlier, rows } = finding(shellscope);
  const marks = earlier.locator('.match-mark:not(.current)');
  const current = earlier.locator('.match-mark.current');
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('1234');
  await expect(status).toHaveText(/^1[34]\d earlier$/);
  await page.keyboard.press('Enter');
  await expect(status).toHaveText(/^earlier: 1 of 1[34]\d$/);
  await expect(rows).toContainText('191234');
  await expect(current).toHaveCount(1);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('F3');
  await expect(earlier).toHaveCount(0);
  await expect(box).toBeFocused();
  for (let step = 0; step < 30; step += 1) {
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Shift+F3');
  await expect(status).toHaveText(/^earlier: 32 of 1[34]\d$/);
  await page.keyboard.press('Shift+Enter');
  await expect(status).toHaveText(/^earlier: 31 of 1[34]\d$/);
  await expect(rows).toContainText('123476');
  await expect(current).toHaveCount(1);
  await expect.poll(() => marks.count()).toBeGreaterThan(3);
  const outline = await current.evaluate((element) => getComputedStyle(element).outlineStyle);
  expect(outline).toBe('solid');
  // They go with the find; what is shown stays.
  await bar.getByRole('button', { name: 'Close find' }).click();
  await expect(marks).toHaveCount(0);
  await expect(current).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(earlier).toHaveCount(0);
  await shellscope.expectScreen(tab, /end\n\$$/);
});

test('what is looked for while the pane is still drawing is counted and shown when it has drawn, without a key', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await shellscope.openShell();
  // More than a pane is sent before it tells what it has parsed, in less lines than it keeps.
  const prints = `echo a needle; yes ${'hay '.repeat(15)} | head -4000; echo the last needle; exec cat`;
  await agent.start('job', ['/bin/sh', '-c', prints], { tty: true });
  await agent.printed('job', 'the last needle');
  const tab = shellscope.tab(/test-agent/);
  await holdBack(shellscope, true);
  await tab.click();
  await shellscope.expectScreen(tab, /a needle\nhay/);
  const { status } = finding(shellscope);
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('needle');
  await expect(status).toHaveText('1 of 1');
  await holdBack(shellscope, false);
  await shellscope.expectScreen(tab, /the last needle$/);
  await expect(status).toHaveText('2 of 2');
  await expect(page.getByRole('tabpanel').locator('.xterm-selection > div')).not.toHaveCount(0);
});
