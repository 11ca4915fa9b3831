import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExecClient } from '../test/support/exec-client.ts';
import type { McpAgent } from '../test/support/mcp-agent.ts';
import { brokenRules } from './broken-rules.ts';
import { runCli } from './command-line.ts';
import { expect, test, type Shellscope } from './fixtures.ts';
import { connectMcp } from './mcp-client.ts';

/** Only one of the three agents must ask. */
const SETTINGS = { approvals: { mode: 'never-ask', clients: { deployer: { mode: 'ask-unless-known-safe' } } } };
const PASSWORD = 'correct-horse-7';
const RELEASE = ['/bin/sh', '-c', 'touch released; echo released 1.4'];
const MIGRATE =
  'printf "Migrating \\033[1mshop\\033[0m\\nDatabase password: "; read -rs word; printf "\\napplied %s of 3\\n" "${#word}"';
const LINT =
  'for file in cart pay user; do echo "src/$file.ts ok"; done; echo "src/ship.ts:41 unused variable"; exit 1';

const PICTURES = process.env['SHELLSCOPE_PICTURES'];

for (const scheme of ['light', 'dark'] as const) {
  test(`a developer’s morning: one agent asks, one hangs on a password, one fails (${scheme})`, async ({
    shellscope,
    stateFolder,
  }) => {
    const { page } = shellscope;
    const look = async (name: string) => {
      expect(await brokenRules(page)).toEqual([]);
      if (PICTURES !== undefined) {
        await page.screenshot({ path: join(PICTURES, `morning-${name}-${scheme}.png`), animations: 'disabled' });
      }
    };
    await page.emulateMedia({ colorScheme: scheme });
    await writeFile(join(stateFolder, 'settings.json'), JSON.stringify(SETTINGS), { mode: 0o600 });

    // She is at work in a shell of her own.
    const own = await shellscope.openShell();
    await shellscope.type('echo good mor');

    // Three agents begin, each by a protocol of its own.
    const { url } = await shellscope.connection();
    const deployer = await ExecClient.ready(url, await tokenOf('deployer', stateFolder));
    const migrator = await connectMcp({ url, token: await tokenOf('migrator', stateFolder) });
    const released = deployer.start('release', RELEASE);
    const hanging = await migrator.ok('shell_exec', { command: MIGRATE, login: false, title: 'migrate shop' });
    expect(hanging).toMatchObject({ state: 'running', waiting: { class: 'password' } });
    const migrated = migrator.ok('shell_wait', { session_ids: hanging.session_id, until: 'exit' });
    await runCli(stateFolder, 'run', '--detach', '--name', 'lint', '--', 'sh', '-c', LINT);

    // All of it is told, and none of it took her keyboard.
    const asked = page.getByRole('article').filter({ hasText: 'touch released' });
    const hangs = shellscope.tab(/migrate shop, migrator, waits: password/);
    const failed = shellscope.tab(/^lint.*exited 1/);
    await expect(asked).toBeVisible();
    await expect(page.getByRole('button', { name: '1 question waits for you' })).toBeVisible();
    await expect(hangs).toBeVisible();
    await expect(failed).toHaveAccessibleDescription('Not looked at yet');
    await expect(own).toHaveAttribute('aria-selected', 'true');
    await shellscope.type('ning\n');
    await shellscope.expectScreen(own, /echo good morning\s+good morning/);
    // The question does not lie over the line that she types in.
    const place = await asked.boundingBox();
    expect(place?.y).toBeGreaterThan((await page.locator('.xterm-cursor').first().boundingBox())?.y ?? Infinity);
    await look('1-all-at-once');

    await help(shellscope, migrated);
    await look('2-helped');

    // The failure is next; it has been looked at then.
    await page.keyboard.press('Control+Shift+M');
    await expect(failed).toHaveAttribute('aria-selected', 'true');
    await expect(failed).not.toHaveAccessibleDescription('Not looked at yet');
    await expect(page.getByText(/exited with code 1 after/)).toBeVisible();
    await shellscope.expectScreen(failed, 'src/ship.ts:41 unused variable');
    await page.keyboard.press('Control+Shift+G');
    await shellscope.type('unused');
    await expect(page.getByText('1 of 1')).toBeVisible();
    await look('3-read');
    await page.keyboard.press('Escape');

    // What is asked: the key leads to the safe answer, two further on is the one that she means.
    await page.keyboard.press('Control+Shift+Q');
    await expect(asked.getByRole('button', { name: 'Refuse', exact: true })).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect(asked.getByRole('button', { name: 'Allow once' })).toBeFocused();
    await page.keyboard.press('Enter');
    expect(await released).toMatchObject({ result: {} });
    expect(await deployer.closedProcess('release')).toMatchObject({ output: 'released 1.4\r\n', exitCode: 0 });

    // Nothing is left that wants her.
    await expect(page.getByRole('article')).toHaveCount(0);
    await readBack(shellscope);
    await look('4-read-back');

    await page.keyboard.press('Control+Shift+D');
    await expect(shellscope.tabs).toHaveCount(1);
    await shellscope.expectScreen(own, /echo good morning\s+good morning/);
    deployer.drop();
    await migrator.client.close();
  });
}

/** What `shellscope connect NAME` gives a client; by it the window knows the name. */
async function tokenOf(client: string, stateFolder: string): Promise<string> {
  const { stdout } = await runCli(stateFolder, 'connect', client, '--json');
  return (JSON.parse(stdout) as { readonly token: string }).token;
}

/** One key leads to what hangs, whatever else there is; the agent goes on and learns nothing. */
async function help(shellscope: Shellscope, migrated: ReturnType<McpAgent['ok']>): Promise<void> {
  const { page } = shellscope;
  await page.keyboard.press('Control+Shift+M');
  await expect(shellscope.tab(/migrate shop/)).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByText('migrator holds the keyboard')).toBeVisible();
  await shellscope.type(`${PASSWORD}\n`);
  const facts = await migrated;
  expect(facts).toMatchObject({ sessions: [{ state: 'closed', exit_code: 0 }] });
  expect(JSON.stringify(facts)).not.toContain(PASSWORD);
  await shellscope.expectScreen(shellscope.tab(/migrate shop/), `applied ${PASSWORD.length} of 3`);
}

/** The timeline tells who did what in the session that she helped. */
async function readBack(shellscope: Shellscope): Promise<void> {
  const { page } = shellscope;
  await shellscope.tab(/migrate shop/).click();
  await page.keyboard.press('Control+Shift+Y');
  const entries = page.getByRole('complementary', { name: 'Timeline' }).getByRole('listitem');
  await expect(entries.filter({ hasText: 'migrator ran' })).toHaveCount(1);
  await expect(entries.filter({ hasText: 'you took the keyboard' })).toHaveCount(1);
  await expect(entries.filter({ hasText: 'you typed what the terminal does not show' })).toHaveCount(1);
  // Not even how many keys it had.
  await expect(entries.filter({ hasText: /you typed \d/ })).toHaveCount(0);
  await expect(entries.filter({ hasText: 'the program exited with code 0' })).toHaveCount(1);
  await expect(page.getByText(PASSWORD)).toHaveCount(0);
}
