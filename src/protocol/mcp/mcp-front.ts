import {
  cutOutput,
  likelyDenied,
  readOnly,
  shellAnswerText,
  waitForEnd,
  workspaceWrite,
  yieldTime,
} from '../../engine/engine.ts';
import type {
  Engine,
  ModelText,
  Retry,
  SandboxPolicy,
  ShellAnswer,
  ShellCommands,
  StartRequest,
  StartSafety,
  WaitCondition,
} from '../../engine/engine.ts';
import { EngineError } from '../../shared/errors.ts';
import type { OutputCursor } from '../../shared/output-cursor.ts';
import type { Attention, SessionId, SessionInfo } from '../../shared/session.ts';
import type { ToolArguments } from './mcp-arguments.ts';
import type { OutputFacts, ResultOf, SessionFacts } from './mcp-result.ts';
import { isCursorKey, KEY_NAMES, keyBytes } from './named-keys.ts';
import { cursorText, outputResource, sessionFacts, type Survivor } from './session-facts.ts';

/**
 * Longest time of one call, in milliseconds. Clients give up after 60 s, some earlier; what takes longer is resumed by
 * the next call.
 */
const MAX_CALL_MS = 24_000;

/** Silence that makes "waits for input" believable, in milliseconds: a program that reads may be about to print. */
const SETTLED_MS = 60;

/** Output of one read of a resource, in bytes of UTF-8; a larger one is read range by range. */
const MAX_RESOURCE_BYTES = 256 * 1024;

/** The end of the output by which a denial is told, in bytes. */
const JUDGED_OUTPUT_BYTES = 16 * 1024;

/** The fence that a call asks for. */
type FenceArguments = Pick<ToolArguments<'shell_exec'>, 'sandbox' | 'workspace' | 'allowed_hosts'>;

/** One call of a tool: who asks, and whether somebody still waits for the answer. */
export interface ToolCall {
  readonly signal: AbortSignal;
  /** What the client calls itself. */
  readonly client: string;
  /** The client's id of the call, for the window. */
  readonly callId: string;
}

export interface McpFrontOptions {
  readonly engine: Engine;
  /** Whose sessions these are: no other front has the same. Request ids are this client's own. */
  readonly account: string;
  /** For commands without a directory of their own. Absolute path. */
  readonly cwd: string;
  readonly shellPath: string;
}

/** Where a text begins and what it may be. */
interface OutputRequest {
  readonly cursor: OutputCursor | 'unread' | 'now' | null;
  readonly view: 'text' | 'raw';
  readonly grep: { readonly pattern: string; readonly ignoreCase: boolean } | null;
  readonly maxBytes: number;
}

const UNREAD: Omit<OutputRequest, 'maxBytes'> = { cursor: 'unread', view: 'text', grep: null };

/**
 * What one client of the Model Context Protocol can do: each tool is a method, with plain facts as its answer. It knows
 * only the sessions that it started; the ids of others are unknown to it (S16). Every call ends within `MAX_CALL_MS`,
 * and one that nobody waits for any more ends no child and takes no output.
 */
export class McpFront {
  readonly #options: McpFrontOptions;
  readonly #commands: ShellCommands;
  readonly #owned = new Set<SessionId>();
  /** What a person was asked for, until the answer is told. */
  readonly #wishes = new Map<SessionId, Attention>();
  readonly #stopEvents: () => void;

  constructor(options: McpFrontOptions) {
    this.#options = options;
    const { engine, cwd, shellPath } = options;
    this.#commands = engine.shellCommands({
      cwd,
      shellPath,
      environment: environmentWith({}),
      origin: originOf({ client: 'mcp', callId: '' }),
      maxCallMs: MAX_CALL_MS,
      wholeOutput: outputResource,
      onSession: (session) => this.#owned.add(session),
    });
    this.#stopEvents = engine.onEvent((event) => {
      if (event.type === 'removed') {
        this.#owned.delete(event.id);
        this.#wishes.delete(event.id);
        this.#commands.places.forget(event.id);
      }
    });
  }

  /** Ends what it started and still runs: nobody else can. */
  async dispose(): Promise<void> {
    this.#stopEvents();
    const { engine } = this.#options;
    // One that cannot be ended must not keep the others; the engine logs why.
    await Promise.allSettled([...this.#owned].map((id) => engine.terminate(id, 'agent')));
  }

  async exec(args: ToolArguments<'shell_exec'>, call: ToolCall): Promise<OutputFacts> {
    const { command, shell = this.#options.shellPath, login, background, mode } = args;
    const startedAt = performance.now();
    const { session, retry } = await this.#start(args, call, {
      argv: [shell, login ? '-lc' : '-c', command],
      backend: args.tty ? { kind: 'pty' } : { kind: 'pipe', stdin: false },
      mayRetry: true,
    });
    const yieldMs = background || mode === 'async' ? 0 : args.yield_ms;
    const request = { yieldMs, maxBytes: args.max_bytes };
    const first = await this.#settled(session, request, call);
    if (!first.sandbox_denied || call.signal.aborted) {
      return first;
    }
    const leftMs = Math.max(0, MAX_CALL_MS - (performance.now() - startedAt));
    return this.#retried(first, await within(retry, leftMs), { request: { ...request, leftMs }, call });
  }

  /** The answer of the second run, or of the first with what became of that. */
  async #retried(
    first: OutputFacts,
    retry: Retry | null,
    {
      request: { yieldMs, maxBytes, leftMs },
      call,
    }: {
      readonly request: { readonly yieldMs: number; readonly maxBytes: number; readonly leftMs: number };
      readonly call: ToolCall;
    },
  ): Promise<OutputFacts> {
    switch (retry?.kind) {
      case undefined:
        return {
          ...first,
          hint: 'its sandbox likely denied it; a person is asked whether it may run again without: shell_list shows that run',
        };
      case 'none':
        return first;
      case 'refused':
        return { ...first, hint: `its sandbox likely denied it, and it was not run again without: ${retry.why}` };
      case 'failed':
        return {
          ...first,
          hint: `its sandbox likely denied it, and it could not be run again: ${String(retry.error)}`,
        };
      case 'started': {
        const second = await this.#settled(retry.session.id, { yieldMs: Math.min(yieldMs, leftMs), maxBytes }, call);
        return {
          ...second,
          hint: `this is its second run, without the sandbox that denied ${first.session_id}${second.hint === null ? '' : `; ${second.hint}`}`,
        };
      }
    }
  }

  async open(args: ToolArguments<'shell_open'>, call: ToolCall): Promise<OutputFacts> {
    const { shellPath } = this.#options;
    const { session } = await this.#start(args, call, {
      argv: args.command === undefined ? [shellPath, '-il'] : [shellPath, '-lc', args.command],
      backend: { kind: 'pty', size: { cols: args.cols, rows: args.rows } },
      mayRetry: false,
    });
    return this.#settled(session, { yieldMs: args.yield_ms, maxBytes: args.max_bytes }, call);
  }

  async write(args: ToolArguments<'shell_write'>, call: ToolCall): Promise<OutputFacts> {
    const { engine } = this.#options;
    const id = this.#owns(args.session_id);
    const input = args.text + (await this.#typed(id, args.keys));
    if (input !== '' || args.submit) {
      const delivery = await engine.write(id, Buffer.from(input), {
        enter: args.submit,
        timeoutMs: MAX_CALL_MS,
        callId: args.request_id ?? call.callId,
        signal: call.signal,
        ...(args.request_id === undefined ? {} : { requestId: args.request_id }),
      });
      if (delivery.outcome !== 'delivered') {
        throw new EngineError(
          'session-not-writable',
          `session ${id} took ${delivery.deliveredBytes} bytes of the input, and not the rest`,
        );
      }
    }
    return this.#settled(id, { yieldMs: args.yield_ms, maxBytes: args.max_bytes }, call);
  }

  async read(args: ToolArguments<'shell_read'>, call: ToolCall): Promise<ResultOf<'screen'>> {
    const { engine } = this.#options;
    const id = this.#owns(args.session_id);
    const window = this.#window(args.yield_ms);
    const cursor = await this.#cursor(id, args.cursor);
    const { epoch, outputBytes } = await engine.get(id);
    const grep = args.grep === undefined ? null : { pattern: args.grep, ignoreCase: args.ignore_case };
    if (args.view === 'screen') {
      if (window.ms > 0) {
        await engine.page(id, { cursor: 'now', maxBytes: 1, waitMs: window.ms, signal: call.signal });
      }
      const { rows, size, title, alternate, cursor: at } = await engine.screen(id);
      // A look at the screen takes nothing from the unread output.
      const { parts: _parts, ...place } = await engine.modelText(id, {
        cursor: 'now',
        toOffset: null,
        view: 'text',
        grep,
      });
      const shown = rows.join('\n').trimEnd();
      const facts = await this.#output(id, { ...place, parts: [shown] }, args.max_bytes, window.warnings);
      return { ...facts, screen: { ...size, cursor: at, title, full_screen: alternate } };
    }
    const request = { cursor, view: args.view, grep, maxBytes: args.max_bytes };
    const first = await this.#taken(id, request, { call, warnings: window.warnings });
    if (first.output !== '' || window.ms === 0) {
      return first;
    }
    // Nothing that could be given; what comes from now on may be, or complete what is held back.
    await engine.page(id, {
      cursor: { epoch, offset: outputBytes },
      maxBytes: 1,
      waitMs: window.ms,
      signal: call.signal,
    });
    const from = cursor === 'now' ? { epoch, offset: outputBytes } : cursor;
    return this.#taken(id, { ...request, cursor: from }, { call, warnings: window.warnings });
  }

  async wait(args: ToolArguments<'shell_wait'>, call: ToolCall): Promise<ResultOf<'waited'>> {
    const { engine } = this.#options;
    const ids = args.session_ids.map((id) => this.#owns(id));
    if (args.until.includes('match') && args.pattern === undefined) {
      throw new EngineError('invalid-argument', 'pattern: is needed to wait for a match');
    }
    const window = this.#window(args.yield_ms);
    const perSession = ids.map((session): WaitCondition => ({
      kind: 'any',
      of: args.until.map((what) => this.#condition(session, what, args)),
    }));
    const { outcome, met } = await engine.wait({
      condition: { kind: args.mode, of: perSession },
      timeoutMs: window.ms,
      signal: call.signal,
    });
    return {
      outcome,
      met: met.map(({ kind, session, match }) => ({
        session_id: session,
        kind: kind === 'pattern' ? 'match' : kind,
        match: match?.slice(0, 500) ?? null,
      })),
      sessions: await Promise.all(ids.map((id) => this.#facts(id))),
      warnings: window.warnings,
      hint: outcome === 'timed-out' ? 'call again to go on waiting, or read with shell_read' : null,
    };
  }

  async signal(args: ToolArguments<'shell_signal'>): Promise<ResultOf<'signal'>> {
    const id = this.#owns(args.session_id);
    const name = args.signal.toUpperCase();
    const signal = (name.startsWith('SIG') ? name : `SIG${name}`) as NodeJS.Signals;
    const sent = await this.#options.engine.signal(id, signal);
    return { ...(await this.#facts(id)), sent };
  }

  async close(args: ToolArguments<'shell_close'>): Promise<ResultOf<'closed'>> {
    const id = this.#owns(args.session_id);
    const options = args.grace_ms === undefined ? {} : { graceMs: args.grace_ms };
    const wasRunning = await this.#options.engine.terminate(id, 'agent', options);
    return { ...(await this.#facts(id)), was_running: wasRunning };
  }

  async list(): Promise<ResultOf<'list'>> {
    const sessions = (await this.#options.engine.list()).filter(({ id }) => this.#owned.has(id));
    return { sessions: await Promise.all(sessions.map(({ id }) => this.#facts(id))) };
  }

  async requestHuman(args: ToolArguments<'shell_request_human'>, call: ToolCall): Promise<ResultOf<'human'>> {
    const { engine } = this.#options;
    const id = this.#owns(args.session_id);
    const window = this.#window(args.yield_ms);
    const { kind, message } = args;
    const told = this.#wishes.get(id);
    // The person may have answered while nobody asked.
    const isSame = told?.kind === kind && told.message === message;
    const wish = isSame ? told : await engine.askPerson(id, { kind, message, timeoutMs: args.limit_ms });
    this.#wishes.set(id, wish);
    const outcome = await engine.attentionOutcome(id, wish.id, { waitMs: window.ms, signal: call.signal });
    if (outcome !== null && !call.signal.aborted) {
      this.#wishes.delete(id);
    }
    return {
      ...(await this.#facts(id)),
      human: {
        state: outcome?.state ?? 'pending',
        note: outcome?.note ?? null,
        until: outcome === null ? new Date(wish.untilMs).toISOString() : null,
      },
      warnings: window.warnings,
    };
  }

  /** `exec_command`, with its answer as facts and as the text that models know. */
  async execCommand(args: ToolArguments<'exec_command'>, call: ToolCall): Promise<CommandAnswer> {
    const answer = await this.#commands.execCommand({
      cmd: args.cmd,
      login: args.login,
      tty: args.tty,
      signal: call.signal,
      safety: this.#safety(args, args.workdir ?? this.#options.cwd, call),
      origin: originOf({ client: call.client, callId: args.request_id ?? call.callId }),
      ...(args.shell === undefined ? {} : { shell: args.shell }),
      ...(args.workdir === undefined ? {} : { cwd: args.workdir }),
      ...(args.yield_time_ms === undefined ? {} : { yieldTimeMs: args.yield_time_ms }),
      ...(args.max_output_tokens === undefined ? {} : { maxOutputTokens: args.max_output_tokens }),
      ...(args.request_id === undefined ? {} : { requestId: this.#requestId(args.request_id) }),
    });
    return this.#commandAnswer(answer);
  }

  async writeStdin(args: ToolArguments<'write_stdin'>, call: ToolCall): Promise<CommandAnswer> {
    const answer = await this.#commands.writeStdin({
      sessionId: numberOf(args.session_id),
      chars: args.chars,
      from: args.read_from === 'now' ? 'now' : 'last-read',
      signal: call.signal,
      callId: args.request_id ?? call.callId,
      ...(args.yield_time_ms === undefined ? {} : { yieldTimeMs: args.yield_time_ms }),
      ...(args.max_output_tokens === undefined ? {} : { maxOutputTokens: args.max_output_tokens }),
      ...(args.request_id === undefined ? {} : { requestId: args.request_id }),
    });
    return this.#commandAnswer(answer);
  }

  /** Sessions of this client, for its list of resources. */
  async sessions(): Promise<readonly SessionInfo[]> {
    return (await this.#options.engine.list()).filter(({ id }) => this.#owned.has(id));
  }

  /** Output as a resource: all that is retained, or the bytes of a range, as text. */
  async resource(id: string, range: { readonly from: number; readonly to: number } | null): Promise<string> {
    const session = this.#owns(id);
    const { engine } = this.#options;
    const { epoch } = await engine.get(session);
    const text = await engine.modelText(session, {
      cursor: range === null ? null : { epoch, offset: range.from },
      toOffset: range?.to ?? null,
      view: 'text',
      grep: null,
    });
    const last = text.nextCursor.offset;
    return cutOutput(
      text,
      MAX_RESOURCE_BYTES,
      `${outputResource(session)}/${text.cursor.offset}-${last}, in smaller ranges`,
    ).text;
  }

  /** The id of one of its own sessions. Throws `session-not-found` for every other. */
  #owns(asked: string | number): SessionId {
    const id = (/^\d+$/.test(String(asked)) ? `session-${asked}` : String(asked)) as SessionId;
    if (!this.#owned.has(id)) {
      throw new EngineError('session-not-found', `unknown session ${id}: shell_list shows those that you have`);
    }
    return id;
  }

  async #start(
    args: {
      readonly cwd?: string | undefined;
      readonly env: Readonly<Record<string, string>>;
      readonly request_id?: string | undefined;
      readonly title?: string | undefined;
    } & FenceArguments,
    call: ToolCall,
    { mayRetry, ...what }: Pick<StartRequest, 'argv' | 'backend'> & { readonly mayRetry: boolean },
  ): Promise<{ readonly session: SessionId; readonly retry: Promise<Retry> }> {
    const { engine, cwd } = this.#options;
    const { request_id: requestId } = args;
    const { session, retry } = await engine.startSafely(
      {
        ...what,
        cwd: args.cwd ?? cwd,
        environment: environmentWith(args.env),
        // Not the id of the call: the same request again is another call.
        origin: originOf({ client: call.client, callId: requestId ?? call.callId }),
        ...(requestId === undefined ? {} : { requestId: this.#requestId(requestId) }),
      },
      { ...this.#safety(args, args.cwd ?? cwd, call), mayRetry },
    );
    const { id } = session;
    this.#owned.add(id);
    if (args.title !== undefined) {
      await engine.rename(id, args.title);
    }
    // Its second run is this client's, too, also when nobody waits for it any more.
    const owned = retry.then((outcome) => {
      if (outcome.kind === 'started') {
        this.#owned.add(outcome.session.id);
      }
      return outcome;
    });
    return { session: id, retry: owned };
  }

  /** What it shall run in. An answer for this session holds as long as this front. */
  #safety(fence: FenceArguments, cwd: string, call: ToolCall): Partial<StartSafety> {
    const { sandbox, workspace, allowed_hosts: allowed } = fence;
    const more = allowed.length === 0 ? {} : { network: { allowed, denied: [] } };
    const policy: SandboxPolicy =
      sandbox === 'none'
        ? { kind: 'none' }
        : sandbox === 'read-only'
          ? readOnly(more)
          : workspaceWrite(workspace ?? cwd, more);
    return { sandbox: policy, conversation: this.#options.account, signal: call.signal };
  }

  /** Two clients may choose the same. */
  #requestId(requestId: string): string {
    return `${this.#options.account} ${requestId}`;
  }

  async #typed(id: SessionId, keys: readonly string[]): Promise<string> {
    // Asked only where it makes a difference: it parses what the session printed.
    const isApplication = keys.some(isCursorKey) && (await this.#options.engine.screen(id)).applicationCursorKeys;
    const bytes = keys.map((key) => {
      const sent = keyBytes(key, isApplication);
      if (sent === null) {
        throw new EngineError(
          'invalid-argument',
          `keys: there is no key ${JSON.stringify(key)}; there are ${KEY_NAMES}`,
        );
      }
      return sent;
    });
    return bytes.join('');
  }

  #condition(
    session: SessionId,
    what: 'exit' | 'idle' | 'match' | 'input',
    args: ToolArguments<'shell_wait'>,
  ): WaitCondition {
    switch (what) {
      case 'exit':
        return { kind: 'exit', session };
      case 'idle':
        return { kind: 'idle', session, idleMs: args.idle_ms };
      case 'input':
        return settledInput(session);
      case 'match': {
        const from = this.#commands.places.at(session);
        return { kind: 'pattern', session, pattern: args.pattern ?? '', ignoreCase: args.ignore_case, from };
      }
    }
  }

  /** Waits for the end, for input, or the time, then tells what came. */
  async #settled(
    id: SessionId,
    { yieldMs, maxBytes }: { readonly yieldMs: number; readonly maxBytes: number },
    call: ToolCall,
  ): Promise<OutputFacts> {
    const { engine } = this.#options;
    const window = this.#window(yieldMs);
    await waitForEnd((request) => engine.wait(request), id, {
      ms: window.ms,
      signal: call.signal,
      early: settledInput(id),
    });
    return this.#taken(id, { ...UNREAD, maxBytes }, { call, warnings: window.warnings });
  }

  #window(yieldMs: number): { readonly ms: number; readonly warnings: string[] } {
    const { ms, warning } = yieldTime(yieldMs, { min: 0, usual: 0, max: MAX_CALL_MS }, null);
    return { ms, warnings: warning === null ? [] : [warning] };
  }

  async #taken(
    id: SessionId,
    { cursor, view, grep, maxBytes }: OutputRequest,
    { call, warnings }: { readonly call: ToolCall; readonly warnings: readonly string[] },
  ): Promise<OutputFacts> {
    const { engine } = this.#options;
    const read = (from: OutputCursor | 'now' | null) =>
      engine.modelText(id, { cursor: from, toOffset: null, view, grep });
    const text = cursor === 'unread' ? await this.#commands.places.take(id, read, call.signal) : await read(cursor);
    return this.#output(id, text, maxBytes, warnings);
  }

  async #output(id: SessionId, text: ModelText, maxBytes: number, warnings: readonly string[]): Promise<OutputFacts> {
    const cut = cutOutput(text, maxBytes, outputResource(id));
    return {
      ...(await this.#facts(id)),
      cursor: cursorText(text.cursor),
      next_cursor: cursorText(text.nextCursor),
      dropped_bytes: text.goneBytes,
      omitted_bytes: cut.leftOutBytes,
      truncated: cut.leftOutBytes > 0,
      output: cut.text,
      untrusted: true,
      warnings: [...warnings],
    };
  }

  async #facts(id: SessionId): Promise<SessionFacts> {
    const { engine } = this.#options;
    const session = await engine.get(id);
    // The process table is read only for who left something.
    const survivors: readonly Survivor[] =
      session.treeEmpty === false
        ? ((await engine.survivors()).find((left) => left.session === id)?.processes.map(survivorOf) ?? [])
        : [];
    return sessionFacts(session, { survivors, isDenied: await this.#isDenied(session) });
  }

  async #isDenied({ id, sandbox, exit, epoch, outputBytes }: SessionInfo): Promise<boolean> {
    if (sandbox === null || exit === null || exit.exitCode === 0) {
      return false;
    }
    const { parts } = await this.#options.engine.modelText(id, {
      cursor: { epoch, offset: Math.max(0, outputBytes - JUDGED_OUTPUT_BYTES) },
      toOffset: null,
      view: 'text',
      grep: null,
    });
    return likelyDenied(exit, parts.join('')) !== null;
  }

  async #commandAnswer(answer: ShellAnswer): Promise<CommandAnswer> {
    return {
      text: shellAnswerText(answer),
      facts: {
        ...(await this.#facts(answer.session)),
        cursor: cursorText(answer.cursor),
        next_cursor: cursorText(answer.nextCursor),
        dropped_bytes: answer.goneBytes,
        omitted_bytes: answer.leftOutBytes,
        truncated: answer.originalTokens !== null,
        output: answer.output,
        untrusted: true,
        warnings: [...answer.warnings],
        wall_time_seconds: answer.wallTimeMs / 1000,
        session_number: answer.exit === null ? answer.number : null,
        original_token_count: answer.originalTokens,
      },
    };
  }

  async #cursor(id: SessionId, text: string): Promise<OutputRequest['cursor']> {
    if (text === 'unread' || text === 'now') {
      return text;
    }
    if (text === 'start') {
      return null;
    }
    const [, prefix = '', offset = ''] = /^([0-9a-f]{8}):(\d{1,15})$/.exec(text) ?? [];
    const { epoch } = await this.#options.engine.get(id);
    if (prefix === '' || !epoch.startsWith(prefix)) {
      throw new EngineError(
        'invalid-argument',
        `cursor: ${JSON.stringify(text)} is none of ${id}; use unread, start, now, or a next_cursor of its answers`,
      );
    }
    return { epoch, offset: Number(offset) };
  }
}

/** An answer of the pair that has a text form of its own. */
export interface CommandAnswer {
  readonly text: string;
  readonly facts: ResultOf<'command'>;
}

/** It waits for input, and has said what it wanted to say before. */
function settledInput(session: SessionId): WaitCondition {
  return {
    kind: 'all',
    of: [
      { kind: 'input', session },
      { kind: 'idle', session, idleMs: SETTLED_MS },
    ],
  };
}

function numberOf(id: string | number): number {
  return Number(/\d+$/.exec(String(id))?.[0] ?? Number.NaN);
}

/** What comes of it in so many milliseconds; null when nothing did. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function originOf({ client, callId }: Pick<ToolCall, 'client' | 'callId'>): StartRequest['origin'] {
  return { kind: 'agent', client, processId: callId, threadId: null, callId };
}

/** The host's variables without credentials (S14), and what tells programs of the terminal. */
function environmentWith(set: Readonly<Record<string, string>>): StartRequest['environment'] {
  return {
    kind: 'inherit',
    from: 'all',
    excludeCredentials: true,
    exclude: [],
    set: { TERM: 'xterm-256color' },
    includeOnly: [],
    overlay: set,
  };
}

function survivorOf({ pid, command }: { readonly pid: number; readonly command: string | null }): Survivor {
  return { pid, command: command ?? 'unknown' };
}
