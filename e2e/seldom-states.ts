import { ExecClient } from '../test/support/exec-client.ts';
import { runCli } from './command-line.ts';
import { expect, Shellscope } from './fixtures.ts';
import { runHundredSessions } from './hundred-sessions.ts';
import { connectMcp } from './mcp-client.ts';
import { beStill, writeSettings } from './window-states.ts';

interface SeldomWalk {
  readonly shellscope: Shellscope;
  readonly stateFolder: string;
  /** Called in each state, once what makes it is on the screen; for the first window unless another one is meant. */
  readonly visit: (name: string, shown?: Shellscope) => Promise<void>;
}

/** Lines of a script that somebody pastes into a program that would take each at once. */
const PASTED = 'cd ~/web\nrm -rf dist node_modules\nnpm ci && npm run build\n';

/** Prints, once it is told to, far more than a pane in view takes in time. */
const FLOOD = 'read -r go; seq 1 3000000';

/** Leads the window through what is seen seldom: searches without a hit, questions of all kinds, bad ends, and crowds. */
export async function walkThroughSeldomStates(walk: SeldomWalk): Promise<void> {
  const { page } = walk.shellscope;
  await beStill(page);
  await withoutAgents(walk);
  await nothingFound(walk);
  await pasteQuestion(walk);
  const { url } = await walk.shellscope.connection();
  const codex = await ExecClient.ready(url, await tokenOf('codex', walk.stateFolder));
  await personNeeded(walk, url);
  await questions(walk, codex);
  await badEnds(walk, codex);
  await dragged(walk);
  await secondWindow(walk);
  await crowds(walk, codex);
  codex.drop();
}

/** What `shellscope connect NAME` gives a client; by it the window knows the name. */
export async function tokenOf(client: string, stateFolder: string): Promise<string> {
  const { stdout } = await runCli(stateFolder, 'connect', client, '--json');
  return (JSON.parse(stdout) as { readonly token: string }).token;
}

async function withoutAgents({ shellscope, visit }: SeldomWalk): Promise<void> {
  const { page } = shellscope;
  await expect(page.getByText('waiting for an agent…')).toBeVisible();
  await page.getByRole('radio', { name: 'Any MCP client' }).check();
  await expect(page.getByText('Or over HTTP')).toBeVisible();
  await visit('30-empty-without-agents');
}

/** Searches that find nothing. */
async function nothingFound({ shellscope, visit }: SeldomWalk): Promise<void> {
  const { page } = shellscope;
  await shellscope.openShell();
  await page.keyboard.press('Control+Shift+P');
  await shellscope.type('deploy to the moon');
  await expect(page.getByRole('dialog').getByRole('option')).toHaveCount(0);
  await visit('31-palette-without-hit');
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+,');
  await page.getByRole('searchbox', { name: 'Search the settings' }).fill('ligatures and more');
  await expect(page.getByText('No setting matches.')).toBeVisible();
  await visit('32-settings-without-hit');
  // The first empties the box.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await page.keyboard.press('Control+Shift+L');
  await page.getByRole('complementary', { name: 'Session list' }).getByRole('searchbox').fill('postgres');
  await expect(page.getByRole('treeitem')).toHaveCount(0);
  await visit('33-filter-without-hit');
  await page.getByRole('complementary', { name: 'Session list' }).getByRole('searchbox').fill('');
  await page.keyboard.press('Control+Shift+L');
}

async function pasteQuestion({ shellscope, visit }: SeldomWalk): Promise<void> {
  const { page } = shellscope;
  const tab = shellscope.tabs.first();
  await tab.click();
  await shellscope.type('clear; echo re""ady; while read -r line; do echo "got <$line>"; done\n');
  await shellscope.expectScreen(tab, /^ready/);
  await shellscope.inApp(({ clipboard }, text) => clipboard.writeText(text), PASTED);
  await page.keyboard.press('Control+Shift+V');
  await expect(page.getByRole('button', { name: 'Do not paste' })).toBeFocused();
  await visit('34-paste-question');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+c');
  await shellscope.expectScreen(tab, /\$ ?$/);
}

/** A program that waits for a password, and the agent that asks for it. */
async function personNeeded({ shellscope, stateFolder, visit }: SeldomWalk, url: string): Promise<void> {
  const claude = await connectMcp({ url, token: await tokenOf('claude', stateFolder) });
  const { session_id } = await claude.ok('shell_exec', {
    command:
      'printf "Migrating \\033[1mshop\\033[0m on db-1\\nPassword for user deploy: "; read -rs word; exec sleep 300',
    login: false,
    title: 'migrate shop',
    yield_ms: 5_000,
  });
  const done = claude.ok('shell_request_human', {
    session_id,
    message: 'please type the password of the user deploy on db-1',
    kind: 'secret',
  });
  const tab = shellscope.tab(/migrate shop/);
  await tab.click();
  await expect(shellscope.page.getByRole('button', { name: 'Decline' })).toBeVisible();
  await shellscope.expectScreen(tab, 'Password for user deploy:');
  await visit('35-person-needed');
  await shellscope.page.getByRole('button', { name: 'Decline' }).click();
  await done;
  await claude.client.close();
}

/** Two at once, one of them about to be refused with a word to the agent. */
async function questions(walk: SeldomWalk, codex: ExecClient): Promise<void> {
  const { shellscope, visit } = walk;
  await writeSettings(walk, { approvals: { mode: 'ask-unless-known-safe' } });
  await shellscope.tab(/bash, you/).click();
  const asked = [
    codex.start('publish', ['npm', 'publish', '--access', 'public']),
    codex.start('drop', ['psql', '-h', 'db-1', '-c', 'drop table orders cascade; vacuum full']),
  ];
  const cards = shellscope.page.getByRole('article');
  await expect(cards).toHaveCount(2);
  await cards.first().getByRole('button', { name: 'Refuse and say why…' }).click();
  await shellscope.type('not before the release notes are written');
  await visit('36-questions');
  for (const left of [1, 0]) {
    await cards.first().getByRole('button', { name: 'Refuse', exact: true }).click();
    await expect(cards).toHaveCount(left);
  }
  await Promise.all(asked);
  await writeSettings(walk);
}

/** A limit, a signal with something left, and a session that has no terminal. */
async function badEnds({ shellscope, visit }: SeldomWalk, codex: ExecClient): Promise<void> {
  const { page } = shellscope;
  await codex.start('flood', ['/bin/sh', '-c', 'yes "warning: unused variable x"'], {
    shellscope: { limits: { outputBytes: 100_000 } },
  });
  await codex.closedProcess('flood');
  await shellscope.tabs.last().click();
  await expect(page.getByText(/^ended by its output limit/)).toBeVisible();
  await visit('37-limit-hit');

  await codex.start('server', [
    '/bin/bash',
    '-c',
    // What outlives the session has left its terminal before anything is told.
    'setsid sleep 300 >/dev/null 2>&1 & until ps -o tty= $! | grep -q "?"; do :; done; echo "dev server is up"; exec sleep 301',
  ]);
  const server = shellscope.tabs.last();
  await server.click();
  await shellscope.expectScreen(server, 'dev server is up');
  const pid = await page.getByText(/^pid \d+$/).textContent();
  process.kill(Number(pid?.slice('pid '.length)), 'SIGKILL');
  await codex.closedProcess('server');
  await expect(page.getByRole('button', { name: 'Show what runs' })).toBeVisible();
  await visit('38-killed');

  await codex.start('pipes', ['/bin/sh', '-c', 'echo "Server listening on stdio"; exec sleep 300'], { tty: false });
  const pipes = shellscope.tabs.last();
  await pipes.click();
  await shellscope.expectScreen(pipes, 'Server listening');
  await visit('39-without-terminal');

  await codex.start('verbose', ['/bin/sh', '-c', FLOOD]);
  await shellscope.tabs.last().click();
  await expect(shellscope.tab(/waits: line/)).toBeVisible();
  await codex.write('verbose', 'go\r', 'w1');
  await codex.closedProcess('verbose');
  await expect(page.getByText(/not shown here$/)).toBeVisible();
  await visit('40-output-left-out');
}

/** A tab on its way to the right side. */
async function dragged({ shellscope, visit }: SeldomWalk): Promise<void> {
  const { page } = shellscope;
  await shellscope.tabs.first().hover();
  await page.mouse.down();
  await page.mouse.move(600, 300, { steps: 4 });
  await page.mouse.move(820, 320, { steps: 4 });
  await expect(page.locator('.drop-mark')).toBeVisible();
  await visit('41-dragged-tab');
  await page.keyboard.press('Escape');
  await page.mouse.up();
}

/** A further window, while the sessions are in the first. */
async function secondWindow({ shellscope, visit }: SeldomWalk): Promise<void> {
  const coming = shellscope.app.waitForEvent('window');
  await shellscope.page.keyboard.press('Control+Shift+N');
  const second = await Shellscope.drawn(shellscope.app, await coming);
  await expect(second.page.getByText(/sessions in other windows/)).toBeVisible();
  await beStill(second.page);
  await visit('42-second-window', second);
  await second.page.close();
}

/** More sessions than tabs find room. */
async function crowds({ shellscope, visit }: SeldomWalk, codex: ExecClient): Promise<void> {
  const { page } = shellscope;
  await runHundredSessions(shellscope, codex);
  await page.keyboard.press('Control+Shift+L');
  await visit('43-hundred-sessions');
}
