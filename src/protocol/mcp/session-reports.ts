import { cutOutput, likelyDenied, waitForEnd } from '../../engine/engine.ts';
import type { Engine, ModelText, ShellAnswer, ShellCommands, WaitCondition } from '../../engine/engine.ts';
import { EngineError } from '../../shared/errors.ts';
import type { OutputCursor } from '../../shared/output-cursor.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import type { OutputFacts, ResultOf, SessionFacts } from './mcp-result.ts';
import { cursorText, outputResource, sessionFacts, type Survivor } from './session-facts.ts';
import { callWindow, leftOfCall, type ToolCall } from './tool-call.ts';

/** Silence that makes "waits for input" believable, in milliseconds: a program that reads may be about to print. */
const SETTLED_MS = 60;

/** Output of one read of a resource, in bytes of UTF-8; a larger one is read range by range. */
const MAX_RESOURCE_BYTES = 256 * 1024;

/** The end of the output by which a denial is told, in bytes. */
const JUDGED_OUTPUT_BYTES = 16 * 1024;

/** Where a text begins and what it may be. */
export interface OutputRequest {
  readonly cursor: OutputCursor | 'unread' | 'now' | null;
  readonly view: 'text' | 'raw';
  readonly grep: { readonly pattern: string; readonly ignoreCase: boolean } | null;
  readonly maxBytes: number;
}

/** How long an answer is waited for, and how much of it is given. */
export interface SettledRequest {
  readonly yieldMs: number;
  readonly maxBytes: number;
  /** When the call began, as of `performance.now()`: with what it waited for before, it must not take too long. */
  readonly startedAt: number;
}

const UNREAD: Omit<OutputRequest, 'maxBytes'> = { cursor: 'unread', view: 'text', grep: null };

/** What one client is told of its sessions: facts, and output from its own places on. */
export class SessionReports {
  readonly #engine: Engine;
  readonly #places: ShellCommands['places'];

  constructor(engine: Engine, places: ShellCommands['places']) {
    this.#engine = engine;
    this.#places = places;
  }

  /** Waits for the end, for input, or the time, then tells what came. */
  async settled(id: SessionId, { yieldMs, maxBytes, startedAt }: SettledRequest, call: ToolCall): Promise<OutputFacts> {
    const window = callWindow(yieldMs);
    await waitForEnd((request) => this.#engine.wait(request), id, {
      ms: Math.min(window.ms, leftOfCall(startedAt)),
      signal: call.signal,
      early: settledInput(id),
    });
    return this.taken(id, { ...UNREAD, maxBytes }, { call, warnings: window.warnings });
  }

  /** Output as it is asked for. What is unread is given once. */
  async taken(
    id: SessionId,
    { cursor, view, grep, maxBytes }: OutputRequest,
    { call, warnings }: { readonly call: ToolCall; readonly warnings: readonly string[] },
  ): Promise<OutputFacts> {
    const read = (from: OutputCursor | 'now' | null) =>
      this.#engine.modelText(id, { cursor: from, toOffset: null, view, grep });
    const text = cursor === 'unread' ? await this.#places.take(id, read, call.signal) : await read(cursor);
    return this.output(id, text, { maxBytes, warnings });
  }

  /** A text that was read, cut to what the answer may have, with the session's facts. */
  async output(
    id: SessionId,
    text: ModelText,
    { maxBytes, warnings }: { readonly maxBytes: number; readonly warnings: readonly string[] },
  ): Promise<OutputFacts> {
    const cut = cutOutput(text, maxBytes, outputResource(id));
    return {
      ...(await this.facts(id)),
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

  async facts(id: SessionId): Promise<SessionFacts> {
    const session = await this.#engine.get(id);
    // The process table is read only for who left something.
    const survivors: readonly Survivor[] =
      session.treeEmpty === false
        ? ((await this.#engine.survivors()).find((left) => left.session === id)?.processes.map(survivorOf) ?? [])
        : [];
    return sessionFacts(session, { survivors, isDenied: await this.#isDenied(session) });
  }

  /** What the pair answers, as facts. */
  async command(answer: ShellAnswer): Promise<ResultOf<'command'>> {
    return {
      ...(await this.facts(answer.session)),
      cursor: cursorText(answer.cursor),
      next_cursor: cursorText(answer.nextCursor),
      dropped_bytes: answer.goneBytes,
      omitted_bytes: answer.leftOutBytes,
      truncated: answer.originalTokens !== null,
      output: answer.output,
      untrusted: true,
      warnings: [...answer.warnings],
      approval: null,
      wall_time_seconds: answer.wallTimeMs / 1000,
      session_number: answer.exit === null ? answer.number : null,
      original_token_count: answer.originalTokens,
    };
  }

  /** Output as a resource: all that is retained, or the bytes of a range, as text. */
  async resource(id: SessionId, range: { readonly from: number; readonly to: number } | null): Promise<string> {
    const { epoch } = await this.#engine.get(id);
    const text = await this.#engine.modelText(id, {
      cursor: range === null ? null : { epoch, offset: range.from },
      toOffset: range?.to ?? null,
      view: 'text',
      grep: null,
    });
    const last = text.nextCursor.offset;
    const smaller = `${outputResource(id)}/${text.cursor.offset}-${last}, in smaller ranges`;
    return cutOutput(text, MAX_RESOURCE_BYTES, smaller).text;
  }

  /** The place that a client means. Throws `invalid-argument` for what is none of that session. */
  async cursorOf(id: SessionId, text: string): Promise<OutputRequest['cursor']> {
    if (text === 'unread' || text === 'now') {
      return text;
    }
    if (text === 'start') {
      return null;
    }
    const [, prefix = '', offset = ''] = /^([0-9a-f]{8}):(\d{1,15})$/.exec(text) ?? [];
    const { epoch } = await this.#engine.get(id);
    if (prefix === '' || !epoch.startsWith(prefix)) {
      throw new EngineError(
        'invalid-argument',
        `cursor: ${JSON.stringify(text)} is none of ${id}; use unread, start, now, or a next_cursor of its answers`,
      );
    }
    return { epoch, offset: Number(offset) };
  }

  async #isDenied({ id, sandbox, exit, epoch, outputBytes }: SessionInfo): Promise<boolean> {
    if (sandbox === null || exit === null || exit.exitCode === 0) {
      return false;
    }
    const { parts } = await this.#engine.modelText(id, {
      cursor: { epoch, offset: Math.max(0, outputBytes - JUDGED_OUTPUT_BYTES) },
      toOffset: null,
      view: 'text',
      grep: null,
    });
    return likelyDenied(exit, parts.join('')) !== null;
  }
}

/** It waits for input, and has said what it wanted to say before. */
export function settledInput(session: SessionId): WaitCondition {
  return {
    kind: 'all',
    of: [
      { kind: 'input', session },
      { kind: 'idle', session, idleMs: SETTLED_MS },
    ],
  };
}

function survivorOf({ pid, command }: { readonly pid: number; readonly command: string | null }): Survivor {
  return { pid, command: command ?? 'unknown' };
}
