import { ExecClient } from '../test/support/exec-client.ts';
import { expect, test } from './fixtures.ts';
import { connectMcp } from './mcp-client.ts';
import { filesWith, lettersIn, pressKeys, SECRET } from './secret-letters.ts';

/** As the secret, but shown. */
const SHOWN = 'ԘԚԜԞԠ';

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
