import { readFile, stat } from 'node:fs/promises';
import { brokenRules } from './broken-rules.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

/** What the desktop was to open. */
interface RecordOfTests {
  readonly openedFiles: string[];
}

async function recordOpened(shellscope: Shellscope): Promise<void> {
  await shellscope.inApp(({ shell }) => {
    const openedFiles: string[] = [];
    Object.assign(globalThis, { openedFiles });
    shell.openPath = (file) => {
      openedFiles.push(file);
      return Promise.resolve('');
    };
  }, null);
}

const openedFiles = (shellscope: Shellscope): Promise<readonly string[]> =>
  shellscope.inApp(() => (globalThis as unknown as RecordOfTests).openedFiles, null);

/** For a look at the pictures: a folder that they are put into. */
const PICTURES = process.env['SHELLSCOPE_PICTURES'];

/** Bytes of what `seq` prints up to it, without the terminal's carriage returns: far more than a pane takes in time. */
const LAST = 4_000_000;

test('a pane that left output out says how much, and leads to all of it, by the keyboard and in the menu', async ({
  shellscope,
}) => {
  test.setTimeout(120_000);
  const { page } = shellscope;
  await recordOpened(shellscope);
  const tab = await shellscope.openShell();
  await shellscope.type(`clear; printf '\\033[31m'; seq 1 ${LAST}; printf '\\033[m'; echo al""l told\n`);
  await expect.poll(() => shellscope.screenText(tab), { timeout: 60_000 }).toMatch(/\nall told\n\$ ?$/);
  const note = page.getByRole('tabpanel').getByRole('status').filter({ hasText: 'not shown here' });
  await expect(note).toHaveText(/^\d+\.\d MB not shown here$/);
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    expect(await brokenRules(page)).toEqual([]);
    if (PICTURES !== undefined) {
      await page.screenshot({ path: `${PICTURES}/skipped-${scheme}.png` });
    }
  }

  await page.getByRole('button', { name: 'Show it' }).press('Enter');
  const earlier = page.getByRole('region', { name: 'Earlier output' });
  await expect(earlier.locator('.xterm-rows')).toContainText(/\d{4}/);
  await expect(earlier.getByRole('textbox')).toBeFocused();
  await page.keyboard.press('Control+Alt+Shift+B');
  await expect(earlier).toHaveCount(0);

  await page.getByRole('button', { name: 'Open full output' }).press('Enter');
  await expect.poll(() => openedFiles(shellscope)).toHaveLength(1);
  const [file = ''] = await openedFiles(shellscope);
  const lines = (await readFile(file, 'utf8')).split('\n');
  const first = lines.indexOf('1');
  expect(first).toBeGreaterThan(-1);
  // Each line, in order, and nothing between: no escape sequence, no gap.
  expect(lines.slice(first, first + LAST).findIndex((line, at) => line !== String(at + 1))).toBe(-1);
  expect(lines[first + LAST]).toBe('all told');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await expect(note).toHaveCount(0);

  // The keyboard is in the terminal again; its key opens it anew, with what came since.
  await shellscope.type('echo and th""en\n');
  await shellscope.expectScreen(tab, /\nand then\n/);
  await page.keyboard.press('Control+Alt+Shift+O');
  await expect.poll(() => openedFiles(shellscope)).toEqual([file, file]);
  expect(await readFile(file, 'utf8')).toContain('\nand then\n');

  // It goes with the app.
  await shellscope.app.close();
  await expect(stat(file)).rejects.toThrow('ENOENT');
});

/** Keeps the page from its panes while it lasts: they are behind then, as on a slow machine. */
const BLOCK_PAGE = 'for (const begin = performance.now(); performance.now() - begin < 300; ) {}';

/** Ends in the page when it has been blocked, and what is typed meanwhile comes next. */
async function interruptBlocked({ page }: Shellscope): Promise<void> {
  await Promise.all([page.evaluate(BLOCK_PAGE), page.keyboard.press('Control+c')]);
}

test('Ctrl-C under a flood skips what is not drawn yet and says so; where little is waiting nothing is skipped', async ({
  shellscope,
}) => {
  const { page } = shellscope;
  await recordOpened(shellscope);
  const tab = await shellscope.openShell();
  const note = page.getByRole('tabpanel').getByRole('status').filter({ hasText: 'not shown here' });
  // 235 kB, of which the half is on its way to the pane: less than an interrupt may skip.
  await shellscope.type("seq -f '%0100.0f' 1 2300; sleep 100\n");
  await interruptBlocked(shellscope);
  await expect.poll(() => shellscope.screenText(tab), { intervals: [20] }).toMatch(/\n\$ ?$/);
  await expect(note).toHaveCount(0);
  await shellscope.type("clear; seq -f '%0100.0f' 1 99999999\n");
  await expect(page.getByRole('list', { name: 'Session in view' })).toContainText(/\d\.\d MB out/);
  await expect(page.locator('.xterm-rows').first()).toContainText('00000000');
  const begin = performance.now();
  await interruptBlocked(shellscope);
  await expect.poll(() => shellscope.screenText(tab), { intervals: [20] }).toMatch(/\n\$ ?$/);
  test.info().annotations.push({
    type: 'Ctrl-C to prompt, of a page that was blocked for 300 ms',
    description: `${(performance.now() - begin).toFixed(0)} ms`,
  });
  const text = (await shellscope.screenText(tab)) ?? '';
  const skipped = text.lastIndexOf(' of output skipped\n');
  expect(skipped).toBeGreaterThan(-1);
  // Before, it was half a megabyte at least, a whole scrollback.
  expect(text.length - skipped).toBeLessThan(300_000);
  await expect(note).toHaveText(/^\d+\.\d MB not shown here$/);
  if (PICTURES !== undefined) {
    await page.screenshot({ path: `${PICTURES}/interrupted.png` });
  }
  await shellscope.type('echo ended by $?\n');
  await shellscope.expectScreen(tab, /\nended by 130\n/);

  await page.getByRole('button', { name: 'Open full output' }).press('Enter');
  await expect.poll(() => openedFiles(shellscope)).toHaveLength(1);
  const [file = ''] = await openedFiles(shellscope);
  const lines = (await readFile(file, 'utf8')).split('\n');
  const first = lines.lastIndexOf('1'.padStart(100, '0'));
  const broken = lines.slice(first).findIndex((line, at) => line !== String(at + 1).padStart(100, '0'));
  const shownLast = Number(text.match(/\n(0\d{99})\n(?![^]*\n0\d{99}\n)/)?.[1]);
  expect(broken).toBeGreaterThanOrEqual(shownLast);
});
