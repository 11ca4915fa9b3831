import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CDPSession } from '@playwright/test';
import { ExecClient } from '../test/support/exec-client.ts';
import { expect, test } from './fixtures.ts';
import { connectMcp } from './mcp-client.ts';

/** Letters that are in nothing else: what is typed key by key is stored so, if it is, and one of them is a find. */
const SECRET = 'ѪѮѰѲѴ';
const SHOWN = 'ԘԚԜԞԠ';

/** Where in the text a letter of the secret is, as it is or as the characters of one would be escaped. */
function lettersIn(text: string, letters: string): readonly string[] {
  return Array.from(letters).filter(
    (letter) => text.includes(letter) || text.includes(`u0${letter.codePointAt(0)?.toString(16)}`),
  );
}

/** Paths under the folder of files in which a letter is, in any of the forms in which input travels. */
async function filesWith(folder: string, letters: string): Promise<readonly string[]> {
  const forms = Array.from(letters).flatMap((letter) => [Buffer.from(letter), Buffer.from(letter, 'utf16le')]);
  forms.push(Buffer.from(Buffer.from(letters).toString('base64')));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const bytes = await readFile(join(parentPath, name));
        return forms.some((form) => bytes.includes(form)) ? [join(parentPath, name).slice(folder.length + 1)] : [];
      }),
  );
  return found.flat();
}

/** Presses the keys of another keyboard than Playwright knows, then Enter. */
async function pressKeys(cdp: CDPSession, text: string): Promise<void> {
  for (const key of Array.from(text)) {
    await cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text: key });
    await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
  }
  await cdp.send('Input.dispatchKeyEvent', {
    type: 'keyDown',
    key: 'Enter',
    code: 'Enter',
    windowsVirtualKeyCode: 13,
    text: '\r',
  });
  await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 });
}

test('what a person types while it is not shown is stored nowhere and told to no agent', async ({
  shellscope,
  stateFolder,
}) => {
  const { page, app } = shellscope;
  const cdp = await page.context().newCDPSession(page);
  const log: Buffer[] = [];
  app.process().stderr?.on('data', (data: Buffer) => log.push(data));
  const connection = await shellscope.connection();
  const agent = await ExecClient.ready(connection.url, connection.token);
  const mcp = await connectMcp(connection);
  const script = 'read -rsp "Password: " word; echo; [ -n "$word" ] && echo taken; read -r line; exit 0';
  await agent.start('login', ['/bin/bash', '-c', script]);
  const tab = shellscope.tab(/waits: password/);
  await tab.click();
  const login = page.locator('[role=tab][aria-selected=true]');
  await pressKeys(cdp, SECRET);
  await shellscope.expectScreen(login, 'taken');
  await pressKeys(cdp, SHOWN);
  await expect(login).toHaveAttribute('data-exit-code', '0');

  // In a shell of her own as well; afterwards what she types is shown, and its length noted, again.
  const own = await shellscope.openShell();
  await shellscope.type('read -rs word; [ -n "$word" ] && echo ta""ken\n');
  await expect(own).toHaveAccessibleName(/waits: password/);
  await pressKeys(cdp, SECRET);
  await shellscope.expectScreen(own, 'taken');
  await page.keyboard.press('Control+Shift+Y');
  const entries = page.getByRole('complementary', { name: 'Timeline' }).getByRole('listitem');
  await expect(entries.filter({ hasText: 'you typed what the terminal does not show' })).toHaveCount(1);
  await expect(entries.filter({ hasText: /you typed [\d.]+ B/ })).toHaveCount(1);

  const told = JSON.stringify([agent.frames, await mcp.ok('shell_list')]);
  const output = agent.output('login');
  agent.drop();
  await mcp.client.close();
  await app.close();

  expect(lettersIn(told + output + Buffer.concat(log).toString(), SECRET)).toEqual([]);
  expect(output).toContain(SHOWN);
  // The search finds what was shown, so it would have found the other.
  expect(await filesWith(stateFolder, SHOWN)).toContainEqual(expect.stringContaining('transcript'));
  const found = await filesWith(stateFolder, SECRET);
  expect(found).toEqual([]);
});
