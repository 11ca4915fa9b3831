import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator, Page } from '@playwright/test';
import { ExecClient } from '../test/support/exec-client.ts';
import { drawnCharacters } from './drawn-characters.ts';
import { expect, test } from './fixtures.ts';
import { connectMcp } from './mcp-client.ts';

/** For a look at the pictures: a folder that they are put into. */
const PICTURES = process.env['SHELLSCOPE_PICTURES'];

/** Turns what follows, has no width, hides in the sign before, is no space that parts words. */
const EVIL = '\u202E\u2066\u200B\uFE0F\u00A0\u{E0041}';
const TOLD = '\\u202e\\u2066\\u200b\\ufe0f\\u00a0\\u{e0041}';

/** Texts and attributes of the page that have something unseen in them; not what a terminal shows. */
const unseenIn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const unseen = /[\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}\p{Cc}]|\uFE0F/u;
    const found: string[] = [];
    for (const element of document.body.querySelectorAll('*')) {
      if (element.closest('.xterm, script, style') === null) {
        const own = [...element.childNodes].filter((node) => node instanceof Text).map(({ data }) => data);
        const said = [...element.attributes].map(({ name, value }) => `${name}=${value.replaceAll('\n', ' ')}`);
        found.push(...[...own, ...said].filter((text) => unseen.test(text.replaceAll('\n', ' '))));
      }
    }
    return found;
  });

/** The characters of an element in the order in which they stand on the screen, for a text of one line. */
async function asSeen(element: Locator): Promise<string> {
  const characters = (await drawnCharacters(element)).toSorted((a, b) => a.left - b.left);
  return characters.map(({ character }) => character).join('');
}

test('what a person decides about hides nothing and stands in its own order, in the question and wherever it is told of later', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await writeFile(
    join(stateFolder, 'settings.json'),
    JSON.stringify({ approvals: { mode: 'ask-unless-known-safe' } }),
    { mode: 0o600 },
  );
  const folder = join(stateFolder, `a${EVIL}b`);
  await mkdir(folder);
  const { url, token } = await shellscope.connection();
  const agent = await ExecClient.connect(url, { headers: { authorization: `Bearer ${token}` } });
  await agent.request('initialize', { clientName: `agent${EVIL}x`, resumeSessionId: null });
  agent.send({ method: 'initialized', params: {} });
  const started = agent.start('p1', ['/bin/sh', '-c', `echo ${EVIL}; exec cat`, 'א/ב', 'ג'], {
    cwd: pathToFileURL(folder).href,
    env: { PATH: '/usr/bin:/bin', [`NAME${EVIL}`]: 'value' },
    metadata: { toolCallId: `call${EVIL}` },
  });
  const question = page.getByRole('article');
  await expect(question).toBeVisible();
  await expect(question.getByRole('heading')).toHaveText(
    `agent${TOLD.replace('\\u00a0', '\u00A0')}x wants to run a command`,
  );
  await expect(question.locator('.question-command')).toHaveText(`/bin/sh -c "echo ${TOLD}; exec cat" "א/ב" "ג"`);
  await expect(question.locator('dd').first()).toHaveText(`${stateFolder}/a${TOLD}b`);
  await expect(question).toContainText(`NAME${TOLD}`);
  expect(await unseenIn(page)).toEqual([]);
  const words = question.locator('.whole-word').filter({ hasText: /[א-ת]/ });
  expect(await Promise.all((await words.all()).map(asSeen))).toEqual(['"א/ב"', '"ג"']);
  if (PICTURES !== undefined) {
    await page.screenshot({ path: `${PICTURES}/unseen-question.png` });
  }

  await question.getByRole('button', { name: 'Allow for this session' }).click();
  await started;
  await agent.request('shellscope/setTitle', { processId: 'p1', title: `title${EVIL}x` });
  const tab = shellscope.tab(/^title/);
  await tab.click();
  await expect(tab).toHaveAccessibleName(/^title\\u202e\\u2066\\u200b/);
  for (const keys of ['Control+Shift+L', 'Control+Shift+Y', 'Control+Alt+Shift+I']) {
    await page.keyboard.press(keys);
  }
  await expect(
    page.getByRole('dialog', { name: 'Session details' }).getByText(folder.replace(EVIL, TOLD)),
  ).toBeVisible();
  await expect(page.getByRole('complementary', { name: 'Timeline' })).toContainText('named it title\\u202e');
  await expect(page.getByRole('treeitem', { name: /^title\\u202e/ })).toBeVisible();
  expect(await unseenIn(page)).toEqual([]);
  if (PICTURES !== undefined) {
    await page.screenshot({ path: `${PICTURES}/unseen-details.png` });
  }
  await page.keyboard.press('Escape');
  for (const [keys, told] of [
    ['Control+Alt+Shift+E', 'NAME\\u202e'],
    ['Control+Alt+Shift+A', 'echo \\u202e'],
    ['Control+Alt+Shift+T', 'title\\u202e'],
    ['Control+Shift+P', 'Go to title\\u202e'],
    ['Control+Shift+Z', 'Enter to rename'],
  ] as const) {
    await page.keyboard.press(keys);
    if (told.startsWith('Go to')) {
      await page.keyboard.type('title');
    }
    await expect(page.getByRole('dialog').last()).toContainText(told);
    // Where a name is written, it is as it was given.
    expect((await unseenIn(page)).filter((text) => !text.startsWith('value='))).toEqual([]);
    await page.keyboard.press('Escape');
  }
  agent.drop();
});

test('what an agent asks a person for, and what it asks to type, hides nothing', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const mcp = await connectMcp(await shellscope.connection());
  const { session_id } = await mcp.ok('shell_open', { command: 'exec bash --norc', title: `a shell${EVIL}` });
  const asking = mcp.ok('shell_request_human', {
    session_id,
    message: `look${EVIL}at it`,
    kind: 'ask',
    yield_ms: 60_000,
  });
  await shellscope.tab(/^a shell/).click();
  await expect(page.getByRole('alert').filter({ hasText: 'asks you' })).toContainText('look\\u202e\\u2066\\u200b');
  expect(await unseenIn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Done' }).click();
  await asking;
  await writeFile(join(stateFolder, 'settings.json'), JSON.stringify({ approvals: { mode: 'ask-unless-known-safe' } }));
  const typing = mcp.call('shell_write', { session_id, text: `rm ${EVIL}x`, submit: true });
  await expect(page.getByRole('article').locator('.question-command')).toContainText(`rm ${TOLD}x`);
  expect(await unseenIn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Refuse', exact: true }).click();
  await typing;
  await mcp.client.close();
});
