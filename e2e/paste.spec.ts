import { brokenRules } from './broken-rules.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

const PICTURES = process.env['SHELLSCOPE_PICTURES'];

async function paste(shellscope: Shellscope, copied: string): Promise<void> {
  await shellscope.inApp(({ clipboard }, text) => clipboard.writeText(text), copied);
  await shellscope.page.keyboard.press('Control+Shift+V');
}

test('what is pasted is text: its control characters are taken out, and the lines arrive as one paste', async ({
  shellscope,
}) => {
  const tab = await shellscope.openShell();
  // The program asks for bracketed pastes, and shows each byte that it is given.
  await shellscope.type(`stty raw -echo; printf '\\033[?2004h%s\\r\\n' re''ady; cat -v\n`);
  await shellscope.expectScreen(tab, 'ready');
  await paste(shellscope, 'one\ntwo\u0003\u001B[201~\u009B201~; three');
  await shellscope.expectScreen(tab, /\^\[\[200~one\^M/);
  await shellscope.expectScreen(tab, /two\[201~201~; three\^\[\[201~/);
});

test('several lines for a program that would take each at once are shown first, and pasted only by an answer', async ({
  shellscope,
}) => {
  const { page } = shellscope;
  const tab = await shellscope.openShell();
  // A program without bracketed paste, that says what it was given.
  await shellscope.type(`clear; echo re""ady; while read -r line; do echo "got <$line>"; done\n`);
  await shellscope.expectScreen(tab, /^ready/);
  const question = page.getByRole('alertdialog', { name: /^Paste these 3 lines\?/ });
  const lines = 'first\nrm -rf \u001B[201~/\n\tthird <b>\n';

  await paste(shellscope, lines);
  await expect(question.getByRole('group', { name: 'What would be pasted' })).toHaveText(
    'first\nrm -rf [201~/\n\tthird <b>',
  );
  await expect(question.getByRole('button', { name: 'Do not paste' })).toBeFocused();
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    expect(await brokenRules(page)).toEqual([]);
    if (PICTURES !== undefined) {
      await page.screenshot({ path: `${PICTURES}/paste-${scheme}.png` });
    }
  }
  // Escape pastes nothing, and the keyboard is the program's again.
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await shellscope.type('typed\n');
  await shellscope.expectScreen(tab, /got <typed>/);
  expect(await shellscope.screenText(tab)).not.toContain('first');

  await paste(shellscope, lines);
  await page.keyboard.press('Tab');
  await expect(question.getByRole('button', { name: 'Paste 3 lines' })).toBeFocused();
  await page.keyboard.press('Enter');
  await shellscope.expectScreen(tab, /got <first>[^]*got <rm -rf \[201~\/>[^]*got <third <b>>/);
  await expect(question).toHaveCount(0);

  // A sheet that is open lies beneath the question.
  await page.keyboard.press('Control+,');
  await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible();
  await page
    .getByRole('tabpanel')
    .locator('.xterm-screen')
    .click({ position: { x: 20, y: 200 } });
  await paste(shellscope, lines);
  await question.getByRole('button', { name: 'Do not paste' }).click();
  await page.keyboard.press('Control+,');
  await expect(page.getByRole('dialog', { name: 'Settings' })).toHaveCount(0);
  await tab.click();

  // One line is no question, nor are several at a prompt that asks for pastes in one piece.
  await paste(shellscope, 'alone\n');
  await shellscope.expectScreen(tab, /got <alone>/);
  await page.keyboard.press('Control+c');
  await shellscope.expectScreen(tab, /\$ ?$/);
  await paste(shellscope, 'echo in one; \\\necho piece');
  await shellscope.expectScreen(tab, /echo piece$/);
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
});
