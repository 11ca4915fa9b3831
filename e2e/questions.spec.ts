import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { ExecClient } from '../test/support/exec-client.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

/** Before everything that is not known to be safe. */
const ASK = JSON.stringify({ approvals: { mode: 'ask-unless-known-safe' } });

test.beforeEach(async ({ shellscope, stateFolder }) => {
  await expect(shellscope.page.getByRole('button', { name: 'New shell' }).first()).toBeVisible();
  await writeFile(join(stateFolder, 'settings.json'), ASK, { mode: 0o600 });
});

const question = ({ page }: Shellscope, command: string) =>
  page.getByRole('article').filter({ has: page.getByText(command, { exact: true }) });

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

  // Always writes the rule that it showed.
  const always = agent.start('p5', ['/usr/bin/env', 'FOO=1', 'touch', 'x']);
  const asked = question(shellscope, '/usr/bin/env FOO=1 touch x');
  await expect(asked).toBeVisible();
  const rule = asked.getByRole('button', { name: /^Always: / });
  if ((await rule.count()) > 0) {
    await rule.click();
    expect(await always).toMatchObject({ result: {} });
    const settings = JSON.parse(await readFile(join(stateFolder, 'settings.json'), 'utf8')) as {
      readonly approvals: { readonly clients: Readonly<Record<string, { readonly rules: readonly unknown[] }>> };
    };
    expect(Object.values(settings.approvals.clients).flatMap(({ rules }) => rules)).toHaveLength(1);
  } else {
    await asked.getByRole('button', { name: 'Refuse', exact: true }).click();
    expect(await always).toMatchObject({ error: {} });
  }
});

test('questions are answered by the keyboard alone, and take it from nobody', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  await page.getByRole('button', { name: 'New shell' }).first().click();
  const own = shellscope.tabs.first();
  await shellscope.expectScreen(own, '$');
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
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);

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
  // Back where the person was.
  await shellscope.type('echo again\n');
  await shellscope.expectScreen(own, /again\s+again/);
  other.drop();
});
