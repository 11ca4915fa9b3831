import { InvalidArgumentError, Option, type Command } from 'commander';
import { finish } from '../cli-error.ts';
import { durationArgument } from '../duration.ts';

/** Where `read` begins, as it is written on the command line; an offset alone is one of the session as it is now. */
export type ReadFrom = 'start' | 'unread' | 'now' | { readonly epoch: string | null; readonly offset: number };

interface ReadArguments {
  readonly from: ReadFrom;
  readonly reader: string;
  readonly raw?: true;
  readonly text?: true;
  readonly follow: boolean;
  readonly wait: number;
  readonly json: boolean;
}

/** `shellscope read ID` */
export function addReadCommand(program: Command): void {
  program
    .command('read')
    .description('print what a session printed')
    .argument('<id>', 'the session, or an abbreviation of its id')
    .addOption(
      new Option('--from <place>', 'start: all that is retained; unread; now; or a cursor that --json printed')
        .default('start')
        .argParser(placeArgument),
    )
    .option('--reader <name>', 'whose unread output; each reader has its own', 'cli')
    .addOption(new Option('--text', 'without control sequences (the default)').conflicts('raw'))
    .option('--raw', 'the bytes as they are')
    .option('-f, --follow', 'go on until the session has ended', false)
    .option('--wait <time>', 'wait that long for output when there is none', durationArgument, 0)
    .option('--json', 'print JSON: text or base64, the cursor to go on from, and how it ended', false)
    .addHelpText(
      'after',
      `
Reading takes nothing from the window or from an agent. What is no longer retained is said on stderr.

Examples:
  shellscope read 3
  shellscope read 3 --from unread --wait 10s
  shellscope read 3 --follow --raw | less -R`,
    )
    .action((id: string, { from, reader, raw, follow, wait, json }: ReadArguments) =>
      finish(async () => {
        const { readSession } = await import('../read-session.ts');
        return readSession({ id, from, reader, raw: raw === true, follow, waitMs: wait, json });
      }),
    );
}

function placeArgument(text: string): ReadFrom {
  if (text === 'start' || text === 'unread' || text === 'now') {
    return text;
  }
  const parts = /^(?:([\w-]{1,100}):)?(\d{1,15})$/.exec(text);
  if (parts === null) {
    throw new InvalidArgumentError(
      'It must be start, unread, now, an offset in bytes, or a cursor that --json printed.',
    );
  }
  return { epoch: parts[1] ?? null, offset: Number(parts[2]) };
}
