import { constants } from 'node:os';
import { InvalidArgumentError, type Command } from 'commander';
import { CliError, finish } from '../cli-error.ts';
import { findSessions, withHost } from '../host.ts';

/** `shellscope kill ID…` */
export function addKillCommand(program: Command): void {
  program
    .command('kill')
    .description('end a session and everything that was started in it; its output stays')
    .argument('<id...>', 'the sessions, or abbreviations of their ids')
    .option('--signal <name>', 'only send this signal to what holds its terminal, e.g. INT', signalArgument)
    .addHelpText(
      'after',
      `
Asks first, and kills what is left after a moment. What already ended is no error: what outlived it is ended.

Examples:
  shellscope kill 3
  shellscope kill --signal HUP 3`,
    )
    .action((ids: readonly string[], { signal }: { readonly signal?: NodeJS.Signals }) =>
      finish(() =>
        withHost('kill', async (host) => {
          const sessions = await findSessions(host, ids);
          if (signal === undefined) {
            await Promise.all(sessions.map(({ id }) => host.request('terminate', { session: id })));
            return 0;
          }
          for (const { id } of sessions) {
            if (!(await host.request('signal', { session: id, signal })).sent) {
              throw new CliError(`session ${id} has ended: nothing was sent to it`);
            }
          }
          return 0;
        }),
      ),
    );
}

function signalArgument(text: string): NodeJS.Signals {
  const name = `SIG${text.toUpperCase().replace(/^SIG/, '')}`;
  if (!Object.hasOwn(constants.signals, name)) {
    throw new InvalidArgumentError('It must be the name of a signal, e.g. INT or SIGHUP; see signal(7).');
  }
  return name as NodeJS.Signals;
}
