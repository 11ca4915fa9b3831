import { expect, test } from './fixtures.ts';

test('closed tabs come back with their output, one by one, and all that one act closed at once', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const own = await shellscope.openShell();
  for (const word of ['one', 'two', 'three']) {
    await agent.start(word, ['/bin/sh', '-c', `echo the ${word}; exit 3`]);
    await agent.closedProcess(word);
  }
  const ended = shellscope.tab(/exited 3/);
  await expect(ended).toHaveCount(3);

  // By its key beside that of Close All Ended, which neither asks nor ends anything that runs.
  await page.keyboard.press('Control+Shift+D');
  await expect(shellscope.tabs).toHaveCount(1);
  await page.keyboard.press('Control+Alt+Shift+D');
  await expect(ended).toHaveCount(3);
  await expect(ended.nth(2)).toHaveAttribute('aria-selected', 'true');
  await shellscope.expectScreen(ended.nth(2), 'the three');
  await ended.first().click();
  await shellscope.expectScreen(ended.first(), 'the one');

  await page.keyboard.press('Control+Shift+W');
  await expect(ended).toHaveCount(2);
  await own.click();
  await shellscope.type('echo mine; exit 4\n');
  await expect(shellscope.tab(/exited 4/)).toHaveCount(1);
  await page.keyboard.press('Control+Shift+W');
  await expect(shellscope.tabs).toHaveCount(2);
  await page.keyboard.press('Control+Alt+Shift+D');
  await shellscope.expectScreen(shellscope.tab(/exited 4/), /\nmine\n/);
  await page.keyboard.press('Control+Alt+Shift+D');
  await shellscope.expectScreen(ended.last(), 'the one');
  await page.keyboard.press('Control+Alt+Shift+D');
  await expect(page.getByText('No tab was closed that could be opened again.')).toBeVisible();
});
