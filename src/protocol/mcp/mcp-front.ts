import type { Engine, Retry, ShellCommands, WaitCondition } from '../../engine/engine.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Attention, SessionId, SessionInfo } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import { AgentStarts, type StartArguments, type StartWish } from './agent-starts.ts';
import { AgentWrites } from './agent-writes.ts';
import { CommandPair, type CommandAnswer } from './command-pair.ts';
import type { ToolArguments } from './mcp-arguments.ts';
import type { OutputFacts, ResultOf } from './mcp-result.ts';
import { OwnSessions } from './own-sessions.ts';
import { pendingStart } from './pending-facts.ts';
import { outputResource } from './session-facts.ts';
import { SessionReports, settledInput, type SettledRequest } from './session-reports.ts';
import {
  callWindow,
  environmentWith,
  leftOfCall,
  MAX_CALL_MS,
  originOf,
  USUAL_YIELD_MS,
  type ToolCall,
} from './tool-call.ts';

export interface McpFrontOptions {
  readonly engine: Engine;
  /** Whose sessions these are: no other front has the same. Request ids are this client's own. */
  readonly account: string;
  /** For commands without a directory of their own. Absolute path. */
  readonly cwd: string;
  readonly shellPath: string;
}

/**
 * What one client of the Model Context Protocol can do: each tool is a method, with plain facts as its answer. It knows
 * only the sessions that it started; the ids of others are unknown to it (S16). Every call ends within `MAX_CALL_MS`,
 * and one that nobody waits for any more ends no child and takes no output.
 */
export class McpFront {
  readonly own = new OwnSessions();
  readonly #options: McpFrontOptions;
  readonly #commands: ShellCommands;
  readonly #reports: SessionReports;
  readonly #starts: AgentStarts;
  readonly #writes: AgentWrites;
  readonly #pair: CommandPair;
  /** What a person was asked for, until the answer is told. */
  readonly #wishes = new TurnoverMap<SessionId, Attention>();
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
      onSession: (session) => this.own.add(session),
    });
    this.#reports = new SessionReports(engine, this.#commands.places);
    this.#starts = new AgentStarts({ ...options, own: this.own });
    this.#writes = new AgentWrites(engine, this.#reports);
    this.#pair = new CommandPair({ commands: this.#commands, starts: this.#starts, reports: this.#reports, cwd });
    this.#stopEvents = engine.onEvent((event) => {
      if (event.type === 'removed') {
        this.own.delete(event.id);
        this.#wishes.delete(event.id);
        this.#starts.forget(event.id);
        this.#commands.places.forget(event.id);
      }
    });
  }

  /** The client has left, perhaps to come back: what a person allowed for its session is asked about again. */
  endSession(): void {
    void this.#options.engine.endClientSession(this.#options.account);
  }

  /** Ends what it started and still runs: nobody else can. */
  async dispose(): Promise<void> {
    this.#stopEvents();
    this.#starts.dispose();
    this.#writes.dispose();
    this.#pair.dispose();
    this.endSession();
    const { engine } = this.#options;
    // One that cannot be ended must not keep the others; the engine logs why.
    const end = (id: SessionId) => engine.terminate(id, 'agent');
    this.own.close((id) => void end(id).catch(() => {}));
    await Promise.allSettled(this.own.all().map(end));
  }

  async exec(args: ToolArguments<'shell_exec'>, call: ToolCall): Promise<ResultOf<'started'>> {
    const { command, shell = this.#options.shellPath, login, background, mode } = args;
    const startedAt = performance.now();
    const isBackground = background || mode === 'async';
    const yieldMs = isBackground ? 0 : (args.yield_ms ?? USUAL_YIELD_MS.exec);
    const started = await this.#start(args, call, {
      argv: [shell, login ? '-lc' : '-c', command],
      backend: args.tty ? { kind: 'pty' } : { kind: 'pipe', stdin: false },
      mayRetry: true,
      askedMs: isBackground ? 0 : (args.yield_ms ?? MAX_CALL_MS),
    });
    if (started.kind === 'pending') {
      return started.facts;
    }
    // What is asked about the second run goes with the call, too, as long as that waits.
    call.signal.addEventListener('abort', started.withdraw, { once: true });
    try {
      const { session, retry } = started.value;
      const request = { yieldMs, maxBytes: args.max_bytes, startedAt };
      const first = await this.#reports.settled(session, request, call);
      if (!first.sandbox_denied || call.signal.aborted) {
        return { ...first, approval: null };
      }
      const outcome = await within(retry, leftOfCall(startedAt));
      return { ...(await this.#retried(first, outcome, { request, call })), approval: null };
    } finally {
      call.signal.removeEventListener('abort', started.withdraw);
    }
  }

  async open(args: ToolArguments<'shell_open'>, call: ToolCall): Promise<ResultOf<'started'>> {
    const { shellPath } = this.#options;
    const startedAt = performance.now();
    const started = await this.#start(args, call, {
      argv: args.command === undefined ? [shellPath, '-il'] : [shellPath, '-lc', args.command],
      backend: { kind: 'pty', size: { cols: args.cols, rows: args.rows } },
      mayRetry: false,
      askedMs: args.yield_ms ?? MAX_CALL_MS,
    });
    if (started.kind === 'pending') {
      return started.facts;
    }
    const yieldMs = args.yield_ms ?? USUAL_YIELD_MS.open;
    const request = { yieldMs, maxBytes: args.max_bytes, startedAt };
    const settled = await this.#reports.settled(started.value.session, request, call);
    return { ...settled, approval: null };
  }

  write(args: ToolArguments<'shell_write'>, call: ToolCall): Promise<ResultOf<'written'>> {
    return this.#writes.write(this.own.idOf(args.session_id), args, call);
  }

  async read(args: ToolArguments<'shell_read'>, call: ToolCall): Promise<ResultOf<'screen'>> {
    const { engine } = this.#options;
    const id = this.own.idOf(args.session_id);
    const { ms, warnings } = callWindow(args.yield_ms);
    const cursor = await this.#reports.cursorOf(id, args.cursor);
    const { epoch, outputBytes } = await engine.get(id);
    const grep = args.grep === undefined ? null : { pattern: args.grep, ignoreCase: args.ignore_case };
    if (args.view === 'screen') {
      if (ms > 0) {
        await engine.page(id, { cursor: 'now', maxBytes: 1, waitMs: ms, signal: call.signal });
      }
      const { rows, size, title, alternate, cursor: at } = await engine.screen(id);
      // A look at the screen takes nothing from the unread output.
      const { parts: _parts, ...place } = await engine.modelText(id, {
        cursor: 'now',
        toOffset: null,
        view: 'text',
        grep,
      });
      const shown = { ...place, parts: [rows.join('\n').trimEnd()] as const };
      const facts = await this.#reports.output(id, shown, { maxBytes: args.max_bytes, warnings });
      return { ...facts, screen: { ...size, cursor: at, title, full_screen: alternate } };
    }
    const request = { cursor, view: args.view, grep, maxBytes: args.max_bytes };
    const first = await this.#reports.taken(id, request, { call, warnings });
    if (first.output !== '' || ms === 0) {
      return first;
    }
    // Nothing that could be given; what comes from now on may be, or complete what is held back.
    await engine.page(id, { cursor: { epoch, offset: outputBytes }, maxBytes: 1, waitMs: ms, signal: call.signal });
    const from = cursor === 'now' ? { epoch, offset: outputBytes } : cursor;
    return this.#reports.taken(id, { ...request, cursor: from }, { call, warnings });
  }

  async wait(args: ToolArguments<'shell_wait'>, call: ToolCall): Promise<ResultOf<'waited'>> {
    const ids = args.session_ids.map((id) => this.own.idOf(id));
    if (args.until.includes('match') && args.pattern === undefined) {
      throw new EngineError('invalid-argument', 'pattern: is needed to wait for a match');
    }
    const window = callWindow(args.yield_ms);
    const perSession = ids.map((session): WaitCondition => ({
      kind: 'any',
      of: args.until.map((what) => this.#condition(session, what, args)),
    }));
    const { outcome, met } = await this.#options.engine.wait({
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
      sessions: await Promise.all(ids.map((id) => this.#reports.facts(id))),
      warnings: window.warnings,
      hint: outcome === 'timed-out' ? 'call again to go on waiting, or read with shell_read' : null,
    };
  }

  async signal(args: ToolArguments<'shell_signal'>): Promise<ResultOf<'signal'>> {
    const id = this.own.idOf(args.session_id);
    const name = args.signal.toUpperCase();
    const signal = (name.startsWith('SIG') ? name : `SIG${name}`) as NodeJS.Signals;
    const sent = await this.#options.engine.signal(id, signal);
    return { ...(await this.#reports.facts(id)), sent };
  }

  async close(args: ToolArguments<'shell_close'>): Promise<ResultOf<'closed'>> {
    const id = this.own.idOf(args.session_id);
    const options = args.grace_ms === undefined ? {} : { graceMs: args.grace_ms };
    const wasRunning = await this.#options.engine.terminate(id, 'agent', options);
    return { ...(await this.#reports.facts(id)), was_running: wasRunning };
  }

  async list(): Promise<ResultOf<'list'>> {
    const sessions = await this.sessions();
    return { sessions: await Promise.all(sessions.map(({ id }) => this.#reports.facts(id))) };
  }

  async requestHuman(args: ToolArguments<'shell_request_human'>, call: ToolCall): Promise<ResultOf<'human'>> {
    const { engine } = this.#options;
    const id = this.own.idOf(args.session_id);
    const window = callWindow(args.yield_ms);
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
      ...(await this.#reports.facts(id)),
      human: {
        state: outcome?.state ?? 'pending',
        note: outcome?.note ?? null,
        until: outcome === null ? new Date(wish.untilMs).toISOString() : null,
      },
      warnings: window.warnings,
    };
  }

  /** `exec_command`, with its answer as facts and as the text that models know. */
  execCommand(args: ToolArguments<'exec_command'>, call: ToolCall): Promise<CommandAnswer> {
    return this.#pair.execCommand(args, call);
  }

  writeStdin(args: ToolArguments<'write_stdin'>, call: ToolCall): Promise<CommandAnswer> {
    return this.#pair.writeStdin(args, call);
  }

  /** Sessions of this client, for its list of resources. */
  async sessions(): Promise<readonly SessionInfo[]> {
    return (await this.#options.engine.list()).filter(({ id }) => this.own.has(id));
  }

  /** Output as a resource: all that is retained, or the bytes of a range, as text. */
  async resource(id: string, range: { readonly from: number; readonly to: number } | null): Promise<string> {
    return this.#reports.resource(this.own.idOf(id), range);
  }

  /** A start that a person may be asked about, and is waited for `askedMs`; until they have answered, what is told meanwhile. */
  async #start(args: StartArguments, call: ToolCall, wish: StartWish & { readonly askedMs: number }) {
    const { askedMs, ...what } = wish;
    const { ms, warnings } = callWindow(askedMs);
    const started = await this.#starts.start(args, call, { ...what, waitMs: ms });
    return started.kind === 'pending'
      ? ({ kind: 'pending', facts: pendingStart(started, warnings) } as const)
      : started;
  }

  /** The answer of the second run, or of the first with what became of that. */
  async #retried(
    first: OutputFacts,
    retry: Retry | null,
    { request, call }: { readonly request: SettledRequest; readonly call: ToolCall },
  ): Promise<OutputFacts> {
    const denied = 'its sandbox likely denied it';
    switch (retry?.kind) {
      case undefined:
        return {
          ...first,
          hint: `${denied}; a person is asked whether it may run again without: the same call with the same request_id waits for that, and shell_list shows that run`,
        };
      case 'none':
        return first;
      case 'refused':
        return { ...first, hint: `${denied}, and it was not run again without: ${retry.why}` };
      case 'failed':
        return { ...first, hint: `${denied}, and it could not be run again: ${String(retry.error)}` };
      case 'started': {
        const second = await this.#reports.settled(retry.session.id, request, call);
        return {
          ...second,
          hint: `this is its second run, without the sandbox that denied ${first.session_id}${second.hint === null ? '' : `; ${second.hint}`}`,
        };
      }
    }
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
