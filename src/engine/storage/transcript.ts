import { close, closeSync, constants, ftruncateSync, mkdirSync, open, openSync, writevSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from '../../shared/logger.ts';
import type { ExitStatus, SessionInfo, TerminalSize } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import type { OutputRecorder } from '../session/output-recorder.ts';
import type { OutputChunk, OutputPage } from '../session/output-ring.ts';
import type { OutputRuns } from '../session/output-runs.ts';
import type { Turns } from '../session/turns.ts';
import { HEADER_BYTES, recordHeader, type RecordKind } from './transcript-format.ts';
import { addAct, copyOutput, FILE_MODE, readOutput, segmentName } from './transcript-segments.ts';

/** Bytes of output in one segment, about: what leaves at once when the budget is used up, and what one read costs. */
const SEGMENT_BYTES = 1024 * 1024;

/** Time that a child has before its first file is made: one that ends sooner would wait for a core that makes it. */
const AHEAD_AFTER_MS = 5;

/** Time until another try after the disk took nothing, in milliseconds. */
const RETRY_AFTER_MS = 5_000;

/** Acts kept in memory while nothing can be written. */
const MAX_EARLY_ACTS = 1_000;

const FOLDER_MODE = { recursive: true, mode: 0o700 } as const;

export interface TranscriptOptions {
  /** The transcript's own folder; made ahead when the child has run for a moment, else at the first record. */
  readonly folder: string;
  readonly log: Logger;
  /** What is known of the session now. */
  readonly info: () => SessionInfo;
  /** So many bytes more, or less, are on the disk. May drop the oldest. */
  readonly onKept: (byteCount: number) => void;
  /** No more is written to it. */
  readonly onClosed: () => void;
}

interface Segment {
  /** Offset of the first byte of output in it, and the one after the last. */
  readonly startOffset: number;
  endOffset: number;
  /** Of the file. */
  bytes: number;
}

/**
 * What one session printed, in files of about `SEGMENT_BYTES` each, of which the oldest leave when the budget is used up.
 *
 * A record is in the hands of the system when a call returns, so that a host that is killed loses nothing of what it
 * told. It does not wait for the disk: a machine that loses its power may lose the last seconds.
 */
export class Transcript implements OutputRecorder {
  readonly #options: Omit<TranscriptOptions, 'info'>;
  /** Null after the close: what it is asked of holds everything that memory has of the session. */
  #info: TranscriptOptions['info'] | null;
  readonly #segments: Segment[] = [];
  #fd: number | null = null;
  #ahead: NodeJS.Timeout | undefined;
  /** The first segment's file, open and empty; null before that, and from when on it is written to. */
  #fdAhead: number | null = null;
  #endOffset = 0;
  #nextSeq = 1;
  #size: TerminalSize | null = null;
  #keptBytes = 0;
  #early: TimelineEntry[] = [];
  #isClosed = false;
  /** In `performance.now()`; set while the disk takes nothing. */
  #retryAt: number | null = null;
  #hasFailed = false;

  constructor({ info, ...options }: TranscriptOptions) {
    this.#options = options;
    this.#info = info;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** Bytes on the disk. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /**
   * Makes the folder and the first file on another thread while the child comes to its first word: a busy disk may take
   * its time for a new name, and everybody's output would wait.
   */
  started(): void {
    this.#ahead = setTimeout(() => void this.#openAhead(), AHEAD_AFTER_MS);
  }

  output({ stream, seq, offset, bytes, atMs }: OutputChunk): void {
    const isFull = (this.#segments.at(-1)?.bytes ?? 0) >= SEGMENT_BYTES;
    if (isFull) {
      this.#closeSegment();
    }
    // By the caller's count: what could not be written leaves a hole.
    this.#endOffset = offset;
    this.#nextSeq = seq;
    const isKept = this.#append(stream, bytes, atMs);
    this.#endOffset = offset + bytes.length;
    this.#nextSeq = seq + 1;
    const segment = this.#segments.at(-1);
    if (isKept && segment !== undefined) {
      segment.endOffset = this.#endOffset;
    }
  }

  size(size: TerminalSize): void {
    this.#size = size;
    if (this.#fd !== null) {
      this.#appendFact('size', size);
    }
  }

  act(entry: TimelineEntry): void {
    if (this.#isClosed) {
      this.#actAfterEnd(entry);
      return;
    }
    // What was done before the first byte came is written with it, so that a session that is refused leaves no file.
    if (this.#fd === null && this.#segments.length === 0) {
      this.#early.push(entry);
      this.#early.splice(0, this.#early.length - MAX_EARLY_ACTS);
    } else {
      this.#appendFact('act', entry);
    }
  }

  exited(exit: ExitStatus): void {
    if (this.#isClosed) {
      // Forgotten by who was told: what is known of it was written with its end.
      return;
    }
    this.#appendFact('exited', exit);
  }

  closed(): void {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    this.#closeAhead();
    if (this.#segments.length === 0) {
      // A child that never was, or a disk that took nothing.
      this.#info = null;
      this.#options.onClosed();
      return;
    }
    this.#appendFact('closed', {});
    this.#appendFact('session', this.#info?.());
    this.#closeSegment();
    this.#info = null;
    this.#options.onClosed();
  }

  keptFrom(offset: number): number | null {
    const first = this.#segments.find(({ endOffset }) => endOffset > offset);
    return first === undefined ? null : Math.max(offset, first.startOffset);
  }

  read(from: number, to: number, maxBytes: number): Promise<OutputPage | null> {
    const offsets = this.#segments.map(({ startOffset }) => startOffset);
    return readOutput(this.#options.folder, offsets, { from, to, maxBytes });
  }

  copy(range: { readonly from: number; readonly to: number }, runs: OutputRuns, turns: Turns): Promise<number | null> {
    const segments = this.#segments.map(({ startOffset }) => startOffset);
    return copyOutput({ folder: this.#options.folder, segments, turns }, range, runs);
  }

  /** All of it was taken from the disk. */
  removed(): void {
    this.#segments.length = 0;
  }

  /** Takes the oldest segment from the disk, never the one that is written to. Answers whether there was one. */
  dropOldest(): boolean {
    const isOnlyOpen = this.#segments.length === 1 && this.#fd !== null;
    const oldest = isOnlyOpen ? undefined : this.#segments.shift();
    if (oldest === undefined) {
      return false;
    }
    this.#kept(-oldest.bytes);
    rm(join(this.#options.folder, segmentName(oldest.startOffset)), { force: true }).catch((error: unknown) => {
      this.#options.log.warn('a segment of a transcript stays on the disk', { why: String(error) });
    });
    return true;
  }

  /** Of what is done to a session that has ended, its name is what it is known by in later runs. */
  #actAfterEnd(entry: TimelineEntry): void {
    const last = this.#segments.at(-1);
    if (last === undefined || entry.act.kind !== 'titled') {
      return;
    }
    try {
      addAct(this.#options.folder, last.startOffset, entry, this.#nextSeq);
    } catch (error) {
      this.#options.log.warn('the name of a session is not kept', { why: String(error) });
    }
  }

  #appendFact(kind: RecordKind, fact: unknown): void {
    this.#append(kind, Buffer.from(JSON.stringify(fact)), Date.now());
  }

  #append(kind: RecordKind, payload: Uint8Array, atMs: number): boolean {
    if (this.#retryAt !== null && performance.now() < this.#retryAt) {
      return false;
    }
    try {
      if (this.#fd === null) {
        this.#openSegment();
      }
      this.#write(kind, payload, atMs);
      this.#retryAt = null;
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  /** Each begins with what is known of the session and with the size in force, so that it can be read by itself. */
  #openSegment(): void {
    const last = this.#segments.at(-1);
    if (last?.startOffset === this.#endOffset) {
      // Without output, from a try that failed: this one takes its name.
      this.#segments.pop();
      this.#kept(-last.bytes);
    }
    if (this.#fdAhead !== null && this.#endOffset === 0) {
      this.#fd = this.#fdAhead;
      this.#fdAhead = null;
    } else {
      clearTimeout(this.#ahead);
      mkdirSync(this.#options.folder, FOLDER_MODE);
      this.#fd = openSync(join(this.#options.folder, segmentName(this.#endOffset)), 'w', FILE_MODE);
    }
    this.#segments.push({ startOffset: this.#endOffset, endOffset: this.#endOffset, bytes: 0 });
    const now = Date.now();
    this.#write('session', Buffer.from(JSON.stringify(this.#info?.())), now);
    if (this.#size !== null) {
      this.#write('size', Buffer.from(JSON.stringify(this.#size)), now);
    }
    for (const entry of this.#early.splice(0)) {
      this.#write('act', Buffer.from(JSON.stringify(entry)), now);
    }
  }

  /** Whole or not at all: what a full disk cut short is taken back. */
  #write(kind: RecordKind, payload: Uint8Array, atMs: number): void {
    const segment = this.#segments.at(-1);
    if (this.#fd === null || segment === undefined) {
      return;
    }
    const length = HEADER_BYTES + payload.length;
    if (writevSync(this.#fd, [recordHeader({ kind, seq: this.#nextSeq, atMs, payload }), payload]) !== length) {
      ftruncateSync(this.#fd, segment.bytes);
      throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
    }
    segment.bytes += length;
    this.#kept(length);
  }

  #kept(byteCount: number): void {
    this.#keptBytes += byteCount;
    this.#options.onKept(byteCount);
  }

  async #openAhead(): Promise<void> {
    let fd: number;
    try {
      await mkdir(this.#options.folder, FOLDER_MODE);
      // Never cut to nothing: by the time that it is open, output may have come and be in it.
      const flags = constants.O_WRONLY | constants.O_CREAT;
      fd = await promisify(open)(join(this.#options.folder, segmentName(0)), flags, FILE_MODE);
    } catch {
      // The first record tries again, and says what is wrong.
      return;
    }
    if (this.#isClosed || this.#segments.length > 0) {
      closeLater(fd);
      return;
    }
    this.#fdAhead = fd;
    try {
      // What is known of it stands there before its first word: a host that is killed has not lost a silent session.
      this.#openSegment();
    } catch (error) {
      this.#failed(error);
    }
  }

  #closeAhead(): void {
    clearTimeout(this.#ahead);
    if (this.#fdAhead !== null) {
      closeLater(this.#fdAhead);
      this.#fdAhead = null;
    }
  }

  #closeSegment(): void {
    if (this.#fd !== null) {
      closeSync(this.#fd);
      this.#fd = null;
    }
  }

  #failed(error: unknown): void {
    this.#closeSegment();
    this.#retryAt = performance.now() + RETRY_AFTER_MS;
    if (!this.#hasFailed) {
      this.#hasFailed = true;
      this.#options.log.warn('output cannot be kept on the disk: only what memory holds can be read again', {
        code: (error as NodeJS.ErrnoException).code ?? String(error),
      });
    }
  }
}

/** Nothing was written by it, so nothing can be lost by a failure. */
function closeLater(fd: number): void {
  close(fd, () => {});
}
