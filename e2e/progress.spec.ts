import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';

/** Tells a progress, and goes on when the test made a file. */
const TELL = `tell() { printf '\\033]9;4;%s\\007' "$2"; until [ -e "$1" ]; do sleep 0.02; done; }`;

test('what a program says of its progress is at its tab and in the list, also where nobody looks, and ends with it', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  const goOn = (file: string): Promise<void> => writeFile(join(stateFolder, file), '');
  const own = await shellscope.openShell();
  await page.keyboard.press('Control+Shift+L');
  await agent.start('build', [
    '/bin/bash',
    '-c',
    `${TELL}; cd "$1"; tell a '1;40'; tell b 3; tell c '4;55'; tell d '2;55'`,
    'build',
    stateFolder,
  ]);
  const tab = page.locator('[role=tab]').nth(1);
  const bar = page.getByRole('progressbar', { name: /^Progress of / });
  const row = page.getByRole('treeitem', { name: /tell/ });

  await expect(tab).toHaveAccessibleName(/, test-agent, running 40%$/);
  await expect(row).toContainText('running 40%');
  await expect(bar).toHaveAttribute('aria-valuenow', '40');
  await expect(bar).toHaveAttribute('aria-valuetext', 'running 40%');
  await goOn('a');
  await expect(tab).toHaveAccessibleName(/, working$/);
  await expect(bar).not.toHaveAttribute('aria-valuenow');
  await goOn('b');
  await expect(row).toContainText('paused at 55%');
  // It was never looked at, and nothing of the person's own is told by the app's icon because of it.
  await expect(own).toHaveAttribute('aria-selected', 'true');

  await tab.click();
  await goOn('c');
  await expect(tab).toHaveAccessibleName(/, error at 55%$/);
  await expect(bar).toHaveAttribute('aria-valuenow', '55');
  await goOn('d');
  await agent.closedProcess('build');
  await expect(tab).toHaveAccessibleName(/exited 0$/);
  await expect(bar).toHaveCount(0);
});

test('of a killed program nothing is left at the prompt, and the app’s icon has what the person waits for', async ({
  shellscope,
}) => {
  const shown = () =>
    shellscope.inApp(
      () => (globalThis as unknown as { readonly shellscopeTestProgress: unknown }).shellscopeTestProgress,
      null,
    );
  await shellscope.inApp(({ BrowserWindow }) => {
    BrowserWindow.prototype.setProgressBar = (share: number, options?: object) => {
      Object.assign(globalThis, { shellscopeTestProgress: [share, options] });
    };
  }, null);
  const tab = await shellscope.openShell();
  await shellscope.type(`printf '\\033]9;4;1;70\\007'; sleep 300\n`);
  await expect(tab).toHaveAccessibleName(/running 70%$/);
  await expect.poll(shown).toEqual([0.7, { mode: 'normal' }]);
  await shellscope.page.keyboard.press('Control+c');
  await expect(tab).toHaveAccessibleName(/running$/);
  await expect(shellscope.page.getByRole('progressbar')).toHaveCount(0);
  await expect.poll(shown).toEqual([-1, undefined]);
});
