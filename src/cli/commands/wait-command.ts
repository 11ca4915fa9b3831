import { Option, type Command } from 'commander';
import type { WaitCondition, WaitOutcome } from '../../engine/engine.ts';
import { stateWords } from '../../shared/session-words.ts';
import type { SessionId } from '../../shared/session.ts';
import { complain, EXIT, finish } from '../cli-error.ts';
import { durationArgument } from '../duration.ts';
import { findSessions, withHost } from '../host.ts';

/** As good as for ever, in milliseconds. */
const ENDLESS_MS = 2 ** 31 - 1;

interface WaitArguments {
  readonly any?: true;
  readonly exit: boolean;
  readonly input: boolean;
  readonly idle?: number;
  readonly match?: string;
  readonly ignoreCase: boolean;
  readonly text?: string;
  readonly timeout?: number;
  readonly json: boolean;
}

/** `shellscope wait ID…` */
export function addWaitCommand(program: Command): void {
  program
    .command('wait')
    .description('wait until something is true of sessions')
    .argument('<id...>', 'the sessions, or abbreviations of their ids')
    .addOption(new Option('--all', 'until it is true of every one (the default)').conflicts('any'))
    .option('--any', 'until it is true of one of them')
    .option('--exit', 'it has ended (the default when nothing else is named)', false)
    .option('--input', 'it waits for input: a password, a line, a key', false)
    .option('--idle <time>', 'it has printed nothing for that long', durationArgument)
    .option('--match <pattern>', 'its output, without control sequences, matches (RE2 syntax)')
    .option('-i, --ignore-case', 'the pattern matches in either case', false)
    .option('--text <text>', 'its output holds this text')
    .option('--timeout <time>', 'for no longer than that (default: without end)', durationArgument)
    .option('--json', 'print the outcome as JSON', false)
    .addHelpText(
      'after',
      `
Of several conditions one is enough. Output that is retained already counts.

Exit codes: 0 it is true; 1 it cannot become true any more, since a session ended; 124 the time is up; 2 wrong usage;
3 there is no host, or it ended.

Examples:
  shellscope wait 3 && echo done
  shellscope wait 3 4 --any --match 'listening on \\d+' --timeout 30s
  shellscope wait 3 --input --idle 2s`,
    )
    .action((ids: readonly string[], options: WaitArguments) => finish(() => wait(ids, options)));
}

async function wait(ids: readonly string[], options: WaitArguments): Promise<number> {
  return withHost('wait', async (host) => {
    const sessions = await findSessions(host, ids);
    const of = sessions.map(({ id }): WaitCondition => ({ kind: 'any', of: conditionsOf(id, options) }));
    const outcome = await host.request('wait', {
      condition: { kind: options.any === true ? 'any' : 'all', of },
      timeoutMs: options.timeout ?? ENDLESS_MS,
    });
    if (options.json) {
      process.stdout.write(`${JSON.stringify(outcome)}\n`);
    } else {
      for (const { session, kind, match } of outcome.met) {
        const told = match ?? (kind === 'exit' ? stateWords(await host.request('get', { session })) : kind);
        process.stdout.write(`${session}: ${told.replaceAll(/\p{Cc}+/gu, ' ')}\n`);
      }
    }
    return exitCodeOf(outcome);
  });
}

function conditionsOf(session: SessionId, options: WaitArguments): readonly WaitCondition[] {
  const { idle, match, ignoreCase, text } = options;
  const conditions: WaitCondition[] = [];
  if (match !== undefined) {
    conditions.push({ kind: 'pattern', session, pattern: match, ignoreCase, from: null });
  }
  if (text !== undefined) {
    conditions.push({ kind: 'text', session, text, from: null });
  }
  if (idle !== undefined) {
    conditions.push({ kind: 'idle', session, idleMs: idle });
  }
  if (options.input) {
    conditions.push({ kind: 'input', session });
  }
  if (options.exit || conditions.length === 0) {
    conditions.push({ kind: 'exit', session });
  }
  return conditions;
}

function exitCodeOf({ outcome }: WaitOutcome): number {
  switch (outcome) {
    case 'met':
      return 0;
    case 'impossible':
      complain('it cannot become true any more: a session ended');
      return EXIT.failed;
    case 'timed-out':
      complain('the time is up');
      return EXIT.timedOut;
    case 'cancelled':
      return EXIT.failed;
  }
}
