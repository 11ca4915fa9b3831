import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { ExecClient } from '../test/support/exec-client.ts';
import { expect, Shellscope, test } from './fixtures.ts';
import { keptFile, keptTabs, killApp, startAgain } from './restart.ts';

interface TabFacts {
  readonly name: string | null;
  readonly state: string | null;
  readonly exitCode: string | null;
}

/** What each pane's strip has, from left to right. */
async function places({ page }: Shellscope): Promise<readonly (readonly TabFacts[])[]> {
  return page.getByRole('tablist').evaluateAll((lists) =>
    lists.map((list) =>
      [...list.querySelectorAll('[role=tab]')].map((tab) => ({
        name: tab.getAttribute('aria-label') ?? tab.textContent,
        state: tab.getAttribute('data-state'),
        exitCode: tab.getAttribute('data-exit-code'),
      })),
    ),
  );
}

async function agentOf(shellscope: Shellscope): Promise<ExecClient> {
  const { url, token } = await shellscope.connection();
  return ExecClient.ready(url, token);
}

async function find({ page }: Shellscope, text: string): Promise<Locator> {
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type(text);
  return page.getByRole('search', { name: 'Find in this pane' }).getByRole('status');
}

test('after a quit each tab is at its place again, ended, with its output; a closed one is not', async ({
  shellscope,
  stateFolder,
}) => {
  const agent = await agentOf(shellscope);
  await agent.start('failing', ['/bin/sh', '-c', 'echo what it said; exit 1']);
  const failing = shellscope.tab(/what it said/);
  await expect(failing).toHaveAttribute('data-exit-code', '1');
  await agent.start('running', ['/bin/sh', '-c', 'seq 2000; echo the needle; exec sleep 1000']);
  await agent.start('closed', ['/bin/echo', 'not again']);
  const own = await shellscope.openShell();
  await shellscope.type('echo my own words\n');
  await shellscope.expectScreen(own, /\nmy own words\n/);
  // Beside the others, in a pane of its own.
  await shellscope.page.keyboard.press('Alt+Shift+ArrowRight');
  await expect(shellscope.page.getByRole('tablist')).toHaveCount(2);
  const border = shellscope.page.getByRole('separator');
  await border.focus();
  await shellscope.page.keyboard.press('ArrowLeft');
  await expect(border).toHaveAttribute('aria-valuenow', '45');
  await shellscope.tab(/not again/).click();
  await shellscope.page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(shellscope.tabs).toHaveCount(3);
  await expect.poll(() => keptTabs(stateFolder)).toBe(3);
  agent.drop();
  await shellscope.app.close();

  const again = await startAgain(stateFolder);
  const { page } = again;
  // A new shell is in view where she worked, and has the keyboard.
  await expect(again.tabs).toHaveCount(4);
  await expect(page.getByRole('tab', { name: /bash, you, running/ })).toHaveAttribute('aria-selected', 'true');
  await again.expectScreen(page.getByRole('tab', { name: /bash, you, running/ }), '$');
  await again.type('echo typed at once\n');
  await again.expectScreen(page.getByRole('tab', { name: /bash, you, running/ }), /\ntyped at once\n/);
  await expect(page.getByRole('separator')).toHaveAttribute('aria-valuenow', '45');
  const after = await places(again);
  const ended = { state: 'closed', exitCode: null };
  expect(after.map((tabs) => tabs.filter(({ state }) => state !== 'running'))).toEqual([
    [
      { name: expect.stringMatching(/^echo what it said.*exited 1/), state: 'closed', exitCode: '1' },
      { name: expect.stringMatching(/^seq 2000.*killed SIGTERM/), ...ended },
    ],
    [{ name: expect.stringMatching(/^bash: tmp, you, killed SIGHUP/), ...ended }],
  ]);

  const running = again.tab(/the needle/);
  await running.click();
  await again.expectScreen(running, /1999\n2000\nthe needle/);
  const panelOf = (name: RegExp): Locator => page.getByRole('tabpanel', { name });
  await expect(panelOf(/the needle/).getByText(/^ended with Shellscope by SIGTERM after/)).toBeVisible();
  await running.press('Enter');
  await expect(await find(again, 'needle')).toHaveText('1 of 1');
  await page.keyboard.press('Escape');
  const shell = again.tab(/bash: tmp, you, killed/);
  await shell.click();
  await again.expectScreen(shell, /\nmy own words\n/);
  await again.tab(/what it said/).click();
  await expect(panelOf(/what it said/).getByText(/^exited with code 1 after/)).toBeVisible();
  const before = await again.tabs.count();
  await panelOf(/what it said/)
    .getByRole('button', { name: 'Run again' })
    .click();
  await expect(again.tabs).toHaveCount(before + 1);
  await again.expectScreen(page.getByRole('tab', { name: /what it said.*, you,/ }), 'what it said');

  // Closed is closed, also over the next restart.
  await running.click();
  await panelOf(/the needle/)
    .getByRole('button', { name: 'Close', exact: true })
    .click();
  await expect(running).toHaveCount(0);
  await expect.poll(() => keptTabs(stateFolder)).toBe(4);
  await again.app.close();
  const third = await startAgain(stateFolder);
  await expect(third.tab(/what it said/)).toHaveCount(2);
  await expect(third.tab(/the needle/)).toHaveCount(0);
  // Of her own shells that ended with the app those of the last time; the one before would be one more each time.
  await expect(third.tab(/bash, you, killed/)).toHaveCount(1);
  await third.tab(/bash, you, killed/).click();
  await third.expectScreen(third.tab(/bash, you, killed/), /typed at once/);
  await third.page.keyboard.press('Control+Shift+P');
  await third.page.keyboard.type('Close all ended');
  await third.page.keyboard.press('Enter');
  await expect(third.tabs).toHaveCount(1);
  await third.app.close();
});

test('an app that is killed has its tabs again as lost; what is damaged costs its tab, and is told', async ({
  stateFolder,
}) => {
  await writeFile(join(stateFolder, '.bashrc'), "PS1='$ '\n");
  const first = await startAgain(stateFolder);
  const agent = await agentOf(first);
  await agent.start('silent', ['/bin/sleep', '1001']);
  await agent.start('talking', ['/bin/sh', '-c', 'echo so far; exec sleep 1002']);
  await agent.start('broken', ['/bin/sh', '-c', 'echo broken; exit 0']);
  await expect(first.tab(/exited 0/)).toHaveCount(1);
  await first.tab(/so far/).click();
  await first.expectScreen(first.tab(/so far/), 'so far');
  const shown = await first.tab(/so far/).getAttribute('data-session-id');
  await expect.poll(() => keptFile(stateFolder)).toContain(`"shown":"${shown}"`);
  expect(await keptTabs(stateFolder)).toBe(3);
  await killApp(first);
  agent.drop();
  await damage(stateFolder, 'echo broken');

  const again = await startAgain(stateFolder);
  await expect(again.tabs).toHaveCount(2);
  await expect(again.page.getByText(/A tab of the last time could not be brought back: .* is damaged\./)).toBeVisible();
  expect((await places(again)).flat()).toEqual([
    { name: expect.stringMatching(/^sleep 1001, .*lost/), state: 'lost', exitCode: null },
    { name: expect.stringMatching(/^echo so far.*lost/), state: 'lost', exitCode: null },
  ]);
  await expect(again.tab(/so far/)).toHaveAttribute('aria-selected', 'true');
  await again.expectScreen(again.tab(/so far/), 'so far');
  const panel = again.page.getByRole('tabpanel', { name: /so far/ });
  await expect(panel.getByRole('status').getByText('lost: Shellscope was killed')).toBeVisible();
  // Told once: a reload has nothing new.
  await again.page.reload();
  await expect(again.tabs).toHaveCount(2);
  await expect(again.page.getByText(/could not be brought back/)).toHaveCount(0);
  await again.app.close();
});

test('S10: a reload, a crash of the page and a restart lose no output, also what was printed meanwhile', async ({
  shellscope,
  stateFolder,
}) => {
  const agent = await agentOf(shellscope);
  await agent.start('counting', ['/bin/sh', '-c', 'i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.01; done']);
  await shellscope.tab(/line/).click();
  const shown = () => screenOfFirstWindow(shellscope);
  await expect.poll(async () => lastLine(await shown())).toBeGreaterThan(20);

  let before = lastLine(await shown());
  await shellscope.page.reload();
  await expect.poll(async () => lastLine(await shown())).toBeGreaterThan(before);

  before = lastLine(await shown());
  const crashed = shellscope.page.waitForEvent('crash');
  shellscope.provoked.push(/the page ended unexpectedly/);
  await shellscope.inApp(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer();
  }, null);
  await crashed;
  await expect.poll(async () => lastLine(await shown())).toBeGreaterThan(before);

  before = lastLine(await shown());
  await shellscope.app.close();
  agent.drop();
  const again = await startAgain(stateFolder);
  await again.tab(/line/).click();
  await expect.poll(async () => lastLine(await screenOfFirstWindow(again))).toBeGreaterThanOrEqual(before);
  await again.app.close();
});

test('each window has its own tabs again', async ({ shellscope, stateFolder }) => {
  const agent = await agentOf(shellscope);
  await agent.start('one', ['/bin/sh', '-c', 'echo in the first']);
  await agent.start('two', ['/bin/sh', '-c', 'echo in the second']);
  await shellscope.tab(/in the second/).click();
  await shellscope.expectScreen(shellscope.tab(/in the second/), 'in the second');
  const coming = shellscope.app.waitForEvent('window');
  await shellscope.page.keyboard.press('Control+Alt+Shift+N');
  await Shellscope.drawn(shellscope.app, await coming);
  await expect(shellscope.tabs).toHaveCount(1);
  await expect.poll(async () => (await keptFile(stateFolder)).split('"isActive"').length - 1).toBe(2);
  await expect.poll(() => keptTabs(stateFolder)).toBe(2);
  agent.drop();
  await shellscope.app.close();

  const again = await startAgain(stateFolder);
  await expect.poll(() => again.app.windows().length).toBe(2);
  const windows = await Promise.all(again.app.windows().map((page) => Shellscope.drawn(again.app, page)));
  const printed: string[] = [];
  for (const window of windows) {
    await expect(window.tabs).toHaveCount(1);
    await window.expectScreen(window.tabs.first(), /in the (first|second)/);
    printed.push((await window.screenText(window.tabs.first())) ?? '');
  }
  expect(printed.map((text) => text.trim()).sort()).toEqual(['in the first', 'in the second']);
  await again.app.close();
});

test('a shell that nobody used leaves nothing behind: the next start is as the first', async ({
  shellscope,
  stateFolder,
}) => {
  await shellscope.openShell();
  await expect.poll(() => keptTabs(stateFolder)).toBe(1);
  const child = shellscope.app.process();
  const end = once(child, 'exit');
  child.kill('SIGTERM');
  await end;
  const again = await startAgain(stateFolder);
  await expect(again.page.getByRole('heading', { name: 'Shellscope' })).toBeVisible();
  await expect(again.tabs).toHaveCount(0);
  await expect(again.newShell).toBeEnabled();
  await again.app.close();
});

/** Read in the app: after a crash the test has no page any more. Empty while there is none. */
async function screenOfFirstWindow(shellscope: Shellscope): Promise<string> {
  const code = 'shellscopeTest.screenText(shellscopeTest.selectedSession() ?? "") ?? ""';
  const text: unknown = await shellscope.inApp(
    async ({ BrowserWindow }, asked) =>
      (await BrowserWindow.getAllWindows()[0]
        ?.webContents.executeJavaScript(asked)
        .catch(() => '')) as unknown,
    code,
  );
  return typeof text === 'string' ? text : '';
}

/** The last of the lines, which must all be there from the first on; 0 for none. Throws where one is missing. */
function lastLine(screen: string): number {
  const lines = screen.match(/^line \d+$/gm) ?? [];
  // The last one may be half written.
  const whole = screen.endsWith('\n') ? lines : lines.slice(0, -1);
  expect(whole).toEqual(whole.map((_, index) => `line ${index + 1}`));
  return whole.length;
}

/** Overwrites the middle of the transcript in which this stands. */
async function damage(stateFolder: string, words: string): Promise<void> {
  const folder = join(stateFolder, 'transcripts');
  for (const path of await readdir(folder, { recursive: true })) {
    const file = join(folder, path);
    const bytes = path.endsWith('.out') ? await readFile(file) : Buffer.alloc(0);
    if (bytes.includes(words)) {
      await writeFile(file, bytes.fill('x', 10, 100).fill('x', bytes.length - 60));
    }
  }
}
