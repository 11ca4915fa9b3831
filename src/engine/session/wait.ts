import { stripVTControlCharacters } from 'node:util';
import { EngineError } from '../../shared/errors.ts';
import type { OutputCursor } from '../../shared/output-cursor.ts';
import type { SessionId } from '../../shared/session.ts';
import { checkedMs, checkedPlace } from './checked.ts';
import type { OutputPage } from './output-ring.ts';
import { decodePieces, type Unfinished } from './output-text.ts';
import { compilePattern } from './pattern.ts';

/**
 * What to wait for. `text` and `pattern` are looked for in the output as text without its control sequences, from
 * `from` on (null: in all that is retained); they may be at most `OVERLAP_CHARACTERS` long. `idle` is silence for that
 * long, counted from the wait's begin at the earliest. `input`: the child waits for input by the kernel's word.
 */
export type WaitCondition =
  | {
      readonly kind: 'text';
      readonly session: SessionId;
      readonly text: string;
      readonly from: OutputCursor | null;
    }
  | {
      readonly kind: 'pattern';
      readonly session: SessionId;
      /** In the syntax of RE2: no back references, and so never slow. */
      readonly pattern: string;
      readonly ignoreCase: boolean;
      readonly from: OutputCursor | null;
    }
  | { readonly kind: 'idle'; readonly session: SessionId; readonly idleMs: number }
  | { readonly kind: 'exit' | 'closed' | 'input'; readonly session: SessionId }
  | { readonly kind: 'any' | 'all'; readonly of: readonly WaitCondition[] };

export interface WaitRequest {
  readonly condition: WaitCondition;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A condition that came true. */
export interface MetCondition {
  readonly kind: Exclude<WaitCondition['kind'], 'any' | 'all'>;
  readonly session: SessionId;
  /** What was found, for `text` and `pattern`; else null. */
  readonly match: string | null;
}

export interface WaitOutcome {
  /**
   * `impossible`: it cannot come true any more, since a session ended or was forgotten. `timed-out`, `cancelled`: by
   * the caller's limits.
   */
  readonly outcome: 'met' | 'impossible' | 'timed-out' | 'cancelled';
  /** What was true by then, also where all of it was not. */
  readonly met: readonly MetCondition[];
}

/** What a wait must know of a session. */
export interface WaitableSession {
  readonly id: SessionId;
  readonly epoch: string;
  /** How much was printed in all, in bytes. */
  readonly endOffset: number;
  /** Output from an offset on; see `OutputRing.read`. */
  outputFrom(offset: number, maxBytes: number): OutputPage;
  readonly exited: boolean;
  readonly closed: boolean;
  /** Nobody knows it any more, so that nothing will be told of it. */
  readonly forgotten: boolean;
  /** By the kernel's word; null when that cannot be told. */
  readonly waitsForInput: boolean | null;
  /** Time of the last output in `performance.now()`; the start where there is none. */
  readonly lastOutputAt: number;
  /** Somebody waits for it to wait for input: that is looked at more often until the answered function is called. */
  attend(): () => void;
  /** Told of output, of the end, and when what it waits for changes. */
  onActivity(listener: () => void): () => void;
}

/** Characters kept of what was looked at: a match over the border of two looks may be this long. */
const OVERLAP_CHARACTERS = 8_192;

/** Output looked at in one turn of the event loop, in bytes: some 25 ms at the slowest (a pattern that ignores case). */
const LOOK_BYTES = 256 * 1024;

/** Conditions of one wait, and how deep they may be nested. */
const MAX_CONDITIONS = 1_000;
const MAX_DEPTH = 16;

/** Time between two looks of one wait at a flood, in milliseconds. */
const LOOK_AT_MOST_EVERY_MS = 5;

/**
 * Resolves when the condition is true, can no longer become true, or the caller's time is up; never spins (A10).
 * Rejects with `session-not-found` and `invalid-argument` before it waits.
 */
export async function waitFor(
  { condition, timeoutMs, signal }: WaitRequest,
  find: (id: SessionId) => WaitableSession,
): Promise<WaitOutcome> {
  const limitMs = checkedMs('timeoutMs', timeoutMs);
  const root = nodeOf(condition, find, 0);
  const leaves = leavesOf(root);
  if (leaves.length > MAX_CONDITIONS) {
    throw new EngineError('invalid-argument', `condition: at most ${MAX_CONDITIONS} at once`);
  }
  if (leaves.length === 0) {
    throw new EngineError('invalid-argument', 'condition: any and all need at least one condition each');
  }
  return new Promise((resolve) => {
    const sessions = new Set(leaves.map(({ session }) => session));
    const cleanUp: (() => void)[] = [];
    let nextLook: NodeJS.Timeout | null = null;
    let lastLookAt = Number.NEGATIVE_INFINITY;
    let finished = false;

    const finish = (outcome: WaitOutcome['outcome']) => {
      finished = true;
      for (const undo of cleanUp) {
        undo();
      }
      clearTimeout(nextLook ?? undefined);
      resolve({ outcome, met: leaves.flatMap((leaf) => (leaf.state === 'met' ? [leaf.fact] : [])) });
    };
    const look = () => {
      lastLookAt = performance.now();
      clearTimeout(nextLook ?? undefined);
      nextLook = null;
      for (const leaf of leaves.filter(({ state }) => state === 'pending')) {
        leaf.look(lastLookAt);
      }
      const state = stateOf(root);
      if (state !== 'pending') {
        finish(state);
        return;
      }
      const dueAt = Math.min(...leaves.map(({ dueAt: leafDueAt }) => leafDueAt));
      if (Number.isFinite(dueAt)) {
        nextLook = setTimeout(look, Math.max(1, Math.ceil(dueAt - performance.now())));
      }
    };
    const onActivity = () => {
      if (finished) {
        return;
      }
      const earliest = lastLookAt + LOOK_AT_MOST_EVERY_MS - performance.now();
      if (earliest <= 0) {
        look();
      } else {
        clearTimeout(nextLook ?? undefined);
        nextLook = setTimeout(look, earliest);
      }
    };

    look();
    if (finished) {
      return;
    }
    if (signal?.aborted === true) {
      finish('cancelled');
      return;
    }
    const cancel = () => finish('cancelled');
    signal?.addEventListener('abort', cancel);
    cleanUp.push(() => signal?.removeEventListener('abort', cancel));
    const timeout = setTimeout(() => finish('timed-out'), limitMs);
    cleanUp.push(() => clearTimeout(timeout));
    for (const session of sessions) {
      cleanUp.push(session.onActivity(onActivity));
    }
    for (const leaf of leaves.filter(({ kind }) => kind === 'input')) {
      cleanUp.push(leaf.session.attend());
    }
  });
}

type NodeState = 'pending' | 'met' | 'impossible';

type WaitNode = Leaf | { readonly kind: 'any' | 'all'; readonly of: readonly WaitNode[] };

function nodeOf(condition: WaitCondition, find: (id: SessionId) => WaitableSession, depth: number): WaitNode {
  if (depth > MAX_DEPTH) {
    throw new EngineError('invalid-argument', `condition: any and all nested deeper than ${MAX_DEPTH}`);
  }
  switch (condition.kind) {
    case 'any':
    case 'all':
      return { kind: condition.kind, of: condition.of.map((part) => nodeOf(part, find, depth + 1)) };
    case 'text':
      return new TextLeaf(find(condition.session), condition, literalFinder(condition.text));
    case 'pattern':
      return new TextLeaf(find(condition.session), condition, patternFinder(condition.pattern, condition.ignoreCase));
    case 'idle':
      return new IdleLeaf(find(condition.session), checkedMs('idleMs', condition.idleMs));
    case 'exit':
    case 'closed':
    case 'input':
      return new FactLeaf(find(condition.session), condition.kind);
  }
}

function leavesOf(node: WaitNode): readonly Leaf[] {
  return node instanceof Leaf ? [node] : node.of.flatMap(leavesOf);
}

function stateOf(node: WaitNode): NodeState {
  if (node instanceof Leaf) {
    return node.state;
  }
  const states = node.of.map(stateOf);
  const [decisive, other] = node.kind === 'any' ? (['met', 'impossible'] as const) : (['impossible', 'met'] as const);
  if (states.includes(decisive)) {
    return decisive;
  }
  return states.every((state) => state === other) ? other : 'pending';
}

abstract class Leaf {
  readonly session: WaitableSession;
  readonly kind: MetCondition['kind'];
  state: NodeState = 'pending';
  /** When to look again without any activity, in `performance.now()`. */
  dueAt = Number.POSITIVE_INFINITY;
  protected match: string | null = null;

  constructor(session: WaitableSession, kind: MetCondition['kind']) {
    this.session = session;
    this.kind = kind;
  }

  get fact(): MetCondition {
    return { kind: this.kind, session: this.session.id, match: this.match };
  }

  abstract look(now: number): void;
}

class FactLeaf extends Leaf {
  override look(): void {
    const { session, kind } = this;
    const isTrue =
      kind === 'exit' ? session.exited : kind === 'closed' ? session.closed : session.waitsForInput === true;
    if (isTrue && !(kind === 'input' && session.exited)) {
      this.state = 'met';
    } else if (session.forgotten || (kind === 'input' && session.exited)) {
      this.state = 'impossible';
    }
  }
}

class IdleLeaf extends Leaf {
  readonly #idleMs: number;
  readonly #beganAt = performance.now();

  constructor(session: WaitableSession, idleMs: number) {
    super(session, 'idle');
    this.#idleMs = idleMs;
  }

  override look(now: number): void {
    this.dueAt = Math.max(this.#beganAt, this.session.lastOutputAt) + this.#idleMs;
    if (now >= this.dueAt) {
      this.state = 'met';
    }
  }
}

/** What matches in a text, or null. */
type Finder = (text: string) => string | null;

function literalFinder(text: string): Finder {
  if (text === '' || text.length > OVERLAP_CHARACTERS) {
    throw new EngineError('invalid-argument', `text: must be 1 to ${OVERLAP_CHARACTERS} characters long`);
  }
  // As the output is looked at.
  const wanted = text.replaceAll('\r\n', '\n');
  return (output) => (output.includes(wanted) ? text : null);
}

function patternFinder(pattern: string, ignoreCase: boolean): Finder {
  const compiled = compilePattern(pattern, ignoreCase);
  if (compiled.matches('')) {
    throw new EngineError(
      'invalid-argument',
      'pattern: it matches nothing at all, so that there is nothing to wait for',
    );
  }
  return (output) => {
    const matcher = compiled.matcher(output);
    return matcher.find() ? matcher.group() : null;
  };
}

/** Stands for what came before on the line, so that `^` does not match where only the look begins. No character. */
const CUT = '\uFFFF';

/** What a match over the border of two looks may begin with: from the start of a line on, where there is one. */
function tailOf(output: string): string {
  if (output.length <= OVERLAP_CHARACTERS) {
    return output;
  }
  const tail = output.slice(-OVERLAP_CHARACTERS);
  const lineStart = tail.indexOf('\n') + 1;
  return lineStart > 0 ? tail.slice(lineStart) : CUT + tail;
}

class TextLeaf extends Leaf {
  readonly #find: Finder;
  #offset: number;
  #unfinished: Unfinished = new Map();
  /** The end of what was looked at, control sequences included: one may go on in what comes. */
  #tail = '';

  constructor(
    session: WaitableSession,
    { kind, from }: { readonly kind: 'text' | 'pattern'; readonly from: OutputCursor | null },
    find: Finder,
  ) {
    super(session, kind);
    this.#offset = from === null ? 0 : checkedPlace('from.offset', from.offset);
    if (from !== null && (from.epoch !== session.epoch || from.offset > session.endOffset)) {
      throw new EngineError('invalid-argument', `from: the cursor is not one of session ${session.id}`);
    }
    this.#find = find;
  }

  override look(now: number): void {
    const page = this.session.outputFrom(this.#offset, LOOK_BYTES);
    if (page.goneBytes > 0) {
      this.#tail = '';
      this.#unfinished = new Map();
    }
    const hasMore = this.session.outputFrom(page.endOffset, 1).pieces.length > 0;
    const { text, unfinished } = decodePieces(page.pieces, this.#unfinished, this.session.closed && !hasMore);
    this.#offset = page.endOffset;
    this.#unfinished = unfinished;
    if (text !== '') {
      this.#lookAt(this.#tail + text);
    }
    // The rest in another turn: others have work, too.
    this.dueAt = hasMore ? now : Number.POSITIVE_INFINITY;
    if (this.state === 'pending' && !hasMore && (this.session.closed || this.session.forgotten)) {
      this.state = 'impossible';
    }
  }

  #lookAt(output: string): void {
    const plain = output.includes('\u001B') ? stripVTControlCharacters(output) : output;
    // What a terminal's line ends are made of is nobody's business: `$` matches at each.
    this.match = this.#find(plain.replaceAll('\r\n', '\n'))?.replaceAll(CUT, '') ?? null;
    this.#tail = tailOf(output);
    if (this.match !== null) {
      this.state = 'met';
    }
  }
}
