import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExecClient } from '../test/support/exec-client.ts';
import { brokenRules } from './broken-rules.ts';
import { expect, test, type Shellscope } from './fixtures.ts';
import { connectMcpByCommand } from './mcp-client.ts';

/** Before everything that is not known to be safe. */
const ASK = JSON.stringify({ approvals: { mode: 'ask-unless-known-safe' } });

test.beforeEach(async ({ shellscope, stateFolder }) => {
  await expect(shellscope.newShell).toBeVisible();
  await writeFile(join(stateFolder, 'settings.json'), ASK, { mode: 0o600 });
});

const question = ({ page }: Shellscope, command: string) =>
  page.getByRole('article').filter({ has: page.getByText(command, { exact: true }) });

/** The host's environment: what is always allowed runs with no other. */
const INHERITED = {
  env: {},
  envPolicy: { inherit: 'all', ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [] },
};

const sh = (script: string) => ['/bin/sh', '-c', script];

test('a command is asked about in the window, and each answer does what it says', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  // Refused with a word, which reaches the agent.
  const refused = agent.start('p1', sh('touch one; exit 0'));
  const first = question(shellscope, '/bin/sh -c "touch one; exit 0"');
  await expect(first).toBeVisible();
  await expect(page.getByRole('button', { name: '1 question waits for you' })).toBeVisible();
  await first.getByRole('button', { name: 'Refuse and say why' }).click();
  await first.getByRole('textbox', { name: 'What the agent is told' }).fill('use the other folder');
  await page.keyboard.press('Enter');
  expect(await refused).toMatchObject({ error: { message: expect.stringContaining('use the other folder') } });
  await expect(first).toHaveCount(0);

  // Once is once.
  const once = agent.start('p2', sh('touch a; exit 4'));
  await question(shellscope, '/bin/sh -c "touch a; exit 4"').getByRole('button', { name: 'Allow once' }).click();
  expect(await once).toMatchObject({ result: {} });
  expect((await agent.closedProcess('p2')).exitCode).toBe(4);

  // For this session: the same again is not asked.
  const session = agent.start('p3', sh('touch b; exit 5'));
  await question(shellscope, '/bin/sh -c "touch b; exit 5"')
    .getByRole('button', { name: 'Allow for this session' })
    .click();
  expect(await session).toMatchObject({ result: {} });
  expect(await agent.start('p4', sh('touch b; exit 5'))).toMatchObject({ result: {} });

  // Always writes the rule that it showed, and asks no more.
  const remove = (id: string) => agent.start(id, ['rm', '-rf', 'no-such-folder'], INHERITED);
  const always = remove('p5');
  const asked = question(shellscope, 'rm -rf no-such-folder');
  await expect(asked.getByText('allow rm -rf no-such-folder')).toBeVisible();
  await asked.getByRole('button', { name: 'Always allow' }).click();
  expect(await always).toMatchObject({ result: {} });
  const settings = JSON.parse(await readFile(join(stateFolder, 'settings.json'), 'utf8')) as {
    readonly approvals: { readonly clients: Readonly<Record<string, { readonly rules: readonly unknown[] }>> };
  };
  expect(Object.values(settings.approvals.clients).flatMap(({ rules }) => rules)).toHaveLength(1);
  expect(await remove('p6')).toMatchObject({ result: {} });
});

test('questions are answered by the keyboard alone, and take it from nobody', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  const own = await shellscope.openShell();
  await shellscope.type('echo mi');
  const { url, token } = await shellscope.connection();
  const other = await ExecClient.ready(url, token);
  const one = agent.start('p1', sh('touch c; exit 1'));
  const two = other.start('p2', sh('touch d; exit 2'));
  await expect(page.getByRole('article')).toHaveCount(2);
  // Enter in a terminal approves nothing.
  await shellscope.type('ne\n');
  await shellscope.expectScreen(own, /echo mine\s+mine/);
  await expect(page.getByRole('article')).toHaveCount(2);
  expect(await brokenRules(page)).toEqual([]);

  // In a low window the line that is typed in comes out from beneath them, and its program is told of no other size.
  await shellscope.setContentSize(900, 600);
  const size = page.getByText(/^\d+×\d+ set by you$/);
  await expect(size).toHaveText(/×30 /);
  await shellscope.type('clear; seq 14\n');
  await shellscope.expectScreen(own, /14\n\$$/);
  const host = page.locator('.terminal-host').first();
  const isCursorSeen = (): Promise<boolean> =>
    host.evaluate((terminal) => {
      const { x, y, width, height } = terminal.querySelector('.xterm-cursor')?.getBoundingClientRect() ?? new DOMRect();
      return terminal.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    });
  await expect.poll(isCursorSeen).toBe(true);
  await expect(host).toHaveAttribute('style', /translate: 0px -\d+px/);
  await expect(size).toHaveText(/×30 /);

  await page.keyboard.press('Control+Shift+Q');
  await expect(page.getByRole('button', { name: 'Refuse', exact: true }).first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article')).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Refuse', exact: true })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article')).toHaveCount(0);
  const answers = await Promise.all([one, two]);
  const outcomes = answers.map((answer) => ('error' in answer ? 'refused' : 'allowed'));
  // Which of two connections is heard first is nobody's choice.
  expect(outcomes.toSorted()).toEqual(['allowed', 'refused']);
  // Back where the person was, and as it stood.
  await expect(host).not.toHaveAttribute('style', /translate/);
  await shellscope.type('echo again\n');
  await shellscope.expectScreen(own, /again\s+again/);
  other.drop();
});

test('a question that nobody answers in time is refused, says until when it can be answered, and leaves the window', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  // Only the ten minutes of a question are shortened: what is shown and what becomes of it is the app's own.
  await shellscope.app.evaluate(() => {
    const real = globalThis.setTimeout;
    const quick = (act: () => void, afterMs?: number, ...rest: unknown[]) =>
      real(act, afterMs === 10 * 60_000 ? 1_500 : afterMs, ...rest);
    globalThis.setTimeout = Object.assign(quick, real) as typeof setTimeout;
  });
  const late = agent.start('p1', sh('touch late; exit 1'));
  const asked = question(shellscope, '/bin/sh -c "touch late; exit 1"');
  await expect(asked).toBeVisible();
  await expect(asked).toContainText(/Without an answer\s*refused at \d/);
  expect(await late).toMatchObject({ error: { message: expect.stringMatching(/nobody answered|time/i) } });
  await expect(asked).toHaveCount(0);
  await expect(page.getByRole('button', { name: /question(s)? wait/ })).toHaveCount(0);
});

test('a question goes with its call, and the others stay where they are', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  const staying = agent.start('p1', sh('touch stays; exit 1'));
  const stays = question(shellscope, '/bin/sh -c "touch stays; exit 1"');
  await expect(stays).toBeVisible();
  const leaving = await connectMcpByCommand(stateFolder);
  const call = new AbortController();
  const left = leaving
    .call('shell_exec', { command: 'touch leaves', cwd: '/tmp' }, { signal: call.signal })
    .catch(() => 'cancelled');
  const leaves = page.getByRole('article').filter({ hasText: 'touch leaves' });
  await expect(leaves).toBeVisible();
  await expect(page.getByRole('button', { name: '2 questions wait for you' })).toBeVisible();
  await page.keyboard.press('Control+Shift+Q');
  const refuse = stays.getByRole('button', { name: 'Refuse', exact: true });
  await expect(refuse).toBeFocused();

  call.abort();
  expect(await left).toBe('cancelled');
  await expect(leaves).toHaveCount(0);
  await expect(page.getByRole('button', { name: '1 question waits for you' })).toBeVisible();
  // What was under the person's fingers is still there.
  await expect(refuse).toBeFocused();
  await page.keyboard.press('Enter');
  expect(await staying).toMatchObject({ error: {} });
  await expect(page.getByRole('article')).toHaveCount(0);
  await leaving.client.close();
});

test('of two questions each is answered for itself', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  const first = agent.start('p1', sh('touch first; exit 1'));
  await expect(question(shellscope, '/bin/sh -c "touch first; exit 1"')).toBeVisible();
  const second = agent.start('p2', sh('touch /dev/null; exit 2'));
  const later = question(shellscope, '/bin/sh -c "touch /dev/null; exit 2"');
  await expect(later).toBeVisible();
  await later.getByRole('button', { name: 'Allow once' }).click();
  expect(await second).toMatchObject({ result: {} });
  expect((await agent.closedProcess('p2')).exitCode).toBe(2);
  await expect(page.getByRole('article')).toHaveCount(1);
  await question(shellscope, '/bin/sh -c "touch first; exit 1"')
    .getByRole('button', { name: 'Refuse', exact: true })
    .click();
  expect(await first).toMatchObject({ error: {} });
});
