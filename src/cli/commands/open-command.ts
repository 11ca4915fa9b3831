import type { Command } from 'commander';
import { finish } from '../cli-error.ts';
import { findSession, withHost } from '../host.ts';

/** `shellscope open [ID]` */
export function addOpenCommand(program: Command): void {
  program
    .command('open')
    .description("show the app's window, and a session in it")
    .argument('[id]', 'the session, or an abbreviation of its id')
    .addHelpText('after', '\nExamples:\n  shellscope open\n  shellscope open 3')
    .action((id: string | undefined) =>
      finish(() =>
        withHost('open', async (host) => {
          const session = id === undefined ? null : (await findSession(host, id)).id;
          await host.request('open', { session });
          return 0;
        }),
      ),
    );
}
