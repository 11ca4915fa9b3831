import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';

test.skip(process.platform !== 'linux', 'elsewhere the system does not tell the folder of a shell');

test('a split and a new shell begin in the folder of the shell in view, else at home', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  const folder = page.getByRole('list', { name: 'Session in view' }).locator('.fact-path');
  const gone = await realpath(await mkdtemp(join(tmpdir(), 'shellscope-gone-')));
  await shellscope.openShell();
  await shellscope.type('cd /usr/lib\n');
  await expect(folder).toHaveText('/usr/lib');

  await page.keyboard.press('Control+Shift+H');
  await expect(page.getByRole('tablist')).toHaveCount(2);
  const split = shellscope.tabs.nth(1);
  await shellscope.expectScreen(split, '$');
  await shellscope.type('pwd\n');
  await shellscope.expectScreen(split, /\n\/usr\/lib\n/);

  // Where an agent works.
  await agent.start('work', ['/bin/bash', '--norc', '-i'], { cwd: 'file:///usr/share', env: { PS1: '$ ' } });
  await shellscope.tab(/test-agent/).click();
  const besideAgent = await shellscope.openShell();
  await shellscope.type('pwd\n');
  await shellscope.expectScreen(besideAgent, /\n\/usr\/share\n/);

  await shellscope.type(`cd ${gone}\n`);
  await expect(folder).toHaveText(gone);
  await rm(gone, { recursive: true });
  const atHome = await shellscope.openShell();
  await shellscope.type('pwd\n');
  await shellscope.expectScreen(atHome, `\n${stateFolder}\n`);
});
