import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import type { ExecClient } from '../test/support/exec-client.ts';
import { expect, type Shellscope } from './fixtures.ts';

/** What the agent's commands print, so that they read as in a project and are alike everywhere. */
const NPM = `#!/bin/bash
build() {
  printf '\\033[1m> web@2.1.0 build\\033[0m\\n\\n'
  for i in 1 2 3 4 5 6; do printf '\\033[32m✓\\033[0m compiled \\033[36msrc/page-%s.ts\\033[0m in %s ms\\n' $i $((i * 13)); done
}
case "$*" in
'run build') build; exec sleep 300 ;;
test) build; printf '\\n\\033[31m✗ 1 test failed\\033[0m\\n'; exit 1 ;;
'run preview')
  # It outlives its session; waited for until it can be reached, so that it has left the terminal, too.
  setsid python3 -m http.server 0 --bind 127.0.0.1 >/dev/null 2>&1 &
  until ls -l /proc/$!/fd 2>/dev/null | grep -q socket; do :; done ;;
esac
`;

const TELLS_PROGRESS = `#!/bin/bash
printf '\\033]9;4;%s\\007' "$PROGRESS"
exec sleep 300
`;

/** As Codex asks for its commands: the host's environment, without what looks like a credential. */
const INHERITED = {
  env: {},
  envPolicy: { inherit: 'all', ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [] },
};

export interface Walk {
  readonly shellscope: Shellscope;
  readonly agent: ExecClient;
  readonly stateFolder: string;
  /** Called in each state, once what makes it is on the screen. */
  readonly visit: (name: string) => Promise<void>;
}

/** Leads the window through every state that it has. */
export async function walkThroughStates(walk: Walk): Promise<void> {
  const { shellscope, stateFolder, visit } = walk;
  const { page } = shellscope;
  const settings = (more?: Readonly<Record<string, unknown>>): Promise<void> => writeSettings(walk, more);
  await beStill(page);
  await makeProject(stateFolder);
  await visit('01-empty');
  await sessions(walk);
  await overThePanes(walk);
  await panes(walk);

  await page.keyboard.press('Control+,');
  const sheet = page.getByRole('dialog', { name: 'Settings' });
  await expect(sheet.getByRole('searchbox')).toBeFocused();
  await visit('14-settings');
  await settings({ terminal: { fontSize: 'large', cursorStyle: 'bar' } });
  await expect(sheet.getByText(/In the file, line 6: Font size must be a number/)).toBeVisible();
  await visit('15-settings-wrong');
  await settings();
  await expect(page.locator('.notice')).toHaveCount(0);
  await page.keyboard.press('Control+Shift+J');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await visit('16-shortcuts');
  await page.keyboard.press('Escape');
  await rights(walk);
  await endOfTheApp(walk);
  await progress(walk);
  await clipboardQuestion(walk);
  await inputMarks(walk);
}

/** The file of settings: these, and what a walk has always. */
export const writeSettings = (
  { stateFolder }: Pick<Walk, 'stateFolder'>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<void> =>
  writeFile(
    join(stateFolder, 'settings.json'),
    JSON.stringify({ appearance: { theme: 'system' }, ...settings }, null, 2),
  );

/** Has the window stand still, and look as the system wants it: whoever visits says how that is. */
export async function beStill(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: null, reducedMotion: 'reduce' });
}

const projectOf = (stateFolder: string): string => join(stateFolder, 'web');

async function makeProject(stateFolder: string): Promise<void> {
  await mkdir(projectOf(stateFolder));
  await mkdir(join(stateFolder, 'bin'));
  await writeFile(join(stateFolder, 'bin', 'npm'), NPM, { mode: 0o755 });
}

/** Starts a command line of the agent in its project. */
function start(
  { agent, stateFolder }: Walk,
  id: string,
  command: string,
  more: object = {},
): ReturnType<ExecClient['start']> {
  return agent.start(id, ['/bin/bash', '-c', command], {
    cwd: pathToFileURL(projectOf(stateFolder)).href,
    env: { PATH: `${join(stateFolder, 'bin')}:/usr/bin:/bin`, TERM: 'xterm-256color' },
    ...more,
  });
}

/** How sessions run and end. */
async function sessions(walk: Walk): Promise<void> {
  const { shellscope, agent, visit } = walk;
  const { page } = shellscope;
  await start(walk, 'build', 'npm run build', { metadata: { toolCallId: 'call_1' } });
  const running = shellscope.tab(/running/i).first();
  await shellscope.expectScreen(running, 'page-6.ts');
  await visit('02-running');

  await start(walk, 'test', 'npm test');
  await agent.closedProcess('test');
  const exited = shellscope.tab(/exited 1/i);
  await exited.click();
  await shellscope.expectScreen(exited, '1 test failed');
  await visit('03-exited');

  await agent.start('typo', ['gti', 'status']);
  await shellscope.tab(/failed to start/i).click();
  await expect(page.getByText('This session could not start')).toBeVisible();
  await visit('04-failed-to-start');

  const shell = await shellscope.openShell();
  await shellscope.type('ls -la --color /usr/lib | head -20\n');
  await shellscope.expectScreen(shell, /total/);
  await expect(page.getByText(/[1-9]\S* k?B out/)).toBeVisible();
  await visit('05-own-shell');

  await running.click();
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Control+Shift+Y');
  await shellscope.type('q');
  await agent.write('build', 'x', 'w1');
  await expect(page.getByText(/tried to type at/)).toBeVisible();
  await expect(page.getByText(/CPU \d+%/).first()).toBeVisible();
  await visit('06-in-control');

  const acts = page.getByRole('complementary', { name: 'Timeline' }).getByRole('listitem');
  await page.keyboard.press('Control+Alt+Shift+H');
  await expect(acts.filter({ hasText: 'exited with code 1' })).toContainText('npm test');
  await expect(acts.filter({ hasText: 'could not start it' })).toContainText('gti status');
  await visit('62-timeline-of-all');
  await page.keyboard.press('Control+Alt+Shift+H');
  await expect(acts.filter({ hasText: 'exited with code 1' })).toHaveCount(0);
}

/** What lies over the panes or beneath them. */
async function overThePanes(walk: Walk): Promise<void> {
  const { shellscope, agent, visit } = walk;
  const { page } = shellscope;
  await page.keyboard.press('Control+Shift+G');
  await shellscope.type('compiled');
  await expect(page.getByText('6 of 6')).toBeVisible();
  await visit('07-find');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+P');
  await visit('08-palette');
  await page.keyboard.press('Escape');

  await start(walk, 'left', 'npm run preview');
  await agent.closedProcess('left');
  await page.keyboard.press('Control+Shift+O');
  await expect(page.getByText(/listens on/)).toBeVisible();
  await visit('09-survivors');
  await page.keyboard.press('Escape');

  await askUnlessKnownSafe(walk);
  const asked = start(walk, 'push', 'rm -rf dist && git push --force origin main', INHERITED);
  await expect(page.getByRole('article')).toBeVisible();
  await visit('10-question');
  await page.getByRole('article').getByRole('button', { name: 'Refuse', exact: true }).click();
  await asked;
  await writeSettings(walk);

  await page.keyboard.press('Control+Shift+K');
  await expect(page.getByText('environments.toml').first()).toBeVisible();
  await visit('11-connect');
  await page.keyboard.press('Control+Shift+K');
}

async function panes({ shellscope, visit }: Walk): Promise<void> {
  const { page } = shellscope;
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Control+Shift+Y');
  await shellscope
    .tab(/running/i)
    .first()
    .click();
  await page.keyboard.press('Control+Shift+W');
  await expect(page.getByRole('button', { name: 'Keep it running' }).first()).toBeVisible();
  await visit('12-close-question');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+H');
  await expect(page.getByRole('tablist')).toHaveCount(2);
  const second = page.getByRole('tablist').nth(1).getByRole('tab');
  await shellscope.expectScreen(second, '$');
  await visit('13-split');
  await page.keyboard.press('Control+Alt+Shift+T');
  await expect(page.getByRole('dialog', { name: 'All tabs' })).toBeVisible();
  await visit('13-all-tabs');
  await page.keyboard.press('Escape');
}

/** What agents may do unasked, what their sessions were given, and what a session is called. */
async function rights(walk: Walk): Promise<void> {
  const { shellscope, stateFolder, visit } = walk;
  const { page } = shellscope;
  await askUnlessKnownSafe(walk);
  for (const command of ['rm -rf dist', 'git push --force origin main']) {
    const asked = start(walk, command, command, INHERITED);
    await page.getByRole('article').getByRole('button', { name: 'Allow for this session' }).click();
    await asked;
  }
  await expect(page.getByRole('article')).toHaveCount(0);
  await writeSettings(walk);
  await page.keyboard.press('Control+Alt+Shift+A');
  const granted = page.getByRole('dialog', { name: 'Allowed commands' });
  await expect(granted.getByRole('listitem')).toHaveCount(2);
  await visit('17-allowed-commands');
  await page.keyboard.press('Escape');

  await start(walk, 'dev', 'npm run build', {
    env: { PATH: `${join(stateFolder, 'bin')}:/usr/bin:/bin`, NODE_ENV: 'development', PORT: '5173' },
    envPolicy: { ...INHERITED.envPolicy, set: { PAGER: 'cat' } },
  });
  const builds = shellscope.tab(/npm run build/);
  await expect(builds).toHaveCount(2);
  await builds.last().click();
  await page.keyboard.press('Control+Alt+Shift+E');
  await expect(page.getByRole('dialog', { name: 'Environment' }).getByText('NODE_ENV')).toBeVisible();
  await visit('18-environment');
  await page.keyboard.press('Escape');

  await start(walk, 'limited', 'npm run build', {
    shellscope: { limits: { memoryBytes: 512_000_000, processes: 64, cpuSeconds: 600, outputBytes: 10_000_000 } },
  });
  await expect(builds).toHaveCount(3);
  await builds.last().click();
  await page.keyboard.press('Control+Alt+Shift+I');
  await expect(page.getByRole('dialog', { name: 'Session details' }).getByText(/of 512 MB/)).toBeVisible();
  await visit('18-session-details');
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+Shift+Z');
  await expect(page.getByRole('dialog', { name: /^Rename / }).getByRole('textbox')).toBeFocused();
  await visit('19-rename');
  await page.keyboard.press('Escape');
}

/** For an app that was started with `ASK_SWITCH`. */
async function endOfTheApp({ shellscope, visit }: Walk): Promise<void> {
  const { page } = shellscope;
  await shellscope.inApp(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close(), null);
  await expect(page.getByRole('button', { name: 'Keep running' })).toBeFocused();
  await visit('20-quit-question');
  await page.keyboard.press('Escape');
}

/** What a program wants to put on the clipboard. */
async function clipboardQuestion({ shellscope, visit }: Walk): Promise<void> {
  const { page } = shellscope;
  const shell = await shellscope.openShell();
  const text = 'cd ~/web && npm ci\nnpm run build\u001B[2K\nnpm run preview\nexit\n';
  const base64 = Buffer.from(text).toString('base64');
  await shellscope.type(`clear; printf '\\033]52;c;%s\\007%s\\n' ${base64} "copied from the notes"\n`);
  await shellscope.expectScreen(shell, /^copied from the notes\n\$$/);
  await expect(page.getByRole('button', { name: 'Copy once' })).toBeEnabled();
  await visit('22-clipboard-question');
  await page.getByRole('button', { name: 'Refuse', exact: true }).click();
}

/** What programs say of their progress. */
async function progress(walk: Walk): Promise<void> {
  const { shellscope, visit } = walk;
  await shellscope.page.keyboard.press('Control+Shift+L');
  for (const [command, told] of [
    ['cargo build', '1;40'],
    ['pip install -e .', '3'],
    ['wget debian.iso', '4;75'],
    ['cmake --build .', '2;90'],
  ] as const) {
    const [program = ''] = command.split(' ');
    await writeFile(join(walk.stateFolder, 'bin', program), TELLS_PROGRESS, { mode: 0o755 });
    await start(walk, command, command, {
      env: { PATH: `${join(walk.stateFolder, 'bin')}:/usr/bin:/bin`, TERM: 'xterm-256color', PROGRESS: told },
    });
  }
  for (const words of ['running 40%', 'working', 'paused at 75%', 'error at 90%']) {
    await expect(shellscope.page.getByRole('treeitem').filter({ hasText: words })).toBeVisible();
  }
  await shellscope.tab(/^cmake/).click();
  await visit('21-progress');
}

/** Who typed at which line: an agent, the person, and the terminal that answered; and the way from one to the next. */
async function inputMarks({ shellscope, agent, stateFolder, visit }: Walk): Promise<void> {
  const { page } = shellscope;
  await agent.start('shared', ['/bin/bash', '--norc', '--noediting', '-i'], {
    cwd: pathToFileURL(projectOf(stateFolder)).href,
    env: { PATH: `${join(stateFolder, 'bin')}:/usr/bin:/bin`, TERM: 'xterm-256color', PS1: '$ ' },
  });
  const tab = shellscope.tab(/^bash, test-agent/);
  await tab.click();
  await shellscope.expectScreen(tab, '$');
  await agent.write('shared', 'npm test\r', 'm1');
  await shellscope.expectScreen(tab, /1 test failed\n\$/);
  await agent.write('shared', `printf '\\e[6n'; read -rsd R place; echo "at \${place#*[}"\r`, 'm2');
  await shellscope.expectScreen(tab, /\nat \d+;1\n\$/);
  await agent.write('shared', 'npm', 'm3');
  await shellscope.expectScreen(tab, /\$ npm$/);
  await shellscope.type(' test\n');
  await shellscope.expectScreen(tab, /1 test failed\n\$[^]+1 test failed\n\$/);
  await expect(page.locator('.input-mark[aria-label*="test-agent"][aria-label*="you typed"]')).toBeVisible();
  await page.keyboard.press('Control+Shift+PageUp');
  await expect(page.getByText(/^Input \d of \d: /)).toBeVisible();
  await visit('23-input-marks');
}

function askUnlessKnownSafe(walk: Walk): Promise<void> {
  return writeSettings(walk, { approvals: { mode: 'ask-unless-known-safe' } });
}

/** An app that was killed in the last of those states has its tabs again. */
export async function afterKill(shellscope: Shellscope, visit: Walk['visit']): Promise<void> {
  await beStill(shellscope.page);
  const lost = shellscope.tab(/npm run build, .*lost/).first();
  await lost.click();
  await shellscope.expectScreen(lost, 'page-6.ts');
  await visit('22-after-a-kill');
}
