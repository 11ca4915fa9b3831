import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Question } from '../../src/engine/engine.ts';
import { ControlClient } from '../../src/protocol/control/control-client.ts';
import { CLI, test as cliTest, type CliWorld } from './cli-world.ts';
import { ExecClient } from './exec-client.ts';
import { agentOf, type McpAgent } from './mcp-agent.ts';
import type { Era, Road } from './mcp-world.ts';

/** A host of `shellscope serve --approvals ask`, and agents that it asks a person about. */
export interface ApprovalsWorld extends CliWorld {
  /** Where agents work; gone afterwards, and not below a temporary folder. */
  readonly workspace: string;
  /** An agent by the exec-server protocol. */
  execAgent(): Promise<ExecClient>;
  /** An agent by `shellscope mcp`, which works in the workspace, or by HTTP. */
  /** By stdio, and of the revisions before 2026, when nothing else is said. */
  mcpAgent(road?: Road, era?: Era): Promise<McpAgent>;
  /** Resolves when so many questions wait, the oldest first. */
  questions(count: number): Promise<readonly Question[]>;
  /** What the host would ask nobody about, as the settings file says. */
  settings(): Promise<unknown>;
}

const SETTINGS = { approvals: { mode: 'ask-unless-known-safe' } };

/** The settings are in place before the host starts. */
export const test = cliTest.extend<{ host: ApprovalsWorld }>({
  host: async ({ cli }, use) => {
    const workspace = await realpath(await mkdtemp(join(homedir(), '.shellscope-approvals-test-')));
    await mkdir(join(workspace, 'folder'));
    await writeFile(join(cli.folder, 'settings.json'), JSON.stringify(SETTINGS), { mode: 0o600 });
    await cli.serve('--approvals', 'ask');
    const control = await ControlClient.connect({ folder: join(cli.folder, 'run'), client: 'test' });
    const [execs, mcps]: [ExecClient[], Client[]] = [[], []];
    await use({
      ...cli,
      workspace,
      execAgent: async () => {
        const client = await ExecClient.ready(control.host.execServerUrl ?? '', null);
        execs.push(client);
        return client;
      },
      mcpAgent: async (road = 'stdio', era = 'legacy') => {
        const mode = era === 'modern' ? 'auto' : 'legacy';
        const client = new Client({ name: 'test-mcp', version: '1.0.0' }, { versionNegotiation: { mode } });
        mcps.push(client);
        if (road === 'http') {
          const url = `${(control.host.execServerUrl ?? '').replace('ws:', 'http:')}/mcp`;
          await client.connect(new StreamableHTTPClientTransport(new URL(url)));
          return agentOf(client);
        }
        const env = { PATH: process.env['PATH'] ?? '', HOME: cli.folder, SHELLSCOPE_STATE_DIR: cli.folder };
        await client.connect(
          new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp'], cwd: workspace, env }),
        );
        return agentOf(client);
      },
      questions: (count) => questionsOf(control, count),
      settings: async () => JSON.parse(await readFile(join(cli.folder, 'settings.json'), 'utf8')) as unknown,
    });
    await Promise.allSettled(mcps.map((client) => client.close()));
    for (const client of execs) {
      client.drop();
    }
    // A child that a test left running would write on while its folder is taken away.
    await Promise.all(
      (await control.request('list', {})).sessions.map(({ id }) => control.request('close', { session: id })),
    );
    control.close();
    await rm(workspace, { recursive: true });
  },
});

/** Looks again whenever the host tells of a question. */
async function questionsOf(control: ControlClient, count: number): Promise<readonly Question[]> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      control.onQuestion = () => resolve();
    });
    const { questions } = await control.request('questions', { follow: true });
    if (questions.length === count) {
      return questions;
    }
    await changed;
  }
}
