import type { Command } from 'commander';
import { finish } from '../cli-error.ts';
import { findSessions, withHost } from '../host.ts';

/** `shellscope close ID…` */
export function addCloseCommand(program: Command): void {
  program
    .command('close')
    .description('end a session if it runs, and forget it and its output; its tab goes')
    .argument('<id...>', 'the sessions, or abbreviations of their ids')
    .option('--json', 'print what was known of each as a JSON array', false)
    .action((ids: readonly string[], { json }: { readonly json: boolean }) =>
      finish(() =>
        withHost('close', async (host) => {
          const sessions = await findSessions(host, ids);
          const closed = await Promise.all(sessions.map(({ id }) => host.request('close', { session: id })));
          if (json) {
            process.stdout.write(`${JSON.stringify(closed)}\n`);
          }
          return 0;
        }),
      ),
    );
}
