import { EngineError } from '../../shared/errors.ts';
import type { ExitStatus, SessionId, SessionOrigin } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import type { StartRequest } from '../session/session-manager.ts';
import type { SessionOutput } from '../session/session-output.ts';
import { STEP_WORK, Turns } from '../session/turns.ts';
import type { WaitCondition } from '../session/wait.ts';
import type { AgentDoors } from './agent-doors.ts';
import { truncateMiddle } from './truncate.ts';

/** Bytes of one answer (A3). */
const MAX_ANSWER_BYTES = 131_072;

/** Time that a poll takes when none is asked for, and at most, in milliseconds (A4). */
const TIMEOUT_MS = { default: 1_000, max: 60_000 } as const;

/**
 * Silence after the exit that ends a poll although something holds the output open, in milliseconds. What comes later
 * is in the window only: an ended session has no more polls (A6).
 */
const SILENCE_AFTER_EXIT_MS = 50;

/** Sessions are read by this front under one name, so that each byte is answered once (A5). */
const READER = 'unified-exec';

export interface UnifiedExecRequest {
  /** Null starts `input` as a command line; else its words are joined by one space and written to that session. */
  readonly sessionId: number | null;
  readonly input: readonly string[];
  /** How long to collect output, in milliseconds; clamped, and the answer says so. */
  readonly timeoutMs?: number;
  /** Ends the poll early, with what there is by then. */
  readonly signal?: AbortSignal;
}

export interface UnifiedExecResult {
  /** Only while the child runs. */
  readonly sessionId: number | null;
  /** What came since the last answer, as text, with a warning in front when the timeout was clamped. */
  readonly output: string;
  /** Null while the child runs. */
  readonly exit: ExitStatus | null;
}

export interface UnifiedExecOptions extends AgentDoors {
  /** For the sessions that it starts. */
  readonly cwd: string;
  readonly environment: StartRequest['environment'];
  readonly origin: SessionOrigin;
}

/**
 * One call that opens, feeds and polls an interactive session: the front that agents know as unified exec. It knows
 * only sessions that it started, by small numbers that rise and are never used again.
 */
export class UnifiedExec {
  readonly #options: UnifiedExecOptions;
  readonly #table = new TurnoverMap<number, SessionId>();
  #lastNumber = 0;

  constructor(options: UnifiedExecOptions) {
    this.#options = options;
  }

  /** Numbers of the sessions that run, as far as this front has been told. */
  get running(): readonly number[] {
    return this.#table.keys();
  }

  /** Rejects with an `EngineError` of one of the four texts in A8. */
  async exec(request: UnifiedExecRequest): Promise<UnifiedExecResult> {
    const asked = request.timeoutMs ?? TIMEOUT_MS.default;
    const timeoutMs = Math.min(asked, TIMEOUT_MS.max);
    const number = request.sessionId ?? (await this.#start(request.input));
    const id = this.#sessionOf(number);
    if (request.sessionId !== null) {
      await this.#write(number, id, { words: request.input, timeoutMs, signal: request.signal });
    }
    const warning =
      asked > TIMEOUT_MS.max
        ? `Warning: requested timeout ${asked}ms exceeds maximum of ${TIMEOUT_MS.max}ms; clamping to ${TIMEOUT_MS.max}ms.\n`
        : '';
    return this.#collect(number, id, { timeoutMs, warning, signal: request.signal });
  }

  async #start(argv: readonly string[]): Promise<number> {
    if (argv.length === 0) {
      throw new EngineError('invalid-argument', 'missing command line');
    }
    const { start, cwd, environment, origin } = this.#options;
    try {
      const { id } = await start({ argv, cwd, environment, backend: { kind: 'pty' }, origin });
      this.#lastNumber += 1;
      this.#table.set(this.#lastNumber, id);
      return this.#lastNumber;
    } catch (error) {
      throw new EngineError('spawn-failed', `cannot create session: ${messageOf(error)}`, { cause: error });
    }
  }

  #sessionOf(number: number): SessionId {
    const id = this.#table.get(number);
    if (id === undefined) {
      throw unknown(number);
    }
    return id;
  }

  async #write(
    number: number,
    id: SessionId,
    input: { readonly words: readonly string[]; readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    const text = input.words.join(' ');
    if (text === '') {
      // A poll of an ended session still gets its last output, once.
      return;
    }
    try {
      const session = this.#options.sessions.get(id);
      if (session.exited) {
        this.#table.delete(number);
        throw unknown(number);
      }
      const delivery = this.#options.write(id, Buffer.from(text), {
        timeoutMs: input.timeoutMs,
        ...(input.signal === undefined ? {} : { signal: input.signal }),
      });
      const written = await Promise.race([delivery, aborted(input.signal)]);
      if (written !== null && written.outcome !== 'delivered') {
        const total = Buffer.byteLength(text);
        throw new EngineError('session-not-writable', `the child took ${written.deliveredBytes} of ${total} bytes`);
      }
    } catch (error) {
      if (error instanceof EngineError && error.code === 'session-not-found') {
        this.#table.delete(number);
        throw unknown(number);
      }
      throw new EngineError('session-not-writable', `write to stdin failed: ${messageOf(error)}`, { cause: error });
    }
  }

  async #collect(
    number: number,
    id: SessionId,
    poll: { readonly timeoutMs: number; readonly warning: string; readonly signal: AbortSignal | undefined },
  ): Promise<UnifiedExecResult> {
    const { sessions } = this.#options;
    const ended: WaitCondition = {
      kind: 'any',
      of: [
        { kind: 'closed', session: id },
        {
          kind: 'all',
          of: [
            { kind: 'exit', session: id },
            { kind: 'idle', session: id, idleMs: SILENCE_AFTER_EXIT_MS },
          ],
        },
      ],
    };
    try {
      await sessions.wait({
        condition: ended,
        timeoutMs: poll.timeoutMs,
        ...(poll.signal === undefined ? {} : { signal: poll.signal }),
      });
      const { text, exit, goneBytes } = await readAll(sessions.get(id).output);
      if (exit !== null) {
        this.#table.delete(number);
      }
      const room = MAX_ANSWER_BYTES - Buffer.byteLength(poll.warning);
      const gone = goneBytes === 0 ? '' : `[… ${goneBytes} bytes before this are no longer retained …]\n`;
      const answer = truncateMiddle(gone + text, room, (bytes) => `\n[… ${bytes} bytes left out …]\n`);
      return { sessionId: exit === null ? number : null, output: poll.warning + answer.text, exit };
    } catch (error) {
      if (error instanceof EngineError && error.code === 'session-not-found') {
        // The person closed it in the window meanwhile.
        this.#table.delete(number);
        throw unknown(number);
      }
      throw error;
    }
  }
}

/** What this front has not had of a session: what is there at the call, and of one that has ended all. */
async function readAll(
  output: SessionOutput,
): Promise<{ readonly text: string; readonly exit: ExitStatus | null; readonly goneBytes: number }> {
  const { endOffset } = output;
  const turns = new Turns();
  let text = '';
  let goneBytes = 0;
  for (;;) {
    const part = await output.text({ reader: READER, drain: true, maxBytes: Number.POSITIVE_INFINITY, waitMs: 0 });
    text += part.text ?? '';
    goneBytes += part.goneBytes;
    if (!part.more || (part.exit === null && part.cursor.offset >= endOffset)) {
      return { text, exit: part.exit, goneBytes };
    }
    if (turns.isOver(STEP_WORK)) {
      await turns.next();
    }
  }
}

/** Null at the abort; never without a signal. */
function aborted(signal: AbortSignal | undefined): Promise<null> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve(null);
    }
    signal?.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function unknown(number: number): EngineError {
  return new EngineError('session-not-found', `unknown session id ${number}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
