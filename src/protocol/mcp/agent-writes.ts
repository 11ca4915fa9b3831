import type { Delivery, Engine } from '../../engine/engine.ts';
import { EngineError } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/session.ts';
import { ApprovedActs } from './approved-acts.ts';
import type { ToolArguments } from './mcp-arguments.ts';
import type { ResultOf } from './mcp-result.ts';
import { isCursorKey, KEY_NAMES, keyBytes } from './named-keys.ts';
import { approvalFacts, pendingHint } from './pending-facts.ts';
import type { SessionReports } from './session-reports.ts';
import { callWindow, MAX_CALL_MS, USUAL_YIELD_MS, type ToolCall } from './tool-call.ts';

/** How a client's calls type: what would run a command may have to be allowed first, each request id once. */
export class AgentWrites {
  readonly #engine: Engine;
  readonly #reports: SessionReports;
  readonly #acts = new ApprovedActs<Delivery>();

  constructor(engine: Engine, reports: SessionReports) {
    this.#engine = engine;
    this.#reports = reports;
  }

  /** Types into one of the client's sessions, and tells what came. */
  async write(id: SessionId, args: ToolArguments<'shell_write'>, call: ToolCall): Promise<ResultOf<'written'>> {
    const startedAt = performance.now();
    const { ms, warnings } = callWindow(args.yield_ms ?? MAX_CALL_MS);
    const input = args.text + (await this.#typed(id, args.keys));
    if (input !== '' || args.submit) {
      const typed = await this.#type(id, { input, args, waitMs: ms }, call);
      if (typed.kind === 'pending') {
        // Nothing is taken from what is unread.
        const request = { cursor: 'now', view: 'text', grep: null, maxBytes: args.max_bytes } as const;
        const facts = await this.#reports.taken(id, request, { call, warnings });
        return { ...facts, hint: pendingHint(typed), approval: approvalFacts(typed) };
      }
      const { outcome, deliveredBytes } = typed.value;
      if (outcome !== 'delivered') {
        throw new EngineError(
          'session-not-writable',
          `session ${id} took ${deliveredBytes} bytes of the input, and not the rest`,
        );
      }
    }
    const yieldMs = args.yield_ms ?? USUAL_YIELD_MS.write;
    const settled = await this.#reports.settled(id, { yieldMs, maxBytes: args.max_bytes, startedAt }, call);
    return { ...settled, approval: null };
  }

  dispose(): void {
    this.#acts.dispose();
  }

  #type(
    id: SessionId,
    wish: { readonly input: string; readonly args: ToolArguments<'shell_write'>; readonly waitMs: number },
    call: ToolCall,
  ) {
    const { input, args, waitMs } = wish;
    const { request_id: requestId, submit } = args;
    const what = JSON.stringify([id, input, submit]);
    return this.#acts.run({ requestId, what, waitMs, signal: call.signal }, ({ askSignal, onWaiting }) =>
      this.#engine.write(id, Buffer.from(input), {
        enter: submit,
        timeoutMs: MAX_CALL_MS,
        callId: requestId ?? call.callId,
        signal: askSignal,
        onWaiting,
        ...(requestId === undefined ? {} : { requestId }),
      }),
    );
  }

  async #typed(id: SessionId, keys: readonly string[]): Promise<string> {
    // Asked only where it makes a difference: it parses what the session printed.
    const isApplication = keys.some(isCursorKey) && (await this.#engine.screen(id)).applicationCursorKeys;
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
}
