import { randomUUID } from 'node:crypto';
import { HostUnreachable, type ControlClient } from '../protocol/control/control-client.ts';
import { ControlError } from '../protocol/control/control-error.ts';
import { DEFAULT_TERMINAL_SIZE } from '../shared/limits.ts';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import { CliError, complain, EXIT } from './cli-error.ts';
import { withHost } from './host.ts';
import { exitCodeOf, followToEnd, InputPump, onStdin } from './session-io.ts';
import { OwnTerminal, terminalSize } from './terminal/own-terminal.ts';
import { QuestionFilter } from './terminal/question-filter.ts';
import { TerminalModes } from './terminal/terminal-modes.ts';

export interface RunOptions {
  readonly argv: readonly string[];
  readonly tty: boolean;
  /** Absolute path. */
  readonly cwd: string;
  /** Over those of this process. */
  readonly variables: Readonly<Record<string, string>>;
  /** What the session shall be called, as its id and on its tab; null for an id of the host's choice. */
  readonly name: string | null;
  /** False: the child's stdin is at its end from the start. */
  readonly stdin: boolean;
  /** Answers at once with the session's id. */
  readonly detach: boolean;
}

/** What a terminal sends for the end of input (VEOF of termios(3)): Ctrl-D. */
const END_OF_INPUT = Uint8Array.of(4);

/** Signals to this process that are the child's. */
const RELAYED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGCONT'];

/** Runs a command in a session of the host as if it ran here. Answers its exit code, or one of our own (`EXIT`). */
export async function runSession(options: RunOptions): Promise<number> {
  try {
    return await withHost('run', async (host) => {
      const session = await start(host, options);
      if (options.detach) {
        process.stdout.write(`${session.id}\n`);
        return 0;
      }
      return relay(host, session.id, options);
    });
  } catch (error) {
    const isOurs = error instanceof CliError && error.exitCode > EXIT.timedOut;
    throw isOurs ? error : asRunError(error);
  }
}

/** Apart from the child's own codes, by timeout(1)'s and env(1)'s convention. */
function asRunError(error: unknown): unknown {
  if (error instanceof ControlError && error.code === 'spawn-failed') {
    const isMissing = /no such program|ENOENT|does not exist/i.test(error.message);
    return new CliError(error.message, isMissing ? EXIT.notFound : EXIT.notExecutable);
  }
  if (error instanceof HostUnreachable || error instanceof CliError || error instanceof ControlError) {
    return new CliError(error.message, EXIT.runFailed);
  }
  return error instanceof Error ? new CliError(error.message, EXIT.runFailed) : error;
}

function start(host: ControlClient, { argv, tty, cwd, variables, name }: RunOptions): Promise<SessionInfo> {
  return host.request('start', {
    argv: [...argv],
    cwd,
    environment: { kind: 'exact', variables: { ...ownVariables(), ...variables } },
    backend: tty ? { kind: 'pty', size: terminalSize() ?? DEFAULT_TERMINAL_SIZE } : { kind: 'pipe' },
    ...(name === null ? {} : { id: name, title: name }),
    requestId: randomUUID(),
  });
}

async function relay(host: ControlClient, session: SessionId, { tty, stdin }: RunOptions): Promise<number> {
  const pump = new InputPump(host, session);
  const sendSignal = (signal: NodeJS.Signals) => {
    host.request('signal', { session, signal }).catch(() => {});
  };
  for (const signal of RELAYED) {
    process.on(signal, () => sendSignal(signal));
  }
  const endInput = () => void (tty ? pump.write(END_OF_INPUT) : pump.end());
  const terminal = tty
    ? new OwnTerminal((size) => void host.request('resize', { session, size }).catch(() => {}))
    : null;
  const modes = new TerminalModes();
  try {
    if (stdin) {
      onStdin({
        onBytes: (bytes) => {
          process.stdin.pause();
          void pump.write(bytes).then(() => process.stdin.resume());
        },
        onEnd: endInput,
      });
    } else {
      endInput();
    }
    const questions = new QuestionFilter();
    const broken = whenBroken(() => sendSignal('SIGPIPE'));
    const { goneBytes } = await followToEnd(host, session, {
      from: 'start',
      holdsChild: true,
      onOutput: ({ stream, bytes, done }) => {
        const output = stream === 'stderr' ? process.stderr : process.stdout;
        const shown = tty && process.stdout.isTTY ? questions.push(bytes) : bytes;
        if (tty) {
          modes.watch(shown);
        }
        if (broken.has(output)) {
          done();
        } else {
          output.write(shown, () => done());
        }
      },
    });
    if (goneBytes > 0) {
      complain(`${goneBytes} bytes of output were lost: they came faster than they were taken`);
    }
    return exitCodeOf(await host.request('get', { session }));
  } finally {
    terminal?.restore();
    if (tty && process.stdout.isTTY) {
      process.stdout.write(modes.restoring());
    }
  }
}

/** Streams that nobody reads any more. `onBroken`: one of them is such; a child of a shell would get SIGPIPE. */
function whenBroken(onBroken: () => void): ReadonlySet<NodeJS.WriteStream> {
  const broken = new Set<NodeJS.WriteStream>();
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error');
    stream.on('error', () => {
      if (!broken.has(stream)) {
        broken.add(stream);
        onBroken();
      }
    });
  }
  return broken;
}

function ownVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
