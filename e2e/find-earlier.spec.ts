import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator } from '@playwright/test';
import { expect, launch, Shellscope, test } from './fixtures.ts';

const LINES = 200_000;

/** Far more lines than a pane has, with a word at the begin, in colour, and one at the end. */
const PRINTS_MUCH = `printf 'the \\033[32mnee\\033[0mdle at the begin\\n'; seq ${LINES}; echo the Needle at the end`;

const violations = async ({ page }: Shellscope): Promise<readonly string[]> =>
  (await new AxeBuilder({ page }).setLegacyMode(true).analyze()).violations.map(
    ({ id, nodes }) => `${id}: ${nodes[0]?.html}`,
  );

/** The find and what it shows over the pane. */
function finding({ page }: Shellscope) {
  const bar = page.getByRole('search', { name: 'Find in this pane' });
  const earlier = page.getByRole('region', { name: 'Earlier output' });
  return {
    bar,
    status: bar.getByRole('status'),
    box: bar.getByRole('searchbox'),
    earlier,
    rows: earlier.locator('.xterm-rows'),
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
    expect(await violations(shellscope)).toEqual([]);
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
