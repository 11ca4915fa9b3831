import type { Command } from 'commander';
import { finish } from '../cli-error.ts';

/** `shellscope mcp` */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('speak the Model Context Protocol on stdin and stdout, for an agent that starts it')
    .addHelpText('after', '\nNothing but messages is printed, one a line; the end of stdin ends every child.')
    .action(() =>
      finish(async () => {
        const { mcp } = await import('../mcp.ts');
        // Not by `exitCode`: what a client that stopped reading was still owed would keep this process for ever.
        process.exit(await mcp());
      }),
    );
}
