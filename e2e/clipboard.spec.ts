import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { expect, launch, Shellscope, test } from './fixtures.ts';

const clipboard = async (shellscope: Shellscope): Promise<string> =>
  shellscope.inApp(({ clipboard: board }) => board.readText(), null);

const setClipboard = async (shellscope: Shellscope, text: string): Promise<void> =>
  shellscope.inApp(({ clipboard: board }, words) => board.writeText(words), text);

/** A command line by which a program puts a text on the clipboard, and says so. */
const copies = (text: string): string =>
  `printf '\\033]52;c;%s\\007%s\\n' ${Buffer.from(text).toString('base64')} "do""ne"`;

const question = ({ page }: Shellscope): Locator =>
  page.getByRole('group', { name: /wants to put text on the clipboard/ });

/** A shell in view whose program has just copied a text. */
async function copying(shellscope: Shellscope, text: string): Promise<Locator> {
  const tab = await shellscope.openShell();
  await shellscope.type(`clear; ${copies(text)}\n`);
  await shellscope.expectScreen(tab, /^done\n\$$/);
  return tab;
}

test.beforeEach(async ({ shellscope }) => setClipboard(shellscope, 'before'));

test('a program that copies asks; what the person lets through is on the system’s clipboard, once', async ({
  shellscope,
}) => {
  const text = 'grüße, 你好 👋\n\u001B[31mtwo';
  const tab = await copying(shellscope, text);
  const asked = question(shellscope);
  await expect(asked).toContainText('bash wants to put text on the clipboard: 20 characters in 2 lines');
  await expect(asked).toContainText('grüße, 你好 👋\n\\u001b[31mtwo');
  // The keyboard is still the shell's, and typing answers nothing.
  await shellscope.type('echo typ""ed\n');
  await shellscope.expectScreen(tab, 'typed');
  await expect(asked).toBeVisible();
  expect(await clipboard(shellscope)).toBe('before');

  await asked.getByRole('button', { name: 'Copy once' }).click();
  await expect(asked).toHaveCount(0);
  await expect.poll(() => clipboard(shellscope)).toBe(text);
  await shellscope.type(`${copies('again')}\n`);
  await expect(asked).toContainText('5 characters');
  await asked.getByRole('button', { name: 'Refuse' }).click();
  await expect(asked).toHaveCount(0);
  // Back in the terminal; and a program that tries again was refused already.
  await shellscope.type(`clear; ${copies('once more')}\n`);
  await shellscope.expectScreen(tab, /^done\n\$$/);
  await expect(asked).toHaveCount(0);
  expect(await clipboard(shellscope)).toBe(text);
});

test('a session that may copies without a question, another one asks; a reload copies and asks nothing again', async ({
  shellscope,
}) => {
  const { page } = shellscope;
  const tab = await copying(shellscope, 'first');
  await question(shellscope).getByRole('button', { name: 'Allow for this session' }).click();
  await expect.poll(() => clipboard(shellscope)).toBe('first');
  await shellscope.type(`${copies('second')}\n`);
  await expect.poll(() => clipboard(shellscope)).toBe('second');

  await copying(shellscope, 'of another');
  await expect(question(shellscope)).toContainText('10 characters');
  await setClipboard(shellscope, 'the person’s own');
  await page.reload();
  await tab.click();
  await shellscope.expectScreen(tab, /done[^]*done\n\$$/);
  // What follows the replay on the same screen was parsed after it.
  await shellscope.type('clear; echo af""ter\n');
  await shellscope.expectScreen(tab, /^after\n\$$/);
  await expect(question(shellscope)).toHaveCount(0);
  expect(await clipboard(shellscope)).toBe('the person’s own');
  // And what was allowed went with the page.
  await shellscope.type(`${copies('third')}\n`);
  await expect(question(shellscope)).toContainText('5 characters');
});

test('what a session of the last time had copied is not copied again after a restart', async ({
  shellscope,
  stateFolder,
}) => {
  await writeFile(join(stateFolder, 'settings.json'), '{"terminal": {"programClipboard": "allow"}}');
  await copying(shellscope, 'of the last time');
  await expect.poll(() => clipboard(shellscope)).toBe('of the last time');
  await setClipboard(shellscope, 'before');
  const kept = join(stateFolder, 'electron', 'windows.json');
  await expect.poll(() => readFile(kept, 'utf8').catch(() => '')).toContain('"epoch"');
  await shellscope.app.close();

  const app = await launch(stateFolder);
  try {
    const again = await Shellscope.drawn(app, await app.firstWindow());
    const tab = again.tab(/killed SIGHUP/);
    await tab.click();
    await again.expectScreen(tab, /^done\n/);
    // It is empty where the desktop keeps nothing of a program that has ended.
    expect(await clipboard(again)).not.toBe('of the last time');
    // Here as well programs may: so it is not that nothing works.
    await copying(again, 'new');
    await expect.poll(() => clipboard(again)).toBe('new');
  } finally {
    await app.close();
  }
});

test('what a hidden session copies is neither asked about nor copied, when it is shown later as well', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  await writeFile(join(stateFolder, 'settings.json'), '{"terminal": {"programClipboard": "allow"}}');
  const own = await shellscope.openShell();
  const printed = join(stateFolder, 'printed');
  const last = `${copies('hidden again')}; : > '${printed}'; read go`;
  const script = `${copies('hidden')}; read go; ${copies('shown')}; read go; ${last}`;
  await agent.start('copies', ['/bin/bash', '-c', script]);
  const tab = shellscope.tabs.nth(1);
  await expect(tab).toHaveAccessibleName(/waits: line$/);
  await tab.click();
  await shellscope.expectScreen(tab, /^done$/);
  expect(await clipboard(shellscope)).toBe('before');
  // In view, and allowed by the settings: so it is not that nothing works.
  await agent.write('copies', '\r', 'w1');
  await expect.poll(() => clipboard(shellscope)).toBe('shown');
  // Out of view its terminal is kept, and is given that when it is shown.
  await own.click();
  await agent.write('copies', '\r', 'w2');
  await expect.poll(() => readFile(printed, 'utf8').catch(() => null)).toBe('');
  await tab.click();
  await shellscope.expectScreen(tab, /(?:done\s*){3}$/);
  await shellscope.type('\n');
  await expect(tab).toHaveAccessibleName(/exited 0$/);
  expect(await clipboard(shellscope)).toBe('shown');
  await expect(question(shellscope)).toHaveCount(0);
});

test('where programs may never copy nothing is asked, and none is ever told what is on the clipboard', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const settings = (rule: string): Promise<void> =>
    writeFile(join(stateFolder, 'settings.json'), JSON.stringify({ terminal: { programClipboard: rule } }));
  const tab = await copying(shellscope, 'asked about');
  await expect(question(shellscope)).toHaveCount(1);
  await settings('never');
  await expect(question(shellscope)).toHaveCount(0);
  await shellscope.type(`clear; ${copies('never')}\n`);
  await shellscope.expectScreen(tab, /^done\n\$$/);
  await expect(question(shellscope)).toHaveCount(0);
  expect(await clipboard(shellscope)).toBe('before');

  await settings('allow');
  await page.keyboard.press('Control+,');
  await expect(page.getByRole('combobox', { name: 'Clipboard access for programs' })).toHaveValue('allow');
  await page.keyboard.press('Escape');
  await page.getByRole('tabpanel').getByRole('textbox').focus();
  // An answer would be typed into this program, which shows each byte; the other question is answered by the host.
  await shellscope.type(`stty raw -echo; printf '\\033]52;c;?\\007\\033]52;;?\\033\\\\\\033[5n'; clear; exec cat -v\n`);
  await shellscope.expectScreen(tab, /\^\[\[0n/);
  expect(await shellscope.screenText(tab)).not.toContain('52;');
});

test('by the keyboard alone: its key leads to the refusal, Tab to the others, Escape refuses', async ({
  shellscope,
}) => {
  const { page } = shellscope;
  const tab = await copying(shellscope, 'by the keyboard');
  const asked = question(shellscope);
  await expect(asked.getByRole('button', { name: 'Copy once' })).toBeEnabled();
  await page.keyboard.press('Control+Shift+Q');
  await expect(asked.getByRole('button', { name: 'Refuse' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(asked.getByRole('button', { name: 'Copy once' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(() => clipboard(shellscope)).toBe('by the keyboard');
  await shellscope.type(`clear; ${copies('refused')}\n`);
  await shellscope.expectScreen(tab, /^done\n\$$/);
  await page.keyboard.press('Control+Shift+Q');
  await page.keyboard.press('Escape');
  await expect(asked).toHaveCount(0);
  await shellscope.type('echo back in the sh""ell\n');
  await shellscope.expectScreen(tab, 'back in the shell');
  expect(await clipboard(shellscope)).toBe('by the keyboard');
});

test('of a flood there is one question, and a text that is too large is refused with a sentence', async ({
  shellscope,
}) => {
  const { page } = shellscope;
  const tab = await shellscope.openShell();
  const flood =
    'import base64; [print(end=f\'\\033]52;c;{base64.b64encode(b"text %05d" % n).decode()}\\a\') for n in range(3001)]';
  await shellscope.type(`clear; python3 -c '${flood.replaceAll("'", `'\\''`)}'; echo do""ne\n`);
  await shellscope.expectScreen(tab, /^done\n\$$/);
  await expect(question(shellscope)).toHaveCount(1);
  await expect(question(shellscope)).toContainText('text 03000');
  await question(shellscope).getByRole('button', { name: 'Refuse' }).click();

  await shellscope.type(`clear; printf '\\033]52;c;%s\\007done\\n' "$(head -c 90000 /dev/zero | base64 -w0)"\n`);
  await expect(page.getByText(/bash wanted 90\.0 kB on the clipboard\. .* nothing was copied\./)).toBeVisible();
  expect(await clipboard(shellscope)).toBe('before');
});
