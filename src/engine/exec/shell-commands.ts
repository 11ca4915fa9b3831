import { EngineError } from '../../shared/errors.ts';
import type { OutputCursor } from '../../shared/output-cursor.ts';
import type { ExitStatus, SessionId, SessionOrigin } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import type { Question } from '../approval/pending-questions.ts';
import type { ModelText } from '../session/model-text.ts';
import type { StartRequest } from '../session/session-manager.ts';
import type { AgentDoors } from './agent-doors.ts';
import { bytesOfTokens, cutOutput } from './answer-text.ts';
import { ReadPlaces } from './read-places.ts';
import type { StartSafety } from './start-safety.ts';
import { waitForEnd, yieldTime, YIELD_LIMITS, type YieldTime } from './yield-window.ts';

/** Tokens of an answer when none were asked for: Codex's number. */
const DEFAULT_OUTPUT_TOKENS = 10_000;

/** What both calls take. */
interface AnswerRequest {
  /** How long to wait for the end, in milliseconds; brought within its limits, and the answer says so. */
  readonly yieldTimeMs?: number;
  /** Tokens of four bytes that the output may have. */
  readonly maxOutputTokens?: number;
  /** Ends the wait. What nobody was told by then is told by the next call. */
  readonly signal?: AbortSignal;
}

export interface ExecCommandRequest extends AnswerRequest {
  readonly cmd: string;
  /** Path or name of the shell; default: the person's own. */
  readonly shell?: string;
  /** Whether it reads its login files (`-lc`, not `-c`); default true. */
  readonly login?: boolean;
  /** Absolute path; default: the front's. */
  readonly cwd?: string;
  /** False: pipes and no stdin, in place of a terminal. */
  readonly tty?: boolean;
  /** The same id again is the same start (S13). */
  readonly requestId?: string;
  readonly origin?: SessionOrigin;
  /** The sandbox that it shall run in, whose conversation it is; see `StartSafety`. */
  readonly safety?: Partial<StartSafety>;
}

export interface WriteStdinRequest extends AnswerRequest {
  /** Number of the session. */
  readonly sessionId: number;
  /** What is typed; empty only polls. */
  readonly chars?: string;
  /** `last-read`: what came since the last answer. `now`: only what comes after this call (B6). */
  readonly from?: 'last-read' | 'now';
  readonly requestId?: string;
  /** The client's own id of the call. */
  readonly callId?: string;
  /** Of what is asked before it may be typed; default: `signal`. */
  readonly askSignal?: AbortSignal;
  /** Told of a question about it that waits for a person. */
  readonly onWaiting?: (question: Question) => void;
}

/** A command, and where its answer begins. */
export interface CommandPlace {
  readonly id: SessionId;
  /** The session's number. */
  readonly number: number;
  /** An offset is a place that one call alone reads from. */
  readonly from: 'last-read' | number;
}

/** What became of a call, as separate facts (B3). */
export interface ShellAnswer {
  readonly wallTimeMs: number;
  readonly session: SessionId;
  /** The session's number. */
  readonly number: number;
  /** Null while the child runs. */
  readonly exit: ExitStatus | null;
  readonly output: string;
  /** Tokens of the whole output, when it was cut; else null. */
  readonly originalTokens: number | null;
  /** Bytes left out of its middle. */
  readonly leftOutBytes: number;
  /** Where the output begins and where the next answer does. */
  readonly cursor: OutputCursor;
  readonly nextCursor: OutputCursor;
  /** Bytes that were evicted before this answer could have them. */
  readonly goneBytes: number;
  /** What was asked for and cannot be had. */
  readonly warnings: readonly string[];
}

export interface ShellCommandsOptions extends AgentDoors {
  /** For commands without one of their own. Absolute path. */
  readonly cwd: string;
  readonly environment: StartRequest['environment'];
  /** Who starts them, where the request does not say. */
  readonly origin: SessionOrigin;
  readonly shellPath: string;
  /** Longest time of one call, in milliseconds; null: as long as its limits allow. */
  readonly maxCallMs: number | null;
  /** Where all output of a session can be read, for an answer that was cut. */
  readonly wholeOutput: (session: SessionId) => string | null;
  /** Told of each session that was started; of a start that was refused or failed, nothing. */
  readonly onSession?: (session: SessionId) => void;
}

/**
 * The front with the two calls that models of the Codex family know: `exec_command` starts a command in a shell,
 * `write_stdin` types into it and polls. It knows only sessions that it started.
 */
export class ShellCommands {
  /** Where this agent goes on reading, in whatever way it reads. */
  readonly places = new ReadPlaces();
  readonly #options: ShellCommandsOptions;
  readonly #table = new TurnoverMap<number, SessionId>();

  constructor(options: ShellCommandsOptions) {
    this.#options = options;
  }

  /**
   * Runs `shell -lc cmd`, or `shell -c cmd`, in a terminal of 24 rows and 80 columns. Rejects with `spawn-failed` and a
   * text that has the number the session would have had (B7).
   */
  async execCommand(request: ExecCommandRequest): Promise<ShellAnswer> {
    const startedAt = performance.now();
    return this.answerStart(await this.start(request), request, startedAt);
  }

  /** The first half of `execCommand`: starts it, and waits for nothing but leave to do so. */
  async start(request: ExecCommandRequest): Promise<CommandPlace> {
    const { sessions, onSession, cwd, environment, origin, shellPath } = this.#options;
    let { id, number } = sessions.reserveId();
    const { requestId, shell = shellPath, login = true, cmd } = request;
    try {
      const started = await this.#options.start(
        {
          // With a request id the session may be there already, under the id that the first start gave it.
          ...(requestId === undefined ? { id } : { requestId }),
          argv: [shell, login ? '-lc' : '-c', cmd],
          cwd: request.cwd ?? cwd,
          environment,
          backend: request.tty === false ? { kind: 'pipe', stdin: false } : { kind: 'pty' },
          origin: request.origin ?? origin,
        },
        { ...(request.signal === undefined ? {} : { signal: request.signal }), ...request.safety },
      );
      if (started.id !== id) {
        id = started.id;
        number = numberOf(id) ?? number;
      }
      onSession?.(id);
    } catch (error) {
      if (error instanceof EngineError && error.code !== 'spawn-failed') {
        throw error;
      }
      throw new EngineError('spawn-failed', `exec_command failed for session ID ${number}: ${messageOf(error)}`, {
        cause: error,
      });
    }
    this.#table.set(number, id);
    return { id, number, from: 'last-read' };
  }

  /** The second half of `execCommand`. `startedAt`: of the call, as of `performance.now()`. */
  answerStart(command: CommandPlace, request: AnswerRequest, startedAt: number): Promise<ShellAnswer> {
    const window = yieldTime(request.yieldTimeMs, YIELD_LIMITS.exec, this.#options.maxCallMs);
    return this.#answer({ ...command, window, startedAt }, request);
  }

  /** Types into a session and tells what came. Rejects with the texts of B7. */
  async writeStdin(request: WriteStdinRequest): Promise<ShellAnswer> {
    const startedAt = performance.now();
    const command = this.place(request);
    await this.type(command, request);
    return this.answerWrite(command, request, startedAt);
  }

  /** The session that is meant, and where its answer begins. Throws for one that is unknown. */
  place({ sessionId: number, from }: WriteStdinRequest): CommandPlace {
    const id = this.#table.get(number);
    if (id === undefined || !this.#options.sessions.has(id)) {
      this.#table.delete(number);
      throw unknown(number);
    }
    const begin = from === 'now' ? this.#options.sessions.get(id).output.offsetOf('now') : null;
    return { id, number, from: begin ?? 'last-read' };
  }

  /** Types, and waits for no answer. */
  async type({ id }: CommandPlace, request: WriteStdinRequest): Promise<void> {
    const { chars = '' } = request;
    if (chars !== '') {
      await this.#write(id, chars, { window: this.#windowOf(request), request });
    }
  }

  /** What came after it was typed. `startedAt`: of the call, as of `performance.now()`. */
  answerWrite(command: CommandPlace, request: WriteStdinRequest, startedAt: number): Promise<ShellAnswer> {
    return this.#answer({ ...command, window: this.#windowOf(request), startedAt }, request);
  }

  #windowOf({ chars = '', yieldTimeMs }: WriteStdinRequest): YieldTime {
    return yieldTime(yieldTimeMs, chars === '' ? YIELD_LIMITS.poll : YIELD_LIMITS.write, this.#options.maxCallMs);
  }

  async #write(
    id: SessionId,
    chars: string,
    { window, request }: { readonly window: YieldTime; readonly request: WriteStdinRequest },
  ): Promise<void> {
    const askSignal = request.askSignal ?? request.signal;
    try {
      const bytes = Buffer.from(chars);
      const { outcome, deliveredBytes } = await this.#options.write(id, bytes, {
        timeoutMs: window.ms,
        ...(request.requestId === undefined ? {} : { requestId: request.requestId }),
        ...(request.callId === undefined ? {} : { callId: request.callId }),
        ...(askSignal === undefined ? {} : { signal: askSignal }),
        ...(request.onWaiting === undefined ? {} : { onWaiting: request.onWaiting }),
      });
      if (outcome !== 'delivered') {
        throw new EngineError('session-not-writable', `the child took ${deliveredBytes} of ${bytes.length} bytes`);
      }
    } catch (error) {
      if (error instanceof EngineError && error.code === 'invalid-argument') {
        throw error;
      }
      throw new EngineError('session-not-writable', `failed to write to stdin: ${messageOf(error)}`, { cause: error });
    }
  }

  async #answer(
    call: CommandPlace & { readonly window: YieldTime; readonly startedAt: number },
    { maxOutputTokens = DEFAULT_OUTPUT_TOKENS, signal }: AnswerRequest,
  ): Promise<ShellAnswer> {
    const { number, id, window, from } = call;
    const { sessions, wholeOutput } = this.#options;
    try {
      await waitForEnd((request) => sessions.wait(request), id, {
        ms: window.ms,
        ...(signal === undefined ? {} : { signal }),
      });
      const session = sessions.get(id);
      const { exit } = session.info;
      const read = (fromOffset: number | null) =>
        session.modelText({ fromOffset, toOffset: null, view: 'text', grep: null });
      const taken: ModelText =
        typeof from === 'number'
          ? await this.places.take(id, () => read(from), signal)
          : await this.places.take(id, (place) => read(place?.offset ?? null), signal);
      if (exit !== null && signal?.aborted !== true) {
        this.#table.delete(number);
      }
      const output = cutOutput(taken, bytesOfTokens(maxOutputTokens), wholeOutput(id));
      return {
        wallTimeMs: performance.now() - call.startedAt,
        session: id,
        number,
        exit,
        output: output.text,
        leftOutBytes: output.leftOutBytes,
        originalTokens: output.leftOutBytes === 0 ? null : output.originalTokens,
        cursor: taken.cursor,
        nextCursor: taken.nextCursor,
        goneBytes: taken.goneBytes,
        warnings: [
          ...(window.warning === null ? [] : [window.warning]),
          ...(taken.goneBytes === 0 ? [] : [`Warning: ${taken.goneBytes} bytes before this are no longer retained.`]),
        ],
      };
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

/** The answer as models know it, line by line (B4). */
export function shellAnswerText(answer: ShellAnswer): string {
  const { wallTimeMs, number, exit, originalTokens, warnings, output } = answer;
  return [
    `Wall time: ${(wallTimeMs / 1000).toFixed(3)} seconds`,
    exit === null ? `Process running with session ID ${number}` : `Process exited with ${endOf(exit)}`,
    ...(originalTokens === null ? [] : [`Warning: truncated output (original token count: ${originalTokens})`]),
    ...warnings,
    'Output:',
    output,
  ].join('\n');
}

/** The number in the id of a session that the host named. */
function numberOf(id: SessionId): number | null {
  const digits = /^session-(\d+)$/.exec(id)?.[1];
  return digits === undefined ? null : Number(digits);
}

function endOf({ exitCode, signal }: ExitStatus): string {
  return exitCode !== null ? `code ${exitCode}` : signal !== null ? `signal ${signal}` : 'an unknown code';
}

function unknown(number: number): EngineError {
  return new EngineError('session-not-found', `unknown session id ${number}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
