import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEFAULT_EXEC_SERVER_PORT } from '../src/shared/limits.ts';
import type { ExecClient } from '../test/support/exec-client.ts';
import { NO_SANDBOX } from '../test/support/sandbox-here.ts';
import { expect, launch, Shellscope } from './fixtures.ts';
import { connectMcp } from './mcp-client.ts';
import { keptTabs, killApp } from './restart.ts';
import { tokenOf } from './seldom-states.ts';
import { beStill, writeSettings } from './window-states.ts';

interface GoneWalk {
  readonly shellscope: Shellscope;
  readonly agent: ExecClient;
  readonly stateFolder: string;
  /** Called in each state, once what makes it is on the screen; for the first window unless another one is meant. */
  readonly visit: (name: string, shown?: Shellscope) => Promise<void>;
}

/** Once it is told to, 32 bytes a line: more than memory keeps, so that the begin is on the disk alone. */
const PACKS = `#!/bin/bash
echo 'which assets?'
read -r line
seq -f 'packed assets/part-%08.0f.js' 1 300000
exec cat
`;

/** Leads the window through what was there and is gone: fences, old output, tabs of the last time, the door for agents. */
export async function walkThroughGoneStates(walk: GoneWalk): Promise<void> {
  const { shellscope, agent, stateFolder, visit } = walk;
  await beStill(shellscope.page);
  await sandboxRetry(walk);
  await links(walk);
  await goneOutput(walk);

  await agent.start('away', ['/bin/sh', '-c', 'echo this is away after the restart']);
  await agent.start('torn', ['/bin/sh', '-c', 'echo this is torn after the restart']);
  await agent.closedProcess('away');
  await agent.closedProcess('torn');
  await expect(shellscope.tab(/after the restart/)).toHaveCount(2);
  await expect.poll(() => keptTabs(stateFolder)).toBe(await shellscope.tabs.count());
  await killApp(shellscope);
  await eachTranscript(stateFolder, async (folder, text) => {
    if (text.includes('this is away')) {
      await rm(folder, { recursive: true });
    } else if (text.includes('this is torn')) {
      for (const name of await readdir(folder)) {
        await writeFile(join(folder, name), 'not a transcript');
      }
    }
  });
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  await shutDoor(walk, (taken.address() as AddressInfo).port);
  taken.close();
  await otherPort(join(stateFolder, 'newcomer'), visit);
}

/** A command is to run in a sandbox and perhaps again without; another one was denied by it. */
async function sandboxRetry({ shellscope, stateFolder, visit }: GoneWalk): Promise<void> {
  const { page } = shellscope;
  const { url } = await shellscope.connection();
  const claude = await connectMcp({ url, token: await tokenOf('claude', stateFolder) });
  await shellscope.openShell();
  await writeSettings({ stateFolder }, { approvals: { mode: 'ask-unless-known-safe' } });
  const cards = page.getByRole('article');
  const fenced = { shell: '/bin/bash', login: false, cwd: process.cwd(), sandbox: 'read-only', yield_ms: 60_000 };
  const asked = [claude.call('shell_exec', { ...fenced, command: 'npm install --global pnpm && touch installed' })];
  await expect(cards).toHaveCount(1);
  await cards.getByRole('checkbox').check();
  if (NO_SANDBOX === null) {
    asked.push(claude.call('shell_exec', { ...fenced, command: 'touch out/report.html' }));
    await expect(cards).toHaveCount(2);
    await cards.last().getByRole('button', { name: 'Allow once' }).click();
    await expect(cards.filter({ hasText: 'again, without its sandbox' })).toHaveCount(1);
  }
  await visit('56-sandbox-retry');
  for (let left = asked.length - 1; left >= 0; left -= 1) {
    await cards.first().getByRole('button', { name: 'Refuse', exact: true }).click();
    await expect(cards).toHaveCount(left);
  }
  await Promise.all(asked);
  await claude.client.close();
  await writeSettings({ stateFolder });
}

/** Links in view, as a list. */
async function links({ shellscope, visit }: GoneWalk): Promise<void> {
  const { page } = shellscope;
  const shell = shellscope.tab(/bash, you/).first();
  await shell.click();
  await shellscope.type(`clear; printf 'see http''s://example.org/%s\\n' issues/7 pull/12 docs/window\n`);
  await shellscope.expectScreen(shell, /org\/docs\/window\n/);
  await page.keyboard.press('Control+Alt+Shift+L');
  await expect(page.getByRole('dialog', { name: 'Open link' }).getByRole('option')).toHaveCount(3);
  await visit('57-links');
  await page.keyboard.press('Escape');
}

/** What was printed long ago is kept no more, while somebody looks for it; and it is told what else is not there. */
async function goneOutput({ shellscope, agent, stateFolder, visit }: GoneWalk): Promise<void> {
  const { page } = shellscope;
  const notices = page.locator('.notice');
  await agent.start('closed', ['/bin/sh', '-c', 'echo this is closed']);
  await agent.closedProcess('closed');
  await shellscope.tab(/this is closed/).click();
  await page.keyboard.press('Control+Shift+W');
  await expect(shellscope.tab(/this is closed/)).toHaveCount(0);

  await writeFile(join(stateFolder, 'pack-assets'), PACKS, { mode: 0o755 });
  await agent.start('pack', ['./pack-assets'], {
    cwd: pathToFileURL(stateFolder).href,
    env: { PATH: '/usr/bin:/bin', TERM: 'xterm-256color' },
  });
  await agent.write('pack', 'all\r', 'all');
  await agent.printed('pack', 'part-00300000.js');
  const pack = shellscope.tab(/pack-assets/);
  await pack.click();
  await shellscope.expectScreen(pack, 'part-00300000.js');
  await page.keyboard.press('Control+Shift+G');
  await shellscope.type('part-000009');
  const status = page.getByRole('search', { name: 'Find in this pane' }).getByRole('status');
  await expect(status).toHaveText('100 earlier');

  // No walk has the time for 256 MiB, above which the host itself forgets the oldest: somebody clears the disk.
  await eachTranscript(stateFolder, async (folder, text) => {
    if (text.includes('which assets?')) {
      const oldest = (await readdir(folder)).toSorted().slice(0, 2);
      await Promise.all(oldest.map((name) => rm(join(folder, name))));
    } else if (text.includes('this is closed')) {
      await rm(folder, { recursive: true });
    }
  });
  await page.keyboard.press('Enter');
  await expect(notices).toHaveText(['That place is no longer kept.']);
  await expect(status).toHaveText('no match · oldest gone');
  // Of what was closed, and then of what was not.
  await page.keyboard.press('Control+Alt+Shift+D');
  await expect(notices).toHaveCount(2);
  await page.keyboard.press('Control+Alt+Shift+D');
  await expect(notices).toHaveText([/place/, /A closed tab cannot be opened again/, /No tab was closed/]);
  await page.keyboard.press('Control+Shift+Y');
  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  await timeline.getByRole('listitem').first().getByRole('button').click();
  await expect(timeline.getByText('That output is no longer kept.')).toBeVisible();
  await visit('58-output-gone');
}

/** Agents cannot connect, and two tabs of the last time did not come back. */
async function shutDoor({ stateFolder, visit }: GoneWalk, port: number): Promise<void> {
  const app = await launch(stateFolder, [], [`--listen=ws://127.0.0.1:${port}`]);
  const again = await Shellscope.drawn(app, await app.firstWindow());
  const { page } = again;
  await beStill(page);
  await page.getByRole('button', { name: 'Connect an agent' }).click();
  await expect(page.getByText(`Agents cannot connect: port ${port} is in use`)).toBeVisible();
  await expect(page.getByText('2 tabs of the last time could not be brought back')).toBeVisible();
  await visit('59-not-listening', again);
  await page.getByRole('button', { name: 'Dismiss' }).first().click();
  await page.keyboard.press('Control+Shift+K');
  await again.tabs.first().click();
  await page.keyboard.press('Control+Alt+Shift+E');
  await expect(page.getByText(/What it was given then is not kept/)).toBeVisible();
  await visit('60-environment-not-kept', again);
  await app.close();
}

/** The usual port is another program's. */
async function otherPort(stateFolder: string, visit: GoneWalk['visit']): Promise<void> {
  await mkdir(stateFolder);
  const held = await heldPort(DEFAULT_EXEC_SERVER_PORT);
  const app = await launch(stateFolder, [], []);
  const shown = await Shellscope.drawn(app, await app.firstWindow());
  await beStill(shown.page);
  await expect(shown.page.getByText(/^Port \d+ is in use by another program/)).toBeVisible();
  await visit('61-other-port', shown);
  await app.close();
  held?.close();
}

/** Null where another program has it already. */
async function heldPort(port: number): Promise<Server | null> {
  const server = createServer().listen(port, '127.0.0.1');
  return once(server, 'listening').then(
    () => server,
    () => null,
  );
}

/** Each session's folder of what was printed, with the begin of its oldest segment. */
async function eachTranscript(
  stateFolder: string,
  act: (folder: string, text: string) => Promise<unknown>,
): Promise<void> {
  const root = join(stateFolder, 'transcripts');
  for (const host of await readdir(root)) {
    const entries = await readdir(join(root, host), { withFileTypes: true });
    for (const folder of entries.filter((one) => one.isDirectory()).map(({ name }) => join(root, host, name))) {
      const [oldest] = (await readdir(folder)).toSorted();
      await act(
        folder,
        oldest === undefined ? '' : (await readFile(join(folder, oldest))).toString('latin1', 0, 4_096),
      );
    }
  }
}
