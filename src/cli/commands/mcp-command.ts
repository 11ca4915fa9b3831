import type { Command } from 'commander';
import { finish } from '../cli-error.ts';

/** `shellscope mcp` */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('speak the Model Context Protocol on stdin and stdout, for an agent that starts it')
    .option('--alone', 'host the sessions in this process, also when a host runs', false)
    .addHelpText(
      'after',
      '\nThe sessions are those of the running host, where you see them; without one, of this process.\nNothing but messages is printed, one a line. The end of stdin ends what the agent has started.',
    )
    .action(({ alone }: { readonly alone: boolean }) =>
      finish(async () => {
        const { mcp } = await import('../mcp.ts');
        // Not by `exitCode`: what a client that stopped reading was still owed would keep this process for ever.
        process.exit(await mcp({ alone }));
      }),
    );
}
