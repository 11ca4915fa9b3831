import { HostUnreachable } from '../protocol/control/control-client.ts';
import { ControlError } from '../protocol/control/control-error.ts';

/** How a command ends when it does not do what was asked for. `run` and `attach` end like their child, too. */
export const EXIT = {
  failed: 1,
  usage: 2,
  noHost: 3,
  /** The numbers from here on are those of timeout(1) and env(1), for whoever reads them in a script. */
  timedOut: 124,
  runFailed: 125,
  notExecutable: 126,
  notFound: 127,
  /** Plus the number of the signal. */
  bySignal: 128,
} as const;

/** A command could not do what was asked for: a sentence for a person, and the exit code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

interface FinishOptions {
  /** The command deals with an output that nobody takes any more; otherwise that ends it. */
  readonly ownsOutput?: boolean;
  /** Whether what was printed is waited for until it has left. */
  readonly flush?: boolean;
}

/** Runs a command to its end, and ends this process with its exit code; an error is said as one sentence on stderr. */
export async function finish(
  work: () => Promise<number>,
  { ownsOutput = false, flush = true }: FinishOptions = {},
): Promise<never> {
  if (ownsOutput) {
    process.stdout.removeAllListeners('error');
    process.stdout.on('error', () => {});
  }
  let exitCode: number;
  try {
    exitCode = await work();
  } catch (error) {
    complain(error);
    exitCode = exitCodeOf(error);
  }
  if (flush) {
    // A pipe that is full takes the rest later.
    await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  }
  // Not by `exitCode`: a terminal's input that is still listened to would keep this process.
  process.exit(exitCode);
}

/** Resolves when everything that was written has left, or cannot any more. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0) {
      resolve();
    } else {
      stream.write('', () => resolve());
    }
  });
}

/** Says on stderr why something was not done. What came from elsewhere cannot move the cursor. */
export function complain(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`shellscope: ${message.replaceAll(/\p{Cc}+/gu, ' ')}\n`);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) {
    return error.exitCode;
  }
  if (error instanceof HostUnreachable) {
    return EXIT.noHost;
  }
  return error instanceof ControlError && error.code === 'invalid-argument' ? EXIT.usage : EXIT.failed;
}
