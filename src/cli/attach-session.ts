import type { ControlClient } from '../protocol/control/control-client.ts';
import { PANE_REPLAY_BYTES } from '../shared/limits.ts';
import { stateWords } from '../shared/session-words.ts';
import { isLive, type SessionInfo } from '../shared/session.ts';
import { CliError } from './cli-error.ts';
import { findSession, withHost } from './host.ts';
import { exitCodeOf, followToEnd, InputPump, onStdin } from './session-io.ts';
import { DetachKey } from './terminal/detach-key.ts';
import { OwnTerminal, terminalSize } from './terminal/own-terminal.ts';
import { QuestionFilter } from './terminal/question-filter.ts';
import { TerminalModes } from './terminal/terminal-modes.ts';

/** Time in which the second of the keys that detach must come, in milliseconds; later, the first one is the child's. */
const DETACH_WITHIN_MS = 1_000;

export interface AttachOptions {
  readonly id: string;
  /** What the keys that detach send. */
  readonly detachKeys: Uint8Array;
  /** Whether the session takes this terminal's size; null: when it is a person's own. */
  readonly resize: boolean | null;
  /** True: only watch. */
  readonly readOnly: boolean;
}

/**
 * Puts a session on this terminal until it ends or the person detaches. Answers 0 after a detach, and the child's exit
 * code after its end.
 */
export async function attachSession(options: AttachOptions): Promise<number> {
  return withHost('attach', async (host) => {
    const session = await findSession(host, options.id);
    if (!options.readOnly && isLive(session.state) && !process.stdin.isTTY) {
      throw new CliError('attach needs a terminal for its keyboard; use --read-only, or `shellscope send`');
    }
    const isDetached = await join(host, session, options);
    if (isDetached) {
      if (session.keyboard === 'agent') {
        await host.request('hand-back', { session: session.id });
      }
      process.stderr.write(`\n[detached from ${session.id}; \`shellscope attach ${session.id}\` comes back]\n`);
      return 0;
    }
    const ended = await host.request('get', { session: session.id });
    process.stderr.write(`\n[${session.id} ${stateWords(ended)}]\n`);
    return exitCodeOf(ended);
  });
}

/** Answers whether the person detached. */
async function join(host: ControlClient, session: SessionInfo, options: AttachOptions): Promise<boolean> {
  const isPty = session.backend === 'pty';
  const sizes = isPty && !options.readOnly && (options.resize ?? session.origin.kind === 'person');
  const resize = () => {
    const size = terminalSize();
    if (sizes && size !== null) {
      host.request('resize', { session: session.id, size }).catch(() => {});
    }
  };
  const isKeyboard = !options.readOnly && isLive(session.state);
  // A child on pipes knows of no terminal: lines are typed, shown and ended here.
  const terminal = isPty && process.stdin.isTTY ? new OwnTerminal(resize) : null;
  const modes = new TerminalModes();
  const questions = new QuestionFilter();
  try {
    resize();
    const pump = isKeyboard ? new InputPump(host, session.id) : null;
    const detached = terminal === null ? untilSignalled(host, session, pump) : untilDetached(options, pump);
    const followed = followToEnd(host, session.id, {
      from: { tail: PANE_REPLAY_BYTES },
      holdsChild: false,
      onOutput: ({ bytes, done }) => {
        const shown = questions.push(bytes);
        modes.watch(shown);
        process.stdout.write(shown, () => done());
      },
    });
    return await Promise.race([detached, followed.then(() => false)]);
  } finally {
    terminal?.restore();
    if (process.stdout.isTTY) {
      process.stdout.write(modes.restoring());
    }
  }
}

/** Resolves when the person pressed the keys that detach, or her terminal is gone; passes all other keys on. */
function untilDetached({ detachKeys }: AttachOptions, pump: InputPump | null): Promise<true> {
  const keys = new DetachKey(detachKeys);
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const send = (bytes: Uint8Array) => {
      if (bytes.length > 0) {
        void pump?.write(bytes);
      }
    };
    const leave = () => resolve(true);
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
      process.once(signal, leave);
    }
    onStdin({
      onBytes: (typed) => {
        clearTimeout(timer);
        const { bytes, detached } = keys.push(typed);
        send(bytes);
        if (detached) {
          leave();
        } else if (keys.isHolding) {
          timer = setTimeout(() => send(keys.giveUp()), DETACH_WITHIN_MS);
        }
      },
      onEnd: leave,
    });
  });
}

/** Without raw keys: lines go to the child, Ctrl-C is its SIGINT, and Ctrl-\\ (SIGQUIT) detaches. */
function untilSignalled(host: ControlClient, { id }: SessionInfo, pump: InputPump | null): Promise<true> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
      process.once(signal, () => resolve(true));
    }
    process.on('SIGINT', () => {
      if (pump === null) {
        resolve(true);
      } else {
        host.request('signal', { session: id, signal: 'SIGINT' }).catch(() => {});
      }
    });
    if (pump !== null) {
      onStdin({ onBytes: (bytes) => void pump.write(bytes), onEnd: () => void pump.end() });
    }
  });
}
