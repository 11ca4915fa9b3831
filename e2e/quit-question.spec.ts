import { once } from 'node:events';
import type { Locator } from '@playwright/test';
import { ASK_SWITCH } from '../src/shared/ipc-names.ts';
import type { WindowApi } from '../src/shared/ipc.ts';
import { isRunning } from '../test/support/is-running.ts';
import { brokenRules } from './broken-rules.ts';
import { expect, Shellscope, test } from './fixtures.ts';

test.use({ appArguments: [ASK_SWITCH] });

const question = ({ page }: Shellscope): Locator => page.getByRole('alertdialog', { name: /Quitting ends/ });

const closeWindow = ({ app }: Shellscope): Promise<void> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());

/** As the menu's item. */
const quit = ({ app }: Shellscope): Promise<void> =>
  app.evaluate(({ Menu }) => {
    const shell = Menu.getApplicationMenu()?.items.find(({ label }) => label === 'Shell');
    const item = shell?.submenu?.items.find(({ label }) => label === 'Quit');
    (item as unknown as { click(): void }).click();
  });

/** Settles when the app has ended. */
async function ended({ app }: Shellscope, deed: () => unknown): Promise<number | null> {
  const child = app.process();
  const exit = once(child, 'exit') as Promise<[number | null]>;
  // Whoever is evaluated when the app ends gets no answer.
  void Promise.resolve(deed()).catch(() => undefined);
  return (await exit)[0];
}

/** At its prompt, as far as the host knows. */
async function shellAtPrompt(shellscope: Shellscope): Promise<Locator> {
  const tab = await shellscope.openShell();
  await expect
    .poll(() =>
      shellscope.page.evaluate(async () => {
        const { shellscope: host } = window as unknown as { readonly shellscope: WindowApi };
        return (await host.listSessions()).sessions.map(({ waitingFor }) => waitingFor?.kind);
      }),
    )
    .toEqual(['repl']);
  return tab;
}

test('closing the last window asks about what runs; Escape keeps it, and the other answer ends it', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const own = await shellAtPrompt(shellscope);
  await shellscope.type('sleep 1000 & echo $!\n');
  await shellscope.expectScreen(own, /\n\d+\n/);
  const pid = Number(/\n(\d+)\n/.exec((await shellscope.screenText(own)) ?? '')?.[1]);
  await agent.start('one', ['/bin/cat']);
  await agent.start('two', ['/bin/sleep', '1000']);
  await expect(shellscope.tabs).toHaveCount(3);

  await closeWindow(shellscope);
  const asked = question(shellscope);
  await expect(asked).toHaveAccessibleName(
    '3 sessions are still running. Quitting ends them and everything they started.',
  );
  const rows = asked.getByRole('listitem');
  await expect(rows).toHaveText([/^you1 session since .*bash/, /^test-agent2 sessions since .*cat, sleep 1000/]);
  await expect(asked.getByRole('button', { name: 'Keep running' })).toBeFocused();
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    expect(await brokenRules(page)).toEqual([]);
  }

  // A second request is the same question, with the answer that loses nothing.
  await page.keyboard.press('Tab');
  await expect(asked.getByRole('button', { name: 'Quit and end them' })).toBeFocused();
  await quit(shellscope);
  await expect(asked.getByRole('button', { name: 'Keep running' })).toBeFocused();
  await expect(asked).toHaveCount(1);

  // What ends meanwhile is not told any more.
  await agent.write('one', '\u0004', 'w1');
  await expect(asked).toHaveAccessibleName(/^2 sessions/);

  // The keyboard goes back, and all goes on.
  await page.keyboard.press('Escape');
  await expect(asked).toHaveCount(0);
  await shellscope.type('echo still here\n');
  await shellscope.expectScreen(own, /\nstill here\n/);
  expect(isRunning(pid)).toBe(true);

  await quit(shellscope);
  await expect(asked.getByRole('button', { name: 'Keep running' })).toBeFocused();
  await page.keyboard.press('Tab');
  expect(await ended(shellscope, () => page.keyboard.press('Enter'))).toBe(0);
  expect(isRunning(pid)).toBe(false);
});

test('a shell at its prompt is not asked about, and a signal waits for no answer', async ({ shellscope, agent }) => {
  const own = await shellAtPrompt(shellscope);
  await agent.start('one', ['/bin/cat']);
  await closeWindow(shellscope);
  await expect(question(shellscope)).toHaveAccessibleName(/^1 session is still running/);
  await shellscope.page.keyboard.press('Escape');
  await expect(question(shellscope)).toHaveCount(0);
  await expect(own).toHaveAttribute('data-state', 'running');
  await quit(shellscope);
  await expect(question(shellscope)).toBeVisible();
  expect(await ended(shellscope, () => shellscope.app.process().kill('SIGTERM'))).toBe(0);
});

test('with nothing but a shell at its prompt, closing the last window asks nothing', async ({ shellscope }) => {
  await shellAtPrompt(shellscope);
  expect(await ended(shellscope, () => closeWindow(shellscope))).toBe(0);
});

test('of two windows one closes without a question, and quitting asks in one of them', async ({
  shellscope,
  agent,
}) => {
  await agent.start('one', ['/bin/cat']);
  const coming = shellscope.app.waitForEvent('window');
  await shellscope.page.keyboard.press('Control+Shift+N');
  const { page } = await Shellscope.drawn(shellscope.app, await coming);
  await quit(shellscope);
  const dialogs = () =>
    Promise.all([shellscope.page, page].map((one) => one.getByRole('alertdialog', { name: /Quitting ends/ }).count()));
  await expect.poll(async () => (await dialogs()).toSorted((a, b) => a - b)).toEqual([0, 1]);

  // A reload asks again, and does not end the app.
  const asking = (await dialogs())[1] === 1 ? page : shellscope.page;
  const other = asking === page ? shellscope.page : page;
  await asking.reload();
  await expect(asking.getByRole('alertdialog')).toBeVisible();
  // The desktop may have given its keyboard to the other window: what counts is where it is in this one.
  await expect.poll(() => asking.evaluate(() => document.activeElement?.textContent)).toBe('Keep running');
  await asking.keyboard.press('Escape');
  await other.close();
  await expect(asking.getByRole('alertdialog')).toHaveCount(0);
});

test('a page that hangs does not keep the app from ending', async ({ shellscope, agent }) => {
  await agent.start('one', ['/bin/cat']);
  await expect(shellscope.tabs).toHaveCount(1);
  // It hangs from the message on; before, it could still show the question.
  const hanging = shellscope.page.waitForEvent('console', (message) => message.text() === 'hangs');
  await shellscope.page.evaluate(() => {
    setTimeout(() => {
      // oxlint-disable-next-line no-console -- the test hears of it before the page hangs
      console.log('hangs');
      for (;;) {
        // As long as the page lives.
      }
    });
  });
  await hanging;
  expect(await ended(shellscope, () => quit(shellscope))).toBe(0);
});
