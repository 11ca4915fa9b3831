import type { ExecClient } from '../test/support/exec-client.ts';
import { expect, Shellscope } from './fixtures.ts';
import { holdDisk } from './held-disk.ts';
import { beStill, writeSettings } from './window-states.ts';

interface RareWalk {
  readonly shellscope: Shellscope;
  readonly agent: ExecClient;
  readonly stateFolder: string;
  /** Called in each state, once what makes it is on the screen; for the first window unless another one is meant. */
  readonly visit: (name: string, shown?: Shellscope) => Promise<void>;
}

/** Leads the window through what is there when something is not: no agent, no output, no room, no answer. */
export async function walkThroughRareStates(walk: RareWalk): Promise<void> {
  await beStill(walk.shellscope.page);
  await emptyWindows(walk);
  await emptyPanels(walk);
  await typingWish(walk);
  await starting(walk);
  await nineTerminals(walk);
  await withoutOutput(walk);
}

/** A second window of an app without a session, and what is told to each kind of agent. */
async function emptyWindows({ shellscope, visit }: RareWalk): Promise<void> {
  const { page } = shellscope;
  const coming = shellscope.app.waitForEvent('window');
  await page.keyboard.press('Control+Shift+N');
  const second = await Shellscope.drawn(shellscope.app, await coming);
  await beStill(second.page);
  await visit('44-second-window-empty', second);
  await second.page.close();
  for (const [name, state] of [
    ['Claude Code', '45-connect-claude'],
    ['VS Code', '46-connect-vscode'],
    ['Exec-server', '47-connect-exec-server'],
  ] as const) {
    await page.getByRole('radio', { name }).check();
    await visit(state);
  }
  await page.getByRole('radio', { name: 'Codex' }).check();
}

/** Panels with nothing to tell. */
async function emptyPanels({ shellscope, visit }: RareWalk): Promise<void> {
  const { page } = shellscope;
  await shellscope.openShell();
  for (const [key, panel, state] of [
    ['Control+Shift+O', '#survivors-panel', '49-no-survivors'],
    ['Control+Alt+Shift+A', '.over-panel', '50-nothing-allowed'],
    ['Control+Alt+Shift+E', '.over-panel', '51-environment-of-own-shell'],
  ] as const) {
    await page.keyboard.press(key);
    await expect(page.locator(panel)).toBeVisible();
    await visit(state);
    await page.keyboard.press('Escape');
  }
}

/** An agent wants to type a command into a shell that runs. */
async function typingWish({ shellscope, agent, stateFolder, visit }: RareWalk): Promise<void> {
  await agent.start('typist', ['/bin/bash', '--norc', '-i']);
  const tab = shellscope.tab(/^bash, test-agent/);
  await tab.click();
  await shellscope.expectScreen(tab, '$');
  await writeSettings({ stateFolder }, { approvals: { mode: 'ask-unless-known-safe' } });
  const question = shellscope.page.getByRole('article');
  // The first asks once the host has read the settings.
  const typed = agent.write('typist', 'rm -rf dist && git push --force origin main\r', 'w1');
  await expect(question).toBeVisible();
  await visit('52-agent-wants-to-type');
  await question.getByRole('button', { name: 'Refuse', exact: true }).click();
  await typed;
  await writeSettings({ stateFolder });
}

/** The disk hangs while a session is to start. */
async function starting({ shellscope, agent, stateFolder, visit }: RareWalk): Promise<void> {
  const release = await holdDisk(shellscope, stateFolder);
  let started: ReturnType<ExecClient['start']>;
  try {
    started = agent.start('slow', ['/bin/sleep', '300']);
    const tab = shellscope.tab(/sleep 300/);
    await expect(tab).toHaveAttribute('data-state', 'starting');
    await tab.click();
    await visit('53-starting');
  } finally {
    await release();
  }
  await started;
}

/** A ninth pane has no terminal. */
async function nineTerminals({ shellscope, visit }: RareWalk): Promise<void> {
  const { page } = shellscope;
  await shellscope.openShell();
  const split = async (key: 'H' | 'X', count: number): Promise<void> => {
    await page.keyboard.press(`Control+Shift+${key}`);
    await expect(page.getByRole('tablist')).toHaveCount(count);
  };
  await split('H', 2);
  await split('H', 3);
  for (const column of [0, 1, 2]) {
    await split('X', 4 + 2 * column);
    await split('X', 5 + 2 * column);
    await page.keyboard.press('Control+Shift+ArrowLeft');
  }
  await expect(page.getByText('Eight terminals are shown already')).toHaveCount(1);
  await visit('54-eight-terminals');
  for (let left = 8; left >= 1; left -= 1) {
    await page.keyboard.press('Control+Alt+Shift+W');
    await expect(page.getByRole('tablist')).toHaveCount(left);
  }
}

/** The host has no output for a pane. */
async function withoutOutput({ shellscope, visit }: RareWalk): Promise<void> {
  const { page } = shellscope;
  await shellscope.inApp(({ ipcMain }) => {
    ipcMain.removeHandler('sessions/attach');
    ipcMain.handle('sessions/attach', () => {
      throw new Error('the output could not be read');
    });
  }, null);
  await page.keyboard.press('Control+Shift+T');
  const problem = page.getByRole('alert').filter({ hasText: 'This session’s output could not be read' });
  await expect(problem.getByRole('button', { name: 'Show it again' })).toBeVisible();
  await problem.getByText('Details of the error').click();
  await expect(problem.getByText('the output could not be read (sessions/attach)')).toBeVisible();
  await visit('55-no-output');
}
