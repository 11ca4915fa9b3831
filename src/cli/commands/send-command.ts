import { randomUUID } from 'node:crypto';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { MAX_MESSAGE_BYTES } from '../../protocol/control/control-wire.ts';
import { KEY_EXAMPLES, keyBytes } from '../../shared/key-bytes.ts';
import { CliError, complain, EXIT, finish } from '../cli-error.ts';
import { durationArgument } from '../duration.ts';
import { findSession, withHost } from '../host.ts';

/** How long a child may take to take its input when no other time was asked for, in milliseconds. */
const TAKEN_WITHIN_MS = 10_000;

interface SendArguments {
  readonly submit: boolean;
  readonly key: readonly string[];
  readonly stdin: boolean;
  readonly timeout: number;
  readonly json: boolean;
}

/** `shellscope send ID TEXT…` */
export function addSendCommand(program: Command): void {
  program
    .command('send')
    .description('type into a session')
    .argument('<id>', 'the session, or an abbreviation of its id')
    .argument('[text...]', 'joined by single spaces; write -- before one that begins with -')
    .option('-s, --submit', 'press Enter after it', false)
    .option('-k, --key <name>', `then press a key, e.g. ${KEY_EXAMPLES}; may be given again`, keyArgument, [])
    .option('--stdin', 'send what comes on stdin instead of a text', false)
    .addOption(
      new Option('--timeout <time>', 'withdraw what the child has not taken by then')
        .default(TAKEN_WITHIN_MS, '10s')
        .argParser(durationArgument),
    )
    .option('--json', 'print what became of it as JSON', false)
    .addHelpText(
      'after',
      `
It arrives as one piece: nothing that another types comes into it. Exits with 124 when the child did not take all of it.

Examples:
  shellscope send 3 --submit 'npm test'
  shellscope send 3 --key C-c
  shellscope send 3 --key Escape --key : --key w --key Enter
  git diff | shellscope send 3 --stdin`,
    )
    .action((id: string, text: readonly string[], options: SendArguments, command: Command) => {
      if (text.length === 0 && options.key.length === 0 && !options.submit && !options.stdin) {
        command.error('error: nothing to send: give a text, --submit, --key or --stdin');
      }
      if (text.length > 0 && options.stdin) {
        command.error('error: a text and --stdin cannot both be sent: leave one out');
      }
      return finish(() => send(id, text, options));
    });
}

async function send(id: string, text: readonly string[], options: SendArguments): Promise<number> {
  return withHost('send', async (host) => {
    const session = await findSession(host, id);
    const enter = session.backend === 'pty' ? '\r' : '\n';
    const typed = options.stdin ? await allOfStdin() : Buffer.from(text.join(' '));
    const bytes = Buffer.concat([typed, Buffer.from((options.submit ? enter : '') + options.key.join(''))]);
    if (bytes.length > MAX_MESSAGE_BYTES) {
      throw new CliError(`the input is ${bytes.length} bytes long; at most ${MAX_MESSAGE_BYTES} are sent as one piece`);
    }
    const delivery = await host.request('write', {
      session: session.id,
      base64: bytes.toString('base64'),
      requestId: randomUUID(),
      timeoutMs: options.timeout,
    });
    if (session.keyboard === 'agent') {
      // One submission, and it is over: the agent need not wait until the person has been idle.
      await host.request('hand-back', { session: session.id });
    }
    if (options.json) {
      process.stdout.write(`${JSON.stringify({ session: session.id, ...delivery })}\n`);
    }
    if (delivery.outcome === 'delivered') {
      return 0;
    }
    const why = delivery.outcome === 'ended' ? 'the child ended' : 'the child does not read its input';
    complain(`${delivery.deliveredBytes} of ${bytes.length} bytes were taken: ${why}`);
    return delivery.outcome === 'ended' ? EXIT.failed : EXIT.timedOut;
  });
}

async function allOfStdin(): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) {
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

function keyArgument(name: string, before: readonly string[]): readonly string[] {
  const bytes = keyBytes(name);
  if (bytes === null) {
    throw new InvalidArgumentError(`There is no such key; write e.g. ${KEY_EXAMPLES}.`);
  }
  return [...before, bytes];
}
