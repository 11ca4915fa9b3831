import { randomUUID } from 'node:crypto';
import { EngineError } from '../../shared/errors.ts';
import { PANE_REPLAY_BYTES } from '../../shared/limits.ts';
import type { Logger } from '../../shared/logger.ts';
import type { OutputCursor } from '../../shared/output-cursor.ts';
import type { OutputSearchStep, OutputStretch } from '../../shared/output-search.ts';
import type { ExitStatus, OutputStreamName, SessionId, TerminalSize } from '../../shared/session.ts';
import type { Actor, TimelineEntry } from '../../shared/timeline.ts';
import { TurnoverMap, TurnoverSet } from '../../shared/turnover.ts';
import type { RetainedOutput } from '../terminal/query-responder.ts';
import { ScreenKeeper, type ReplayStart } from '../terminal/screen-keeper.ts';
import { checkedByteLimit, checkedMs, checkedPlace } from './checked.ts';
import type { EarlierSession, OutputTail } from './earlier-session.ts';
import { FollowGroup, type FollowHandle, type FollowRequest } from './follow-group.ts';
import type { OutputRecorder } from './output-recorder.ts';
import {
  OutputRing,
  type OutputChunk,
  type OutputPage,
  type OutputPiece,
  type OutputRingOptions,
} from './output-ring.ts';
import { OutputRuns } from './output-runs.ts';
import { searchOutput, type OutputSearchRequest } from './output-search.ts';
import { outputStretch, type OutputStretchRequest } from './output-stretch.ts';
import { TextReader } from './output-text.ts';
import { PIECE_WORK, Turns } from './turns.ts';

/** Answer of one read. */
export interface ReadResult {
  /**
   * Whole chunks only: one whose head was evicted is left out, since its `seq` stands for more; `page` has the rest of it.
   * Where the first one's `seq` is not `afterSeq + 1`, what lay between was evicted, at least in part.
   */
  readonly chunks: readonly OutputChunk[];
  /** `seq` after the last chunk given when the answer was cut by `maxBytes`; else the next `seq` to come. */
  readonly nextSeq: number;
  readonly exit: ExitStatus | null;
  readonly closed: boolean;
}

export interface ReadRequest {
  /** The last `seq` the reader has; 0 for everything retained. */
  readonly afterSeq: number;
  /** At least one chunk is given even when that alone is larger. */
  readonly maxBytes: number;
  /** How long to wait, in milliseconds, when there is nothing and more can come. */
  readonly waitMs: number;
  readonly signal?: AbortSignal;
  /** Who reads, for the timeline; a reader without a name leaves no trace. */
  readonly by?: Actor;
}

/** A page of output for a reader that keeps its own cursor. */
export interface PageRequest {
  /**
   * Where to begin; null for the oldest byte in memory, `begin` for the oldest that is kept anywhere, `now` for what is
   * still to come.
   */
  readonly cursor: OutputCursor | 'begin' | 'now' | null;
  readonly maxBytes: number;
  /** How long to wait, in milliseconds, when there is nothing and more can come. */
  readonly waitMs: number;
  readonly signal?: AbortSignal;
  /** See `ReadRequest.by`. */
  readonly by?: Actor;
}

/** What every answer to a reader says about the session. */
interface ReaderFacts {
  /** Where this reader goes on. */
  readonly cursor: OutputCursor;
  /** Bytes that were evicted before this reader could have them; they came just before what is given. */
  readonly goneBytes: number;
  /** From where on `page` can still give those; null when that is nowhere. */
  readonly goneKeptFrom: OutputCursor | null;
  /** True when more is retained already than was given. */
  readonly more: boolean;
  readonly exit: ExitStatus | null;
  readonly closed: boolean;
}

export interface PageResult extends ReaderFacts {
  readonly pieces: readonly OutputPiece[];
}

/** Output as text for a reader that is kept here by its name. */
export interface TextRequest {
  /** Any name; the first use of one begins with the oldest retained byte. */
  readonly reader: string;
  /** True: this reader will not get it again. False: a look that changes nothing. */
  readonly drain: boolean;
  readonly maxBytes: number;
  readonly waitMs: number;
  readonly signal?: AbortSignal;
  /** See `ReadRequest.by`. */
  readonly by?: Actor;
}

export interface TextResult extends ReaderFacts {
  /** Null when nothing is pending. */
  readonly text: string | null;
}

export interface SessionOutputOptions {
  /** For messages. */
  readonly id: SessionId;
  readonly ring: OutputRingOptions;
  readonly log: Logger;
  /** Its child draws on a terminal: a replay needs to know what the screen was when its first byte is gone. */
  readonly keepsScreen: boolean;
  /** Keeps on the disk what leaves memory; null: nothing does. */
  readonly recorder: (epoch: string) => OutputRecorder | null;
  /** Of an earlier run: the output is what that kept, and it has ended. */
  readonly earlier: EarlierSession | null;
  /** Somebody with a name was given that many bytes. */
  readonly onRead: (by: Actor, byteCount: number) => void;
  /** Holds the child back for a reader that must not miss a byte, or lets it go on. */
  readonly hold: (held: boolean) => void;
}

/** Readers kept by name per session. More than this is a client that makes a new one for each read. */
const MAX_READERS = 256;

/**
 * What the kernel may still hold of a child that has ended, and this process of what it read: two pipes of 64 KiB, which
 * the child can have made as large as 1 MiB (pipe(7), `pipe-max-size`), or a terminal.
 */
const LEFT_BY_A_CHILD = { bytes: 2 * 1024 * 1024, chunks: 1_024 };

/** Of the output of an earlier run in memory: what a pane replays. What is before it is read from the disk. */
const LOADED_BYTES = PANE_REPLAY_BYTES;

const NO_EXCESS = { bytes: 0, chunks: 0 };

/** Longest wait of a read, in milliseconds: what a timer can hold. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** What one session printed, and everybody who reads it: long-polls, cursors, named readers and follows. */
export class SessionOutput {
  readonly epoch: string;
  readonly #options: SessionOutputOptions;
  readonly #recorder: OutputRecorder | null;
  #ring: OutputRing;
  #follows: FollowGroup;
  readonly #keeper: ScreenKeeper | null;
  readonly #readers = new TurnoverMap<string, TextReader>();
  readonly #listeners = new TurnoverSet<() => void>();
  #lastOutputAt = performance.now();
  #exit: ExitStatus | null = null;
  #hasEvicted = false;
  #closed = false;
  #forgotten = false;
  #isEnding = false;
  /** Of an earlier run: null until somebody wants to read it. */
  #loading: Promise<void> | null = null;
  #loadedInputs: readonly TimelineEntry[] = [];

  constructor(options: SessionOutputOptions) {
    const { earlier } = options;
    this.#options = options;
    this.epoch = earlier?.info.epoch ?? randomUUID();
    this.#recorder = earlier?.output ?? options.recorder(this.epoch);
    this.#ring = earlier === null ? new OutputRing(options.ring) : ended(new OutputRing(options.ring, endOf(earlier)));
    this.#follows = this.#newFollows();
    // What an earlier run left begins where its output was cut.
    this.#keeper = options.keepsScreen && earlier === null ? this.#newKeeper() : null;
    if (earlier !== null) {
      this.#exit = earlier.info.exit;
      this.#closed = true;
      this.#hasEvicted = true;
    }
  }

  /**
   * Has the end of an earlier run's output in memory when it resolves, for readers that take it from there; once, and at
   * once for all others. Without it, or where the disk fails, they are told that it is gone, and from where on it is kept.
   */
  load(): Promise<void> {
    const { earlier } = this.#options;
    if (earlier !== null) {
      this.#loading ??= this.#load(earlier);
    }
    return this.#loading ?? Promise.resolve();
  }

  /** Of an earlier run: where input came in what is loaded. */
  get loadedInputs(): readonly TimelineEntry[] {
    return this.#loadedInputs;
  }

  /** How much the child printed in all, in bytes. */
  get endOffset(): number {
    return this.#ring.endOffset;
  }

  /** Offset of the oldest byte that can be read, from memory or from the disk; not before `offset`. */
  readableFrom(offset: number): number {
    const kept = this.#recorder?.keptFrom(offset) ?? null;
    return Math.max(offset, Math.min(kept ?? this.#ring.startOffset, this.#ring.startOffset));
  }

  /** Bytes from an offset on, from the disk where memory has them no more; empty where neither has. */
  async readable(offset: number, maxBytes: number): Promise<OutputPage> {
    let pieces: readonly OutputPiece[] = [];
    let end = offset;
    const turns = new Turns();
    while (end < this.#ring.endOffset && end - offset < maxBytes) {
      const rest = offset + maxBytes - end;
      const page = end < this.#ring.startOffset ? await this.#readKept(end, rest) : this.#ring.read(end, rest);
      if (page === null || page.goneBytes > 0 || page.endOffset <= end) {
        break;
      }
      pieces = pieces.concat(page.pieces);
      end = page.endOffset;
      if (turns.isOver(page.pieces.length * PIECE_WORK)) {
        await turns.next();
      }
    }
    return { pieces, goneBytes: 0, endOffset: end };
  }

  /** Looks for a text in all that is kept, the newest first; see `searchOutput`. */
  search(request: OutputSearchRequest): Promise<OutputSearchStep> {
    return searchOutput(this, request);
  }

  /** What is kept around a place; see `outputStretch`. */
  stretch(request: OutputStretchRequest): Promise<OutputStretch> {
    return outputStretch(this, request);
  }

  /** Offset of the oldest byte that can be read. */
  get keptFrom(): number {
    return this.readableFrom(0);
  }

  /** See `KeptOutput`. */
  async runsBetween(from: number, to: number, turns: Turns): Promise<OutputRuns> {
    const runs = new OutputRuns(from, to);
    let next = from;
    // Output goes on meanwhile: what memory has no more by then is on the disk.
    while (next < to) {
      if (next < this.#ring.startOffset) {
        const inMemoryFrom = Math.min(to, this.#ring.startOffset);
        const keptTo = await this.#copyKept({ from: next, to: inMemoryFrom }, runs, turns);
        next = keptTo === null || keptTo <= next ? inMemoryFrom : keptTo;
        continue;
      }
      next = this.#addRetained(runs, { from: next, to }, turns);
      if (next < to) {
        await turns.next();
      }
    }
    return runs;
  }

  /** Copies what memory has, for one turn. Answers how far that went. */
  #addRetained(runs: OutputRuns, { from, to }: { readonly from: number; readonly to: number }, turns: Turns): number {
    for (let seq = this.#ring.seqAtOffset(from); seq < this.#ring.nextSeq; seq += 1) {
      const entry = this.#ring.entry(seq);
      if (entry?.kind !== 'output') {
        continue;
      }
      const [begin, last] = [Math.max(0, from - entry.offset), Math.min(entry.bytes.length, to - entry.offset)];
      if (last > begin) {
        const { bytes, atMs, offset } = entry;
        runs.copy(offset + begin, { from: bytes, begin, end: last, atMs, size: this.#ring.sizeAt(offset) });
      }
      const end = entry.offset + entry.bytes.length;
      if (end >= to || turns.isOver(pieceWork(entry))) {
        return Math.min(end, to);
      }
    }
    return to;
  }

  /** Bytes held in memory. */
  get retainedBytes(): number {
    return this.#ring.endOffset - this.#ring.startOffset;
  }

  /** Rises with each piece of output, with the exit and with the close. */
  get activity(): number {
    return this.#ring.nextSeq - 1;
  }

  /** A follower takes every byte, and may hold the child for that. */
  get isAwaited(): boolean {
    return this.#follows.holds;
  }

  /** Time of the last output in `performance.now()`; the start where there is none. */
  get lastOutputAt(): number {
    return this.#lastOutputAt;
  }

  /** The child runs. */
  started(): void {
    this.#recorder?.started();
  }

  append(stream: OutputStreamName, bytes: Uint8Array): void {
    this.#lastOutputAt = performance.now();
    const chunk = this.#ring.append(stream, bytes, Date.now());
    if (chunk !== null) {
      this.#recorder?.output(chunk);
      this.#keeper?.printed(bytes.length);
    }
    this.#tellEviction();
    this.#tell();
  }

  /** The child ended; output may still come. */
  exited(exit: ExitStatus): void {
    this.#exit = exit;
    this.#ring.mark('exited');
    // The disk after the readers: it may take its time, and to have told an end that is not written yet loses no output.
    this.#tell();
    this.#recorder?.exited(exit);
  }

  /** The output of a child that exited has ended. */
  closed(): void {
    this.#closed = true;
    this.#ring.mark('closed');
    this.#tell();
    this.#recorder?.closed();
  }

  /** There is no child, and so no output will come. */
  failed(): void {
    this.#closed = true;
    this.#tell();
  }

  /**
   * The child has ended by somebody's wish: nobody holds back what it left. That is not much, and whoever would have held
   * it does not lose it.
   */
  stopHolding(): void {
    this.#isEnding = true;
    if (this.#follows.holds) {
      // Also of one that was not held: its pipe may have filled since it was read.
      this.#ring.allowExcess(LEFT_BY_A_CHILD);
    }
    this.#follows.stopHolding();
  }

  /** Readers and followers end; whoever is behind is told what it does not get. */
  forget(): void {
    this.#forgotten = true;
    this.#keeper?.dispose();
    this.#recorder?.closed();
    this.#follows.finish();
    this.#tell();
  }

  /** Output from now on is made for this size. */
  markSize(size: TerminalSize): void {
    this.#ring.markSize(size);
    this.#recorder?.size(size);
  }

  /** Something was done to the session. */
  noteAct(entry: TimelineEntry): void {
    this.#recorder?.act(entry);
  }

  /** The size that the byte at `offset` was made for; null for pipes. */
  sizeAt(offset: number): TerminalSize | null {
    return this.#ring.sizeAt(offset);
  }

  /**
   * Retains at most that many bytes from now on; what is over it leaves at once, oldest first. A reader that must not
   * lose a byte keeps it from shrinking.
   */
  retain(maxBytes: number): void {
    const { maxBytes: before } = this.#ring;
    // Asked of every session at every start: mostly nothing changes.
    if (maxBytes !== before && (maxBytes > before || !this.#follows.holds)) {
      this.#keeper?.makeRoom(maxBytes);
      this.#ring.setMaxBytes(maxBytes);
      this.#tellEviction();
    }
    if (!this.#follows.isBehind) {
      this.#ring.allowExcess(NO_EXCESS);
    }
  }

  /**
   * Retained chunks after a `seq`. Waits up to `waitMs` when there is nothing yet and the output is still open;
   * output, the end, and an abort end the wait. Never consumes: any number of readers get the same.
   */
  async read(request: ReadRequest): Promise<ReadResult> {
    checkedPlace('afterSeq', request.afterSeq);
    checkedByteLimit('maxBytes', request.maxBytes);
    checkedMs('waitMs', request.waitMs);
    if (request.waitMs > 0 && this.#ring.nextSeq <= request.afterSeq + 1 && !this.#closed) {
      await this.nextChange(request.waitMs, request.signal);
    }
    const result = this.#readNow(request);
    this.#wasRead(request.by, result.chunks);
    return result;
  }

  /**
   * Output from a cursor on, from the disk where memory has it no more: then nothing is gone but what the disk's budget
   * took. Rejects with `invalid-argument` for a cursor of another session.
   */
  async page({ cursor, maxBytes, waitMs, signal, by }: PageRequest): Promise<PageResult> {
    checkedByteLimit('maxBytes', maxBytes);
    checkedMs('waitMs', waitMs);
    const from = this.offsetOf(cursor);
    if (waitMs > 0 && from >= this.#ring.endOffset && !this.#closed) {
      await this.nextChange(waitMs, signal);
    }
    const kept = from < this.#ring.startOffset ? await this.#readKept(from, maxBytes) : null;
    const { pieces, goneBytes, endOffset } = kept ?? this.#ring.read(from, maxBytes);
    this.#wasRead(by, pieces);
    return { pieces, ...this.#readerFacts({ goneBytes, goneKeptFrom: null }, endOffset) };
  }

  /** Output as text for a named reader. Rejects with `limit-reached` for one name too many. */
  async text({ reader: name, drain, maxBytes, waitMs, signal, by }: TextRequest): Promise<TextResult> {
    checkedByteLimit('maxBytes', maxBytes);
    checkedMs('waitMs', waitMs);
    const reader = this.#readers.get(name) ?? this.#newReader(name);
    if (waitMs > 0 && reader.offset >= this.#ring.endOffset && !this.#closed) {
      await this.nextChange(waitMs, signal);
    }
    const from = reader.offset;
    const { text, goneBytes, endOffset } = reader.read(this.#ring, { maxBytes, drain }, this.#closed);
    if (by !== undefined && text !== null) {
      this.#options.onRead(by, Buffer.byteLength(text));
    }
    const goneKeptFrom = goneBytes === 0 ? null : (this.#recorder?.keptFrom(from) ?? null);
    const isKept = goneKeptFrom !== null && goneKeptFrom < from + goneBytes;
    const gone = { goneBytes, goneKeptFrom: isKept ? { epoch: this.epoch, offset: goneKeptFrom } : null };
    return { text, ...this.#readerFacts(gone, drain ? endOffset : reader.offset, endOffset) };
  }

  /** Resolves with the activity counter as soon as it is above `after`, or at the abort; never by looking again and again. */
  async nextActivity(after: number, signal?: AbortSignal): Promise<number> {
    while (this.#ring.nextSeq - 1 <= after && !this.#closed && !this.#forgotten && signal?.aborted !== true) {
      await this.nextChange(MAX_WAIT_MS, signal);
    }
    return this.#ring.nextSeq - 1;
  }

  /** Retained bytes from an offset on; see `OutputRing.read`. */
  from(offset: number, maxBytes: number): OutputPage {
    return this.#ring.read(offset, maxBytes);
  }

  /** The retained pieces that hold the bytes from an offset on, each with the size it was made for. */
  *piecesFrom(offset: number): Generator<{
    readonly offset: number;
    readonly bytes: Uint8Array;
    readonly size: TerminalSize | null;
  }> {
    for (let seq = this.#ring.seqAtOffset(offset); seq < this.#ring.nextSeq; seq += 1) {
      const entry = this.#ring.entry(seq);
      if (entry?.kind === 'output') {
        yield { offset: entry.offset, bytes: Buffer.from(entry.bytes), size: this.#ring.sizeAt(entry.offset) };
      }
    }
  }

  /** Tells of output from `afterSeq` on, as it comes and as fast as it is acknowledged. */
  follow(request: FollowRequest): FollowHandle {
    if (request.afterSeq !== 'now') {
      checkedPlace('afterSeq', request.afterSeq);
    }
    const holdsChildMs = checkedMs('holdsChildMs', request.holdsChildMs);
    // At least one chunk is given out.
    const creditBytes = Math.max(1, checkedByteLimit('creditBytes', request.creditBytes));
    return this.#follows.add({ ...request, creditBytes, holdsChildMs });
  }

  /** `seq` before the chunk to begin a replay of about the last `maxBytes` with. */
  replayFrom(maxBytes: number): number {
    const offset = Math.max(this.#ring.startOffset, this.#ring.endOffset - maxBytes);
    return this.#ring.seqAtOffset(offset) - 1;
  }

  /** See `ScreenKeeper.before`; null for a session on pipes, too. */
  replayStart(maxBytes: number): Promise<ReplayStart | null> {
    return this.#keeper?.before(maxBytes) ?? Promise.resolve(null);
  }

  /** Calls back on output, on the end, and when the session is forgotten. Answers the function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves at the next change, after `waitMs` milliseconds, or at the abort. */
  nextChange(waitMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stop();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(waitMs, MAX_WAIT_MS));
      const stop = this.onChange(done);
      signal?.addEventListener('abort', done);
      if (signal?.aborted === true || this.#forgotten) {
        done();
      }
    });
  }

  async #load(earlier: EarlierSession): Promise<void> {
    try {
      const tail = await earlier.output.tail(LOADED_BYTES);
      const ring = await this.#ringOf(tail);
      if (this.#forgotten) {
        return;
      }
      // Who follows already has been told the end.
      this.#follows.finish();
      this.#ring = ring;
      this.#follows = this.#newFollows();
      this.#loadedInputs = tail.inputs;
    } catch (error) {
      this.#options.log.warn('the output of an earlier run cannot be read', {
        session: this.#options.id,
        why: String(error),
      });
    }
  }

  /** Ends as the output ended, with its end in memory. */
  async #ringOf(tail: OutputTail): Promise<OutputRing> {
    const turns = new Turns();
    const ring = new OutputRing(this.#options.ring, tail);
    for (const entry of tail.entries) {
      if (entry.kind === 'size') {
        ring.markSize(entry.size);
      } else {
        ring.append(entry.stream, entry.bytes, entry.atMs);
        if (turns.isOver(pieceWork(entry))) {
          await turns.next();
        }
      }
    }
    return ended(ring);
  }

  #newFollows(): FollowGroup {
    const { id, log } = this.#options;
    return new FollowGroup({
      ring: this.#ring,
      exit: () => this.#exit ?? { exitCode: null, signal: null },
      hold: (held) => this.#hold(held),
      keptFrom: (offset) => this.#recorder?.keptFrom(offset) ?? null,
      onFault: (error) =>
        log.error('a reader failed and is told nothing any more', { session: id, why: String(error) }),
      onGaveUp: () => log.warn('a reader that stands still no longer holds the child', { session: id }),
    });
  }

  #newKeeper(): ScreenKeeper {
    const ring = this.#ring;
    return new ScreenKeeper({
      // No getters: V8 keeps those of a literal with its hidden class, and with them the session, until the whole heap is collected.
      startOffset: () => ring.startOffset,
      endOffset: () => ring.endOffset,
      fullness: (from) => ring.fullness(ring.nextSeq - ring.seqAtOffset(from), ring.endOffset - from),
      lent: (from) => this.#lentFrom(from),
    });
  }

  /** As `piecesFrom`, of a terminal and without a copy: each piece is another's when the next is asked for. */
  *#lentFrom(offset: number): Generator<RetainedOutput> {
    for (let seq = this.#ring.seqAtOffset(offset); seq < this.#ring.nextSeq; seq += 1) {
      const entry = this.#ring.entry(seq);
      const size = entry?.kind === 'output' ? this.#ring.sizeAt(entry.offset) : null;
      if (entry?.kind === 'output' && size !== null) {
        yield { offset: entry.offset, bytes: entry.bytes, size };
      }
    }
  }

  /** A child that is held has what the kernel holds of it, and may be ended any moment: that is read then. */
  #hold(held: boolean): void {
    if (held) {
      this.#ring.allowExcess(LEFT_BY_A_CHILD);
    } else if (!this.#isEnding) {
      this.#ring.allowExcess(NO_EXCESS);
    }
    this.#options.hold(held);
  }

  /** The offset that a cursor stands for. Throws `invalid-argument` for a cursor of another session. */
  offsetOf(cursor: PageRequest['cursor']): number {
    if (cursor === null || cursor === 'now') {
      return cursor === null ? this.#ring.startOffset : this.#ring.endOffset;
    }
    if (cursor === 'begin') {
      return Math.min(this.#ring.startOffset, this.#recorder?.keptFrom(0) ?? this.#ring.startOffset);
    }
    checkedPlace('cursor.offset', cursor.offset);
    if (cursor.epoch !== this.epoch || cursor.offset > this.#ring.endOffset) {
      throw new EngineError(
        'invalid-argument',
        `cursor: not one of session ${this.#options.id}; read without one, from the oldest retained byte`,
      );
    }
    return cursor.offset;
  }

  #readerFacts(
    gone: Pick<ReaderFacts, 'goneBytes' | 'goneKeptFrom'>,
    cursorOffset: number,
    givenUpTo = cursorOffset,
  ): ReaderFacts {
    return {
      cursor: { epoch: this.epoch, offset: cursorOffset },
      ...gone,
      more: givenUpTo < this.#ring.endOffset,
      exit: this.#exit,
      closed: this.#closed,
    };
  }

  /** Null where the disk has nothing of what memory has no more, or cannot be read. */
  async #readKept(from: number, maxBytes: number): Promise<OutputPage | null> {
    try {
      return (await this.#recorder?.read(from, this.#ring.startOffset, maxBytes)) ?? null;
    } catch (error) {
      this.#cannotRead(error);
      return null;
    }
  }

  /** As `OutputRecorder.copy`; null where the disk cannot be read, too. */
  async #copyKept(
    range: { readonly from: number; readonly to: number },
    runs: OutputRuns,
    turns: Turns,
  ): Promise<number | null> {
    try {
      return (await this.#recorder?.copy(range, runs, turns)) ?? null;
    } catch (error) {
      turns.signal?.throwIfAborted();
      this.#cannotRead(error);
      return null;
    }
  }

  #cannotRead(error: unknown): void {
    this.#options.log.warn('output that was kept on the disk cannot be read', {
      session: this.#options.id,
      why: String(error),
    });
  }

  #wasRead(by: Actor | undefined, given: readonly { readonly bytes: Uint8Array }[]): void {
    if (by !== undefined) {
      this.#options.onRead(
        by,
        given.reduce((sum, { bytes }) => sum + bytes.length, 0),
      );
    }
  }

  #newReader(name: string): TextReader {
    if (this.#readers.size >= MAX_READERS) {
      throw new EngineError(
        'limit-reached',
        `session ${this.#options.id} has ${MAX_READERS} readers: use one of them again`,
      );
    }
    const reader = new TextReader(this.#ring.startOffset);
    this.#readers.set(name, reader);
    return reader;
  }

  #readNow({ afterSeq, maxBytes }: ReadRequest): ReadResult {
    const chunks: OutputChunk[] = [];
    let bytes = 0;
    let nextSeq = this.#ring.nextSeq;
    const firstSeq = Math.max(afterSeq + 1, this.#ring.firstSeq);
    for (let seq = firstSeq; seq < this.#ring.nextSeq; seq += 1) {
      const entry = this.#ring.entry(seq);
      if (entry?.kind !== 'output' || entry.trimmed) {
        continue;
      }
      if (chunks.length > 0 && bytes + entry.bytes.length > maxBytes) {
        nextSeq = seq;
        break;
      }
      const { seq: ownSeq, offset, stream, atMs } = entry;
      chunks.push({
        kind: 'output',
        seq: ownSeq,
        offset,
        stream,
        atMs,
        bytes: Buffer.from(entry.bytes),
        trimmed: false,
      });
      bytes += entry.bytes.length;
    }
    return { chunks, nextSeq, exit: this.#exit, closed: this.#closed };
  }

  #tellEviction(): void {
    if (!this.#hasEvicted && this.#ring.startOffset > 0) {
      this.#hasEvicted = true;
      this.#options.log.info('output beyond the retained bytes: the oldest leaves from now on', {
        session: this.#options.id,
      });
    }
  }

  #tell(): void {
    this.#follows.pump();
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

function endOf({ output }: EarlierSession): { readonly seq: number; readonly offset: number } {
  return { seq: output.nextSeq, offset: output.endOffset };
}

function ended(ring: OutputRing): OutputRing {
  ring.mark('exited');
  ring.mark('closed');
  return ring;
}

/** Of copying a piece: bytes are copied by hundreds in the time in which one is looked at. */
function pieceWork({ bytes }: { readonly bytes: Uint8Array }): number {
  return PIECE_WORK + bytes.length / 128;
}
