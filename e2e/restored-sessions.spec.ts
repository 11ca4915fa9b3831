import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { ExecClient } from '../test/support/exec-client.ts';
import { choose, keepMenus, menu } from './context-menu.ts';
import { expect, test, type Shellscope } from './fixtures.ts';
import { keptFile, keptTabs, killApp, startAgain } from './restart.ts';

const clipboard = async (shellscope: Shellscope): Promise<string> =>
  shellscope.inApp(({ clipboard: board }) => board.readText(), null);

const clearClipboard = async (shellscope: Shellscope): Promise<void> =>
  shellscope.inApp(({ clipboard: board }) => board.writeText(''), null);

/** An app that was ended after an agent's session in it had failed. */
async function endedAfterFailure(shellscope: Shellscope): Promise<void> {
  const { url, token } = await shellscope.connection();
  const agent = await ExecClient.ready(url, token);
  await agent.start('failing', ['/bin/sh', '-c', 'echo selectable words; exit 3']);
  await agent.start('other', ['/bin/sh', '-c', 'echo another; exit 0']);
  await expect(shellscope.tab(/exited/)).toHaveCount(2);
  agent.drop();
  await shellscope.app.close();
}

const panelOf = ({ page }: Shellscope): Locator => page.getByRole('tabpanel', { name: /selectable/ });

test('from the pane of an earlier run its output, its end, its command and its folder can be copied', async ({
  shellscope,
  stateFolder,
}) => {
  await endedAfterFailure(shellscope);
  const again = await startAgain(stateFolder);
  const { page } = again;
  await clearClipboard(again);
  const tab = again.tab(/selectable/);
  await tab.click();
  await again.expectScreen(tab, 'selectable words');

  const panel = panelOf(again);
  await panel.locator('.xterm-screen').dblclick({ position: { x: 20, y: 8 } });
  await page.keyboard.press('Control+Shift+C');
  await expect.poll(() => clipboard(again)).toBe('selectable');

  const line = panel.getByText(/^exited with code 3 after/);
  const sentence = await line.textContent();
  await line.click({ clickCount: 3 });
  await page.keyboard.press('Control+Shift+C');
  await expect.poll(async () => (await clipboard(again)).trim()).toBe(sentence);

  // And by the menu, in the pane and at the tab.
  await keepMenus(again);
  await panel.locator('.xterm-screen').dblclick({ position: { x: 20, y: 8 } });
  await panel.locator('.xterm-screen').click({ button: 'right', position: { x: 20, y: 8 } });
  await expect.poll(async () => (await menu(again))?.disabled).toEqual(['Paste']);
  await choose(again, 'Copy');
  await expect.poll(() => clipboard(again)).toBe('selectable');
  for (const [item, text] of [
    ['Copy Command', '/bin/sh -c "echo selectable words; exit 3"'],
    ['Copy Folder', '/tmp'],
  ] as const) {
    await tab.click({ button: 'right' });
    await expect.poll(async () => (await menu(again))?.labels).toContain(item);
    await choose(again, item);
    await expect.poll(() => clipboard(again)).toBe(text);
  }
  await again.app.close();
});

test('a name that is given to a session of an earlier run is its name in all that follow', async ({
  shellscope,
  stateFolder,
}) => {
  await endedAfterFailure(shellscope);
  for (const [name, next] of [
    [/^echo selectable/, 'the failure'],
    [/^the failure,/, 'release 1.4'],
    [/^release 1\.4, test-agent, exited 3$/, ''],
    [/^echo selectable/, ''],
  ] as const) {
    const again = await startAgain(stateFolder);
    await again.tab(name).focus();
    await again.page.keyboard.press('F2');
    await again.page.keyboard.press('Control+a');
    await again.page.keyboard.press('Backspace');
    await again.page.keyboard.type(next);
    await again.page.keyboard.press('Enter');
    const shown = next === '' ? /^echo selectable/ : new RegExp(`^${next}`);
    await expect(again.tab(shown)).toHaveCount(1);
    await again.app.close();
  }
});

test('a tab that was closed does not come back, also when the app is killed the moment after', async ({
  shellscope,
  stateFolder,
}) => {
  await endedAfterFailure(shellscope);
  const again = await startAgain(stateFolder);
  await again.tab(/selectable/).click();
  const id = await again.tab(/selectable/).getAttribute('data-session-id');
  await expect.poll(() => keptFile(stateFolder)).toContain(`"shown":"${id}"`);
  // Nothing was written for longer than writes are put together: none is on its way that would take the closing along.
  let written = 0;
  await expect
    .poll(
      async () => {
        const before = written;
        written = (await stat(join(stateFolder, 'electron', 'windows.json'))).mtimeMs;
        return written === before;
      },
      { intervals: [500] },
    )
    .toBe(true);
  expect(await keptTabs(stateFolder)).toBe(2);
  // By the page itself: what Playwright does after a click would take the moment.
  const close = panelOf(again).getByRole('button', { name: 'Close', exact: true });
  await close.evaluate(
    (button: HTMLElement, closed) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (document.querySelector(`[role=tab][data-session-id="${closed}"]`) === null) {
            resolve();
          } else {
            requestAnimationFrame(look);
          }
        };
        button.click();
        look();
      }),
    id,
  );
  await killApp(again);
  expect(await keptTabs(stateFolder)).toBe(1);

  const third = await startAgain(stateFolder);
  await expect(third.tabs).toHaveCount(1);
  await expect(third.tab(/another/)).toHaveCount(1);
  await third.app.close();
});

test('a tab that was opened comes back, also when the app is killed the moment after', async ({
  shellscope,
  stateFolder,
}) => {
  const { url, token } = await shellscope.connection();
  const agent = await ExecClient.ready(url, token);
  for (const word of ['first', 'second', 'third']) {
    await agent.start(word, ['/bin/sh', '-c', `echo the ${word}; exec sleep 1003`]);
  }
  // By the page itself: what Playwright does between two looks would take the moment.
  await shellscope.page.waitForFunction(() => document.querySelectorAll('[role=tab]').length === 3);
  await killApp(shellscope);
  agent.drop();
  expect(await keptTabs(stateFolder)).toBe(3);

  const again = await startAgain(stateFolder);
  await expect(again.tabs).toHaveCount(3);
  await again.tab(/the third/).click();
  await again.expectScreen(again.tab(/the third/), 'the third');
  await again.app.close();
});
