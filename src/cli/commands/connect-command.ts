import { Option, type Command } from 'commander';
import { finish } from '../cli-error.ts';
import type { ConnectTarget } from '../connect.ts';

interface ConnectArguments {
  readonly for?: ConnectTarget;
  readonly list: boolean;
  readonly revoke?: string;
  readonly json: boolean;
}

/** `shellscope connect [NAME]` */
export function addConnectCommand(program: Command): void {
  program
    .command('connect')
    .description('print what connects a client, and give it a token of its own')
    .argument('[name]', 'how the client is called in the window; with it, it gets a token')
    .addOption(
      new Option('--for <client>', 'whose configuration to print').choices(['codex', 'claude', 'vscode', 'mcp', 'all']),
    )
    .addOption(new Option('--list', 'show the clients that have a token').default(false))
    .option('--revoke <name>', "take a client's token back")
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
Codex runs its commands here by the exec-server protocol, and needs a token; every client can use the tools of
\`shellscope mcp\`, which need none.

Examples:
  shellscope connect codex
  shellscope connect --for claude
  shellscope connect --revoke codex`,
    )
    .action((name: string | undefined, { for: target, list, revoke, json }: ConnectArguments, command: Command) => {
      const needsName = target === undefined || target === 'codex' || target === 'all';
      if (!list && revoke === undefined && name === undefined && needsName) {
        command.error(
          'error: say the name of the client that shall connect, e.g. `shellscope connect codex`; or --list, --revoke NAME, --for claude',
        );
      }
      return finish(async () => {
        const { connect, listClients, revokeClient } = await import('../connect.ts');
        if (list) {
          return listClients(json);
        }
        return revoke === undefined
          ? connect({ name: name ?? null, target: target ?? 'codex', json })
          : revokeClient(revoke);
      });
    });
}
