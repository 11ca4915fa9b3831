import { execFileSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ExecClient } from '../test/support/exec-client.ts';
import { agentOf } from '../test/support/mcp-agent.ts';
import { brokenRules } from './broken-rules.ts';
import { runCli } from './command-line.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

/** For a look at the pictures: a folder that they are put into. */
const PICTURES = process.env['SHELLSCOPE_CONNECT_PICTURES'];

const CHOICES = [
  ['Codex', ['Copy the block for Codex, with the token', 'Copy the MCP block for Codex']],
  ['Claude Code', ['Copy the line for Claude Code']],
  ['VS Code', ['Copy the block for VS Code']],
  ['Any MCP client', ['Copy the block for MCP clients', 'Copy the URL', 'Copy the path of the token file']],
  ['Exec-server', ['Copy the URL', 'Copy the path of the token file']],
] as const;

for (const scheme of ['light', 'dark'] as const) {
  test(`there are lines to copy for each kind of agent, by the keyboard alone, in the ${scheme} scheme`, async ({
    shellscope,
    agent,
  }) => {
    const { page } = shellscope;
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await agent.start('job', ['/bin/cat']);
    await page.getByRole('button', { name: 'Connect an agent' }).click();
    const panel = page.getByRole('dialog', { name: 'Connect an agent' });
    await panel.getByRole('radio', { name: 'Codex' }).focus();
    for (const [index, [name, buttons]] of CHOICES.entries()) {
      if (index > 0) {
        await page.keyboard.press('ArrowRight');
      }
      await expect(panel.getByRole('radio', { name })).toBeChecked();
      await expect(panel.getByRole('button', { name: /^Copy/ })).toHaveCount(buttons.length);
      for (const button of buttons) {
        await expect(panel.getByRole('button', { name: button })).toBeVisible();
      }
      expect(await brokenRules(page)).toEqual([]);
      if (PICTURES !== undefined) {
        await page.screenshot({ path: join(PICTURES, `connect-${index}-${scheme}.png`) });
      }
    }
  });
}

test('what is copied connects an agent that is told of nothing else, and the guide shows that it did', async ({
  shellscope,
}) => {
  const { page } = shellscope;
  await expect(page.getByRole('status').filter({ hasText: 'waiting for an agent…' })).toBeVisible();
  await page.getByRole('radio', { name: 'Any MCP client' }).check();
  const block = await copied(shellscope, 'the block for MCP clients');
  const { command, args } = (JSON.parse(block) as { mcpServers: { shellscope: { command: string; args: string[] } } })
    .mcpServers.shellscope;
  const client = new Client({ name: 'claude-code', version: '1.0.0' });
  const transport = new StdioClientTransport({ command, args, cwd: '/tmp', env: { PATH: '/usr/bin:/bin' } });
  await client.connect(transport);
  const proof = page.getByRole('status', { name: 'Connected agents' });
  await expect(proof).toHaveText('claude-code connected');
  await expect(page.getByRole('status', { name: 'Door for agents' })).toContainText('claude-code connected');
  if (PICTURES !== undefined) {
    await page.screenshot({ path: join(PICTURES, 'connected.png') });
  }
  await agentOf(client).ok('shell_exec', { command: 'echo here' });
  await expect(shellscope.tab(/^echo here, claude-code, exited 0/)).toBeVisible();
  await page.getByRole('button', { name: 'Connect an agent' }).click();
  await expect(proof).toHaveText('claude-code connected');
  await client.close();
  await expect(page.getByRole('status').filter({ hasText: 'waiting for an agent…' })).toBeVisible();
});

test('a client of the exec-server is shown by its name, and by that of its token, for as long as it is connected', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const proof = page.getByRole('status', { name: 'Connected agents' });
  const door = page.getByRole('status', { name: 'Door for agents' });
  const told = async (words: string | null): Promise<void> => {
    await expect(proof).toHaveText(words ?? 'waiting for an agent…');
    await expect(door).toContainText(words ?? 'no agents');
  };
  await told(null);
  const { url, token } = await shellscope.connection();
  const silent = await ExecClient.connect(url, { headers: { authorization: `Bearer ${token}` } });
  await told('1 agent connected');
  silent.drop();
  const codex = await ExecClient.ready(url, token, null, 'codex-environment');
  await told('codex connected');
  const { stdout } = await runCli(stateFolder, 'connect', 'claude-code', '--json');
  const claude = await ExecClient.ready(url, (JSON.parse(stdout) as { token: string }).token, null, 'anything');
  await told('codex, claude-code connected');
  const second = await ExecClient.ready(url, token, null, 'codex');
  await told('codex ×2, claude-code connected');
  if (PICTURES !== undefined) {
    await page.screenshot({ path: join(PICTURES, 'connected-by-name.png') });
  }
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    expect(await brokenRules(page)).toEqual([]);
  }
  codex.drop();
  await told('claude-code, codex connected');
  second.drop();
  await told('claude-code connected');
  claude.drop();
  await told(null);
  const hidden = await ExecClient.ready(url, token, null, 'co\u202edex\n'.repeat(40));
  await expect(proof).toContainText('co\\u202edex co\\u202edex');
  expect(await door.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  if (PICTURES !== undefined) {
    await page.screenshot({ path: join(PICTURES, 'connected-by-a-long-name.png') });
  }
  hidden.drop();
});

test('the line for Claude Code is one that a shell reads as it is meant', async ({ shellscope, stateFolder }) => {
  await shellscope.page.getByRole('radio', { name: 'Claude Code' }).check();
  const line = await copied(shellscope, 'the line for Claude Code');
  const claude = join(stateFolder, 'claude');
  await writeFile(claude, '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  await chmod(claude, 0o755);
  const read = execFileSync('/bin/sh', ['-c', line], { env: { PATH: `${stateFolder}:/usr/bin:/bin` } }).toString();
  const words = read.trimEnd().split('\n');
  await shellscope.page.getByRole('radio', { name: 'VS Code' }).check();
  const { servers } = JSON.parse(await copied(shellscope, 'the block for VS Code')) as {
    servers: { shellscope: { type: string; command: string; args: string[] } };
  };
  const { type, command, args } = servers.shellscope;
  expect(type).toBe('stdio');
  expect(words).toEqual(['mcp', 'add', '--scope', 'user', 'shellscope', '--', command, ...args]);
});

/** What the clipboard has when that was copied. */
async function copied({ app, page }: Shellscope, subject: string): Promise<string> {
  await page.getByRole('button', { name: `Copy ${subject}` }).click();
  await expect(page.getByText(`Copied ${subject}`)).toBeAttached();
  return app.evaluate(({ clipboard }: { readonly clipboard: { readText(): string | Promise<string> } }) =>
    clipboard.readText(),
  );
}
