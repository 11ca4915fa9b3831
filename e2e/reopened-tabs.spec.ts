import { expect, test } from './fixtures.ts';

test('all that Close All Ended closed comes back at once, with its output', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  await shellscope.openShell();
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
});
