import { join } from 'node:path';
import { brokenRules } from './broken-rules.ts';
import { expect, test } from './fixtures.ts';
import { connectMcp } from './mcp-client.ts';

/** For a look at the pictures: a folder that they are put into. */
const PICTURES = process.env['SHELLSCOPE_PICTURES'];

test('a session whose agent asks for a person says so wherever it is listed, until it is answered by the keyboard alone', async ({
  shellscope,
}) => {
  const { page } = shellscope;
  await page.keyboard.press('Control+Shift+T');
  const own = shellscope.tab(/, you, running$/);
  await shellscope.expectScreen(own, '$');
  const mcp = await connectMcp(await shellscope.connection());
  const { session_id } = await mcp.ok('shell_open', { command: 'exec cat', title: 'deploy' });
  const ask = (message: string) =>
    mcp.ok('shell_request_human', { session_id, message, kind: 'ask', yield_ms: 60_000 });
  const tab = shellscope.tab(/^deploy, /);
  const row = page.getByRole('treeitem', { name: /^deploy/ });
  const option = page.getByRole('dialog', { name: 'All tabs' }).getByRole('option', { name: /^deploy/ });
  await expect(tab).toHaveAccessibleName(/waits: (line|input)$/);

  const first = ask('is the new logo right?');
  // The keyboard is in the person's own terminal, and stays there.
  await expect(tab).toHaveAccessibleName(/^deploy, .+, needs you$/);
  await expect(tab).toHaveAttribute('data-look', 'asking');
  await page.keyboard.press('Control+Shift+L');
  await expect(row).toHaveAccessibleName(/needs you/);
  await expect(row).toHaveAttribute('data-look', 'asking');
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    expect(await brokenRules(page)).toEqual([]);
    if (PICTURES !== undefined) {
      await page.screenshot({ path: join(PICTURES, `needs-you-${scheme}.png`) });
    }
  }
  await page.keyboard.press('Control+Alt+Shift+T');
  await expect(option).toHaveAccessibleName(/needs you/);
  await page.keyboard.press('Escape');

  // From the terminal to the request, and the answer: no key is the program's.
  await page.keyboard.press('Control+Shift+M');
  await expect(tab).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('alert').filter({ hasText: 'asks you' })).toContainText('is the new logo right?');
  await expect(page.locator('.xterm-helper-textarea:focus')).toHaveCount(1);
  if (PICTURES !== undefined) {
    await page.screenshot({ path: join(PICTURES, 'needs-you-in-view.png') });
  }
  await page.keyboard.press('Control+Alt+Shift+Y');
  expect(await first).toMatchObject({ human: { state: 'done' } });
  for (const place of [tab, row]) {
    await expect(place).not.toHaveAccessibleName(/needs you/);
    await expect(place).toHaveAttribute('data-look', 'waiting');
  }

  // Declined by the palette, from the terminal again.
  const second = ask('and this one?');
  await expect(tab).toHaveAccessibleName(/needs you$/);
  await page.keyboard.press('Control+Shift+P');
  await page.keyboard.type('decline');
  await page.keyboard.press('Enter');
  expect(await second).toMatchObject({ human: { state: 'declined' } });
  await expect(tab).not.toHaveAccessibleName(/needs you/);

  // With nothing asked the key does nothing, and nothing of it came to the program.
  await page.keyboard.press('Control+Alt+Shift+X');
  await shellscope.type('typed\n');
  await shellscope.expectScreen(tab, /^typed\ntyped\s*$/);
  await mcp.client.close();
});
