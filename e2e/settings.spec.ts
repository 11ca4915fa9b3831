import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brokenRules } from './broken-rules.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

/** A variable of the page's root, as it is computed. */
const rootProperty = ({ page }: Shellscope, name: string): Promise<string> =>
  page.evaluate((property) => getComputedStyle(document.documentElement).getPropertyValue(property).trim(), name);

const fontSize = ({ page }: Shellscope): Promise<string> =>
  page
    .locator('.xterm-rows')
    .first()
    .evaluate((rows) => getComputedStyle(rows).fontSize);

test('a change in the form counts at once and stands in the file, beside what is there', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const file = join(stateFolder, 'settings.json');
  await writeFile(file, '{\n  // mine\n  "later": {\n    "x": 1\n  }\n}\n');
  const tab = await shellscope.openShell();
  await page.keyboard.press('Control+,');
  const sheet = page.getByRole('dialog', { name: 'Settings' });
  await expect(sheet.getByRole('searchbox')).toBeFocused();
  await expect(sheet.getByText('later', { exact: true })).toBeVisible();
  await page.keyboard.type('font size');
  const size = sheet.getByRole('spinbutton', { name: 'Font size' });
  await expect(sheet.getByRole('status')).toHaveText('1 setting');
  await size.fill('17');
  await expect.poll(() => fontSize(shellscope)).toBe('17px');
  await expect(sheet.getByText('changed')).toBeVisible();
  expect(await readFile(file, 'utf8')).toBe(
    '{\n  // mine\n  "later": {\n    "x": 1\n  },\n  "terminal": {\n    "fontSize": 17\n  }\n}\n',
  );

  await size.fill('3');
  await size.press('Enter');
  await expect(sheet.getByRole('alert').filter({ hasText: /./ })).toHaveText('Font size must be at least 6.');
  await expect(size).toHaveAttribute('aria-invalid', 'true');
  expect(await fontSize(shellscope)).toBe('17px');

  await sheet.getByRole('button', { name: 'Reset Font size' }).click();
  await expect(size).toHaveValue('13');
  await expect(size).toBeFocused();
  await expect.poll(() => fontSize(shellscope)).toBe('13px');
  expect(await readFile(file, 'utf8')).toBe('{\n  // mine\n  "later": {\n    "x": 1\n  }\n}\n');

  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await shellscope.type('echo back\n');
  await shellscope.expectScreen(tab, /echo back\s+back/);
});

test('a change in the file counts at once; a wrong one is told with its line, and is left alone', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const file = join(stateFolder, 'settings.json');
  const alert = page.locator('.notices');
  await shellscope.openShell();
  await writeFile(file, '{"terminal": {"fontSize": 16}}');
  await expect.poll(() => fontSize(shellscope)).toBe('16px');

  const wrong = '{\n  "terminal": {\n    "fontSize": "big",\n    "cursorBlink": true\n  }\n}\n';
  await writeFile(file, wrong);
  await expect(alert).toContainText('settings.json, line 3: terminal.fontSize must be a number.');
  expect(await fontSize(shellscope)).toBe('16px');
  expect(await readFile(file, 'utf8')).toBe(wrong);
  await page.keyboard.press('Control+,');
  const sheet = page.getByRole('dialog', { name: 'Settings' });
  // The rest of the file counts.
  await expect(sheet.getByRole('checkbox', { name: 'Cursor blinks' })).toBeChecked();
  await expect(sheet.getByText('In the file, line 3: Font size must be a number.')).toBeVisible();
  expect(await brokenRules(shellscope.page)).toEqual([]);

  const broken = '{\n  "terminal": {\n    "fontSize" 18\n  }\n}\n';
  await writeFile(file, broken);
  await expect(alert).toContainText('settings.json, line 3: a colon is missing.');
  await expect(alert).not.toContainText('fontSize');
  await sheet.getByRole('combobox', { name: 'Theme', exact: true }).selectOption('Dark');
  await expect(
    sheet.getByText(/in line 3 of the settings file a colon is missing.*nothing was written/i),
  ).toBeVisible();
  expect(await readFile(file, 'utf8')).toBe(broken);

  await writeFile(file, '{}');
  await expect(alert.locator('.notice')).toHaveCount(0);
  await expect.poll(() => fontSize(shellscope)).toBe('13px');
});

test('reset of all takes back what was changed, but not what agents have to ask about', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const file = join(stateFolder, 'settings.json');
  const rules = { mode: 'ask-on-failure' };
  await writeFile(file, JSON.stringify({ approvals: rules, appearance: { zoom: 110 }, terminal: { bell: 'none' } }));
  await page.keyboard.press('Control+,');
  const sheet = page.getByRole('dialog', { name: 'Settings' });
  await expect(sheet.getByRole('combobox', { name: 'Ask about agents’ commands' })).toHaveValue('ask-on-failure');
  await sheet.getByRole('button', { name: 'Reset all' }).click();
  await expect(sheet.getByRole('button', { name: 'Reset all' })).toBeDisabled();
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ approvals: rules });
});

test('the theme, the zoom and the font are changed by keys and form, and are there after a restart of the page', async ({
  shellscope,
}) => {
  const { page, app } = shellscope;
  await shellscope.openShell();
  const zoom = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getZoomFactor());
  await page.keyboard.press('Control+=');
  await expect.poll(zoom).toBeCloseTo(1.1);
  await page.keyboard.press('Control+-');
  await page.keyboard.press('Control+-');
  await expect.poll(zoom).toBeCloseTo(0.9);
  await page.keyboard.press('Control+0');
  await expect.poll(zoom).toBe(1);
  await page.keyboard.press('Control+Alt+=');
  await expect.poll(() => fontSize(shellscope)).toBe('14px');

  await page.keyboard.press('Control+,');
  const sheet = page.getByRole('dialog', { name: 'Settings' });
  const theme = sheet.getByRole('combobox', { name: 'Theme', exact: true });
  const surface = () => rootProperty(shellscope, '--surface-raised');
  await theme.selectOption('Dark');
  await expect.poll(surface).toBe('#101214');
  await theme.selectOption('Light');
  await expect.poll(surface).toBe('#fff');
  await theme.selectOption('High contrast');
  await expect.poll(surface).toBe('#000');
  expect(await brokenRules(shellscope.page)).toEqual([]);
  await theme.selectOption('High contrast light');
  await expect.poll(surface).toBe('#fff');
  await expect.poll(() => rootProperty(shellscope, '--text-muted')).toBe('#24282e');
  expect(await brokenRules(shellscope.page)).toEqual([]);

  await page.reload();
  await shellscope.expectScreen(shellscope.tabs.first(), '$');
  await expect.poll(() => rootProperty(shellscope, '--text-muted')).toBe('#24282e');
  expect(await fontSize(shellscope)).toBe('14px');
});

test('terminals take a bundled scheme and one of the person’s own, which is judged', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  await shellscope.openShell();
  await page.keyboard.press('Control+,');
  const sheet = page.getByRole('dialog', { name: 'Settings' });
  await sheet.getByRole('combobox', { name: 'Theme', exact: true }).selectOption('Light');
  await sheet.getByRole('combobox', { name: 'Colours in a light theme' }).selectOption('Harbour');
  const background = () =>
    page
      .locator('.xterm')
      .first()
      .evaluate((terminal) => getComputedStyle(terminal).backgroundColor);
  await expect.poll(background).toBe('rgb(15, 27, 43)');

  const ansi = Array.from({ length: 16 }, (_, index) => (index === 1 ? '#332222' : '#dddddd'));
  const mine = { foreground: '#dddddd', background: '#221111', ansi };
  const settings = {
    terminal: { lightColours: 'Mine' },
    appearance: { theme: 'light' },
    colourSchemes: { Mine: mine },
  };
  await writeFile(join(stateFolder, 'settings.json'), JSON.stringify(settings));
  await expect.poll(background).toBe('rgb(34, 17, 17)');
  await expect(sheet.getByText(/contrast below 4.5: red \(1\.\d\)/)).toBeVisible();

  ansi.pop();
  await writeFile(join(stateFolder, 'settings.json'), JSON.stringify(settings, null, 2));
  await expect(page.locator('.notices')).toContainText(
    /line \d+: colourSchemes.Mine.ansi must have the sixteen colours/,
  );
  expect(await background()).toBe('rgb(34, 17, 17)');
});

test('a bell is seen or heard as the settings say, and what was printed before does not ring again', async ({
  shellscope,
  stateFolder,
}) => {
  const { page, app } = shellscope;
  await app.evaluate(({ shell }) => {
    Object.assign(globalThis, { beeps: 0 });
    shell.beep = () => {
      Object.assign(globalThis, { beeps: (globalThis as unknown as { readonly beeps: number }).beeps + 1 });
    };
  });
  const beeps = () => app.evaluate(() => (globalThis as unknown as { readonly beeps: number }).beeps);
  const tab = await shellscope.openShell();
  const rung = page.locator('.terminal-host[data-bell]');
  await shellscope.type("printf '\\a'\n");
  await expect(rung).toHaveCount(1);
  await expect(rung).toHaveCount(0);
  await page.reload();
  await shellscope.expectScreen(tab, 'printf');
  await expect(rung).toHaveCount(0);
  expect(await beeps()).toBe(0);

  await page.keyboard.press('Control+,');
  await page.getByRole('combobox', { name: 'Bell' }).selectOption('Sound');
  await expect.poll(() => readFile(join(stateFolder, 'settings.json'), 'utf8')).toContain('sound');
  await page.keyboard.press('Escape');
  await shellscope.type("printf '\\a'; printf '\\a'\n");
  await expect.poll(beeps).toBe(1);
  await expect(rung).toHaveCount(0);
});

test('what is selected with the mouse is copied where the settings want that', async ({ shellscope, stateFolder }) => {
  const { page, app } = shellscope;
  const clipboard = () => app.evaluate(({ clipboard: board }) => board.readText());
  await app.evaluate(({ clipboard: board }) => board.writeText('before'));
  const tab = await shellscope.openShell();
  await shellscope.type('clear; echo selectable\n');
  await shellscope.expectScreen(tab, /^selectable\n\$/);
  const word = page.locator('.xterm-screen').first();
  await word.dblclick({ position: { x: 20, y: 8 } });
  expect(await clipboard()).toBe('before');
  await writeFile(join(stateFolder, 'settings.json'), '{"terminal": {"copyOnSelect": true}}');
  await expect
    .poll(async () => {
      await word.dblclick({ position: { x: 20, y: 8 } });
      return clipboard();
    })
    .toBe('selectable');
});

test('a screen reader gets the rows of terminals and hears what sessions come to; off, there are neither', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/sh', '-c', 'echo for all to read; read line; exit 4'], { tty: true });
  await shellscope.expectScreen(shellscope.tabs.first(), 'for all to read');
  const log = page.getByRole('log', { name: 'What sessions came to' });
  await expect(page.getByRole('listitem').filter({ hasText: 'for all to read' })).toHaveCount(1);
  await agent.write('job', '\n', 'w1');
  await expect(log).toContainText(/exited 4/);
  expect(await brokenRules(shellscope.page)).toEqual([]);

  await writeFile(join(stateFolder, 'settings.json'), '{"accessibility": {"screenReader": "off"}}');
  await expect(page.getByRole('listitem').filter({ hasText: 'for all to read' })).toHaveCount(0);
  await expect(log).toHaveCount(0);
});

test('reduced motion, by the setting or by the system, stills the cursor and what fades', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const file = join(stateFolder, 'settings.json');
  await shellscope.openShell();
  const blinking = page.locator('.xterm-cursor-blink');
  await writeFile(file, '{"terminal": {"cursorBlink": true}}');
  await expect(blinking).toHaveCount(1);
  expect(await rootProperty(shellscope, '--quick')).toBe('80ms');
  await writeFile(file, '{"terminal": {"cursorBlink": true}, "appearance": {"motion": "reduced"}}');
  await expect(blinking).toHaveCount(0);
  expect(await rootProperty(shellscope, '--quick')).toBe('0s');
  await writeFile(file, '{"terminal": {"cursorBlink": true}}');
  await expect(blinking).toHaveCount(1);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect(blinking).toHaveCount(0);
});

test('the list of keys has each command, is searched, and gives the keyboard back', async ({ shellscope }) => {
  const { page } = shellscope;
  const tab = await shellscope.openShell();
  await page.keyboard.press('Control+Shift+J');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet.getByText('Ctrl+Shift+T', { exact: true })).toBeVisible();
  expect(await brokenRules(shellscope.page)).toEqual([]);
  await page.keyboard.type('zoom');
  await expect(sheet.getByRole('term')).toHaveText(['Zoom In', 'Zoom Out', 'Reset Zoom']);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await shellscope.type('echo back\n');
  await shellscope.expectScreen(tab, /echo back\s+back/);
});

test('the file is opened in the person’s own program, and made when there is none', async ({
  shellscope,
  stateFolder,
}) => {
  const { page, app } = shellscope;
  await app.evaluate(({ shell }) => {
    shell.openPath = (path) => {
      Object.assign(globalThis, { openedPath: path });
      return Promise.resolve('');
    };
  });
  await page.keyboard.press('Control+,');
  await page.getByRole('button', { name: 'Open file' }).click();
  const file = join(stateFolder, 'settings.json');
  await expect
    .poll(() => app.evaluate(() => (globalThis as unknown as { readonly openedPath?: string }).openedPath))
    .toBe(file);
  expect(await readFile(file, 'utf8')).toBe('{}\n');
});
