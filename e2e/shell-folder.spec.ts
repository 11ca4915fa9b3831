import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';

const PICTURES = process.env['SHELLSCOPE_PICTURES'];

test('a shell of yours is called by the folder it is in, and the status bar follows it', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const home = await realpath(stateFolder);
  for (const name of ['web', 'api', 'a\u202Eb']) {
    await mkdir(join(home, name));
  }
  const folder = page.getByRole('list', { name: 'Session in view' }).locator('.fact-path');
  await shellscope.openShell();
  await shellscope.expectScreen(shellscope.tab(/^bash, you/), '$');
  await expect(folder).toHaveText(home);
  await expect(folder).toHaveAttribute('title', `Started in ${home}`);
  await shellscope.type('cd web\n');
  await expect(folder).toHaveText(join(home, 'web'));
  await expect(folder).toHaveAttribute('title', `Now in ${home}/web; started in ${home}`);
  await expect(shellscope.tab('bash: web, you, running')).toBeVisible();

  // Another one, which begins beside it, is told from it in tabs and list, and in view has its own folder.
  await shellscope.openShell();
  await shellscope.expectScreen(shellscope.tabs.last(), '$');
  await expect(folder).toHaveAttribute('title', `Started in ${home}/web`);
  await expect(shellscope.tabs.last()).toHaveAccessibleName('bash: web (2), you, running');
  await shellscope.type('cd ../api; bash --norc\n');
  await shellscope.type('cd ../a*\n');
  await expect(folder).toHaveText(`${home}/api`);
  await shellscope.type('cd ../a?b\n');
  await expect(folder).toHaveText(`${home}/a\\u202eb`);
  await expect(shellscope.tabs).toHaveText([/^bash: web,/, /^bash: a\\u202eb,/]);
  await page.keyboard.press('Control+Shift+L');
  await expect(page.getByRole('treeitem')).toContainText(['you', 'bash: web', 'bash: a\\u202eb']);
  if (PICTURES !== undefined) {
    await page.screenshot({ path: `${PICTURES}/shell-folder.png` });
  }
});

test('the folder of an agent’s session follows its shell, and its name stays', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/bash', '--norc', '-i'], { env: { PS1: '$ ' } });
  await agent.printed('job', '$ ');
  await shellscope.tab(/^bash, test-agent/).click();
  const folder = page.getByRole('list', { name: 'Session in view' }).locator('.fact-path');
  await agent.write('job', 'cd /usr/lib\n', 'w1');
  await expect(folder).toHaveText('/usr/lib');
  await expect(shellscope.tabs).toHaveText([/^bash, test-agent/]);
});
