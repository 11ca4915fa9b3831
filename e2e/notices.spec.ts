import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecClient } from '../test/support/exec-client.ts';
import { expect, test, type Shellscope } from './fixtures.ts';
import { connectMcp } from './mcp-client.ts';

/** What an app that was started for tests keeps in place of notifications (src/main/notices/recorded-notifier.ts). */
interface RecordOfTests {
  readonly shellscopeTestNotices: {
    readonly notices: readonly { readonly title: string; readonly body: string; readonly isWithdrawn: boolean }[];
    click(index: number): void;
  };
}

const ASK = JSON.stringify({ approvals: { mode: 'ask-unless-known-safe' } });
const sh = (script: string) => ['/bin/sh', '-c', script];

const notices = (shellscope: Shellscope) =>
  shellscope.inApp(() => (globalThis as unknown as RecordOfTests).shellscopeTestNotices.notices, null);
const standing = async (shellscope: Shellscope) =>
  (await notices(shellscope)).filter(({ isWithdrawn }) => !isWithdrawn).map(({ title }) => title);

/** The person works elsewhere: what has the keyboard on her desktop is none of our windows. */
async function goElsewhere(shellscope: Shellscope): Promise<void> {
  await shellscope.inApp(({ BrowserWindow }) => BrowserWindow.getAllWindows().forEach((window) => window.blur()), null);
  await expect
    .poll(() => shellscope.inApp(({ BrowserWindow }) => BrowserWindow.getFocusedWindow() === null, null))
    .toBe(true);
}

/** A run that fails by itself, after long enough to matter. */
async function fail(shellscope: Shellscope, agent: ExecClient, id: string): Promise<void> {
  await agent.start(id, sh('read go; exit 1'));
  await expect(shellscope.tab(/waits: line/)).toHaveCount(1);
  await agent.write(id, 'go\r', `${id}-1`);
  await agent.closedProcess(id);
}

const title = (shellscope: Shellscope) =>
  shellscope.inApp(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.getTitle()), null);

test('who works elsewhere is told of a question once, and it goes when it is answered', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  await writeFile(join(stateFolder, 'settings.json'), ASK, { mode: 0o600 });
  expect(await title(shellscope)).toEqual(['Shellscope']);
  await goElsewhere(shellscope);
  const one = agent.start('p1', sh('touch a; exit 1'));
  await expect.poll(() => standing(shellscope)).toEqual(['test-agent wants to run a command']);
  const two = agent.start('p2', sh('touch b; exit 2'));
  // One for both, with the words of both.
  await expect.poll(async () => (await notices(shellscope)).at(-1)?.body).toMatch(/touch a.*\n.*touch b/);
  expect(await standing(shellscope)).toHaveLength(1);
  await expect.poll(() => title(shellscope)).toEqual(['(2) Shellscope']);

  await shellscope.app.evaluate(() => {
    const { shellscopeTestNotices: record } = globalThis as unknown as RecordOfTests;
    record.click(record.notices.length - 1);
  });
  const refuse = shellscope.page.getByRole('button', { name: 'Refuse', exact: true });
  for (const questions of [2, 1]) {
    await expect(refuse).toHaveCount(questions);
    await expect(refuse.first()).toBeFocused();
    await shellscope.page.keyboard.press('Enter');
  }
  await Promise.all([one, two]);
  await expect.poll(() => standing(shellscope)).toEqual([]);
  await expect.poll(() => title(shellscope)).toEqual(['Shellscope']);
});

test('a password that nobody types and what an agent asks for are told, and a click leads there', async ({
  shellscope,
}) => {
  const { page } = shellscope;
  await shellscope.openShell();
  const mcp = await connectMcp(await shellscope.connection());
  await goElsewhere(shellscope);
  const { session_id } = await mcp.ok('shell_exec', {
    command: 'read -rsp "Password: " word; echo; exec sleep 300',
    login: false,
    title: 'migrate shop',
    yield_ms: 5_000,
  });
  await expect.poll(() => standing(shellscope)).toEqual(['migrate shop waits for a password']);
  const done = mcp.ok('shell_request_human', { session_id, message: 'type the password', kind: 'secret' });
  await expect.poll(() => standing(shellscope)).toEqual([expect.stringMatching(/ asks you$/)]);
  await shellscope.app.evaluate(() => {
    const { shellscopeTestNotices: record } = globalThis as unknown as RecordOfTests;
    record.click(record.notices.length - 1);
  });
  await expect(shellscope.tab(/migrate shop/)).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('button', { name: 'Done' }).click();
  await done;
  await expect.poll(() => standing(shellscope)).not.toContainEqual(expect.stringMatching(/ asks you$/));
  await mcp.client.close();
});

test('a failure is told while she is away and gone when she is back; at the window nothing is told', async ({
  shellscope,
  agent,
}) => {
  await goElsewhere(shellscope);
  await fail(shellscope, agent, 'away');
  await expect.poll(() => standing(shellscope)).toEqual(['read go; exit 1: exited 1']);
  await shellscope.inApp(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.focus(), null);
  await expect.poll(() => standing(shellscope)).toEqual([]);
  const before = (await notices(shellscope)).length;
  await fail(shellscope, agent, 'here');
  await expect(shellscope.tab(/exited 1/)).toHaveCount(2);
  expect(await notices(shellscope)).toHaveLength(before);
});

test('turned off in the settings nothing is told, only counted; turned on again what comes from then on is told', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  const settings = (isOn: boolean) =>
    writeFile(
      join(stateFolder, 'settings.json'),
      JSON.stringify({ approvals: { mode: 'ask-unless-known-safe' }, notifications: { system: isOn } }),
    );
  const toggle = page.getByRole('checkbox', { name: 'System notifications' });
  await page.keyboard.press('Control+,');
  await page.keyboard.type('system notifications');
  await toggle.uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(toggle).toHaveCount(0);
  await goElsewhere(shellscope);

  // A failure and a question: each is in the window by the same event that would have told it.
  await fail(shellscope, agent, 'unheard');
  await expect(shellscope.tab(/exited 1/)).toHaveCount(1);
  await settings(false);
  const one = agent.start('p1', sh('touch a; exit 1'));
  await expect.poll(() => title(shellscope)).toEqual(['(1) Shellscope']);
  expect(await notices(shellscope)).toEqual([]);

  await settings(true);
  await page.keyboard.press('Control+,');
  await expect(toggle).toBeChecked();
  await page.keyboard.press('Escape');
  // What came meanwhile is old news; with the next it is told.
  expect(await notices(shellscope)).toEqual([]);
  const two = agent.start('p2', sh('touch b; exit 2'));
  await expect.poll(() => standing(shellscope)).toEqual(['test-agent wants to run a command']);
  expect((await notices(shellscope)).map(({ body }) => body)).toEqual([expect.stringMatching(/touch a.*\n.*touch b/)]);
  for (const left of [1, 0]) {
    await page.getByRole('button', { name: 'Refuse', exact: true }).first().click();
    await expect(page.getByRole('article')).toHaveCount(left);
  }
  await Promise.all([one, two]);
});

test('the app counts all that waits for a person, whichever way it came, until it is answered', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  const settings = { approvals: { mode: 'never-ask', clients: { 'mcp-test': { mode: 'never-ask' } } } };
  await writeFile(join(stateFolder, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  const mcp = await connectMcp(await shellscope.connection());
  const { session_id } = await mcp.ok('shell_open', { command: 'exec cat', title: 'a cat' });
  const asking = mcp.ok('shell_request_human', { session_id, message: 'look at it', kind: 'ask', yield_ms: 60_000 });
  await expect.poll(() => title(shellscope)).toEqual(['(1) Shellscope']);
  await writeFile(join(stateFolder, 'settings.json'), ASK, { mode: 0o600 });
  const asked = agent.start('p1', sh('touch a; exit 1'));
  await expect(page.getByRole('article')).toBeVisible();
  await expect.poll(() => title(shellscope)).toEqual(['(2) Shellscope']);

  await page.getByRole('button', { name: 'Refuse', exact: true }).click();
  await asked;
  await expect.poll(() => title(shellscope)).toEqual(['(1) Shellscope']);
  await shellscope.tab(/a cat/).click();
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await asking).toMatchObject({ human: { state: 'done' } });
  await expect.poll(() => title(shellscope)).toEqual(['Shellscope']);
  await mcp.client.close();
});
