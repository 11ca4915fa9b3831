import { shellAnswerText } from '../../engine/engine.ts';
import type { CommandPlace, ShellAnswer, ShellCommands } from '../../engine/engine.ts';
import type { AgentStarts } from './agent-starts.ts';
import { ApprovedActs } from './approved-acts.ts';
import type { ToolArguments } from './mcp-arguments.ts';
import type { ResultOf } from './mcp-result.ts';
import { approvalFacts, pendingHint, pendingStart, type Pending } from './pending-facts.ts';
import type { SessionReports } from './session-reports.ts';
import { callWindow, MAX_CALL_MS, originOf, type ToolCall } from './tool-call.ts';

/** An answer of the pair that has a text form of its own. */
export interface CommandAnswer {
  readonly text: string;
  readonly facts: ResultOf<'command'>;
}

export interface CommandPairOptions {
  readonly commands: ShellCommands;
  readonly starts: AgentStarts;
  readonly reports: SessionReports;
  /** For commands without a directory of their own. */
  readonly cwd: string;
}

/** `exec_command` and `write_stdin`, with their answers as facts and as the text that models know. */
export class CommandPair {
  readonly #options: CommandPairOptions;
  readonly #starts = new ApprovedActs<CommandPlace>();
  readonly #writes = new ApprovedActs<void>();

  constructor(options: CommandPairOptions) {
    this.#options = options;
  }

  dispose(): void {
    this.#starts.dispose();
    this.#writes.dispose();
  }

  async execCommand(args: ToolArguments<'exec_command'>, call: ToolCall): Promise<CommandAnswer> {
    const startedAt = performance.now();
    const { commands, starts, cwd } = this.#options;
    const { cmd, login, tty, sandbox, workspace, allowed_hosts: allowed, request_id: requestId } = args;
    const request = {
      ...{ cmd, login, tty },
      signal: call.signal,
      origin: originOf({ client: call.client, callId: requestId ?? call.callId }),
      ...(args.shell === undefined ? {} : { shell: args.shell }),
      ...(args.workdir === undefined ? {} : { cwd: args.workdir }),
      ...(args.yield_time_ms === undefined ? {} : { yieldTimeMs: args.yield_time_ms }),
      ...(args.max_output_tokens === undefined ? {} : { maxOutputTokens: args.max_output_tokens }),
      ...(requestId === undefined ? {} : { requestId: starts.requestId(requestId) }),
    };
    const what = JSON.stringify([cmd, login, tty, args.shell, args.workdir, sandbox, workspace, allowed]);
    const waitMs = callWindow(args.yield_time_ms ?? MAX_CALL_MS).ms;
    const started = await this.#starts.run(
      { requestId, what, waitMs, signal: call.signal },
      ({ askSignal, onWaiting }) =>
        commands.start({
          ...request,
          safety: { ...starts.safety(args, args.workdir ?? cwd), signal: askSignal, onWaiting },
        }),
    );
    if (started.kind === 'pending') {
      return pendingAnswer(started, pendingStart(started, []), startedAt);
    }
    return this.#answer(await commands.answerStart(started.value, request, startedAt));
  }

  async writeStdin(args: ToolArguments<'write_stdin'>, call: ToolCall): Promise<CommandAnswer> {
    const startedAt = performance.now();
    const { commands, reports } = this.#options;
    const { chars, request_id: requestId } = args;
    const request = {
      chars,
      sessionId: numberOf(args.session_id),
      from: args.read_from === 'now' ? 'now' : 'last-read',
      signal: call.signal,
      callId: requestId ?? call.callId,
      ...(args.yield_time_ms === undefined ? {} : { yieldTimeMs: args.yield_time_ms }),
      ...(args.max_output_tokens === undefined ? {} : { maxOutputTokens: args.max_output_tokens }),
      ...(requestId === undefined ? {} : { requestId }),
    } as const;
    const place = commands.place(request);
    const waitMs = callWindow(args.yield_time_ms ?? MAX_CALL_MS).ms;
    const typed = await this.#writes.run(
      { requestId, what: JSON.stringify([place.id, chars]), waitMs, signal: call.signal },
      (terms) => commands.type(place, { ...request, ...terms }),
    );
    if (typed.kind === 'pending') {
      const read = { cursor: 'now', view: 'text', grep: null, maxBytes: 0 } as const;
      const facts = await reports.taken(place.id, read, { call, warnings: [] });
      const pending = { ...facts, hint: pendingHint(typed), approval: approvalFacts(typed) };
      return pendingAnswer(typed, pending, startedAt);
    }
    return this.#answer(await commands.answerWrite(place, request, startedAt));
  }

  async #answer(answer: ShellAnswer): Promise<CommandAnswer> {
    return { text: shellAnswerText(answer), facts: await this.#options.reports.command(answer) };
  }
}

/** In the form of the others, with what waits in the place of how the process is. */
function pendingAnswer(pending: Pending, facts: ResultOf<'started'>, startedAt: number): CommandAnswer {
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    text: [
      `Wall time: ${seconds.toFixed(3)} seconds`,
      `Approval pending with request ID ${pending.requestId}: ${pendingHint(pending)}`,
      'Output:',
      '',
    ].join('\n'),
    facts: { ...facts, wall_time_seconds: seconds, session_number: null, original_token_count: null },
  };
}

function numberOf(id: string | number): number {
  return Number(/\d+$/.exec(String(id))?.[0] ?? Number.NaN);
}
