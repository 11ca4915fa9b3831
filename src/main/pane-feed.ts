import type { MessagePortMain } from 'electron';
import { SkippedModes, type Engine, type FollowEvent, type FollowHandle, type ReplayStart } from '../engine/engine.ts';
import { isInterrupt } from '../shared/interrupt-keys.ts';
import { paneToHostSchema, type HostToPane } from '../shared/ipc.ts';
import { PANE_CREDIT_BYTES, PANE_INTERRUPT_LAG_BYTES, PANE_REPLAY_BYTES } from '../shared/limits.ts';
import type { Logger } from '../shared/logger.ts';
import type { SessionId, SessionInfo, TerminalSize } from '../shared/session.ts';
import { HeldBells } from './held-bells.ts';
import { JoinedOutput } from './joined-output.ts';
import { PaneLag } from './pane-lag.ts';
import { ToldInputs } from './told-inputs.ts';
import { UnparsedOutput } from './unparsed-output.ts';

const LINE_FEED = 0x0a;

interface Skip {
  bytes: number;
  /** Where it begins, when the pane has been given some of it. */
  readonly from?: number;
  readonly modes: SkippedModes;
}

export interface PaneFeedOptions {
  readonly engine: Engine;
  readonly session: SessionInfo;
  /** What the replay begins with; null: with the first byte, or with the first whole line of what is retained. */
  readonly start: ReplayStart | null;
  readonly port: MessagePortMain;
  readonly log: Logger;
}

/**
 * One pane's road to its session: retained output as a replay, then output as it comes, no faster than the pane
 * parses; and back, its keys and its size. A pane that is far behind goes on near the end: what nobody could read is told
 * as skipped, and is retained like all output. Ends when the pane lets go of the port.
 *
 * A pane out of view is held: nothing is read for it and nothing sent. In view again it is given what it misses as a
 * replay, when that is not more than a new pane is given and is all retained; else it is told that it is stale.
 */
export class PaneFeed {
  readonly #engine: Engine;
  readonly #id: SessionId;
  readonly #port: MessagePortMain;
  readonly #log: Logger;
  /** Everything printed before this offset is a replay. */
  #replayEnd: number;
  /** Null while the pane is held. */
  #follow: FollowHandle | null = null;
  /** Of the last event that was told; what comes after it is still to be read. */
  #lastSeq: number;
  readonly #unparsed = new UnparsedOutput();
  /** What is to be posted in one message; null: each goes by itself. */
  #together: HostToPane[] | null = null;
  /** Rises with each hold and each resume. */
  #holds = 0;
  #heldBells: HeldBells | null = null;
  readonly #stopSizes: () => void;
  /** Output before this offset is contained in what the replay began with. */
  readonly #startOffset: number;
  #size: TerminalSize | null = null;
  /** True until the first byte was found that begins a line. */
  #cutting: boolean;
  /** What is skipped and still to be told: with the first whole line after it. */
  #skipped: Skip | null = null;
  readonly #lag = new PaneLag((bytes) => this.#beginSkip().modes.feed(bytes));
  readonly #joined = new JoinedOutput(() => this.#flush());
  readonly #toldInputs: ToldInputs;
  #isForgotten = false;
  #live = false;
  #disposed = false;

  constructor({ engine, session, start, port, log }: PaneFeedOptions) {
    this.#engine = engine;
    this.#id = session.id;
    this.#port = port;
    this.#log = log;
    this.#toldInputs = new ToldInputs(engine, session.id);
    this.#replayEnd = session.outputBytes;
    this.#cutting = start === null && session.outputBytes > PANE_REPLAY_BYTES;
    this.#startOffset = start?.offset ?? 0;
    port.on('message', ({ data }) => this.#receive(data));
    port.on('close', () => this.dispose());
    port.start();
    if (start !== null) {
      this.#tellSize(start.size);
      this.#post({ type: 'restored', bytes: start.bytes });
    }
    const replayBytes = start === null ? PANE_REPLAY_BYTES : session.outputBytes - start.offset;
    this.#lastSeq = engine.replayFrom(session.id, replayBytes);
    this.#goOn();
    this.#stopSizes = engine.onEvent((event) => {
      if (event.type === 'changed' && event.session.id === this.#id) {
        this.#onChanged(event.session);
      } else if (event.type === 'removed' && event.id === this.#id) {
        this.#isForgotten = true;
      }
    });
  }

  dispose(): void {
    if (this.#disposed) {
      return;
    }
    this.#disposed = true;
    this.#stopSizes();
    this.#follow?.close();
    this.#heldBells?.dispose();
    this.#joined.dispose();
    this.#port.close();
  }

  /** From the last event on, which was told up to this offset; undefined where that is not known. */
  #goOn(afterOffset?: number): void {
    this.#follow = this.#engine.follow(this.#id, {
      afterSeq: this.#lastSeq,
      ...(afterOffset === undefined ? {} : { afterOffset }),
      creditBytes: PANE_CREDIT_BYTES,
      holdsChildMs: 0,
      skipAhead: this.#lag,
      onEvent: (event) => this.#onEvent(event),
    });
    this.#goLiveAt(this.#joined.endOffset);
    this.#tellNewInputs();
  }

  #hold(wantsBells: boolean): void {
    this.#holds += 1;
    this.#follow?.close();
    this.#follow = null;
    this.#flush();
    this.#heldBells?.dispose();
    this.#heldBells = null;
    if (wantsBells && !this.#isForgotten) {
      this.#heldBells = new HeldBells({
        engine: this.#engine,
        id: this.#id,
        onBell: () => this.#post({ type: 'bell' }),
      });
    }
  }

  async #resume(): Promise<void> {
    if (this.#follow !== null) {
      return;
    }
    this.#heldBells?.dispose();
    this.#heldBells = null;
    this.#holds += 1;
    const hold = this.#holds;
    const { outputBytes } = await this.#engine.get(this.#id);
    if (hold !== this.#holds || this.#disposed) {
      return;
    }
    const missing = outputBytes - this.#joined.endOffset;
    if (missing > PANE_REPLAY_BYTES || this.#engine.replayFrom(this.#id, missing) > this.#lastSeq) {
      this.#post({ type: 'stale' });
      this.dispose();
      return;
    }
    this.#replayEnd = outputBytes;
    this.#live = false;
    this.#goOn(this.#joined.endOffset);
  }

  #onEvent(event: FollowEvent): void {
    this.#lastSeq = event.kind === 'gap' ? event.toSeq - 1 : event.seq;
    switch (event.kind) {
      case 'output':
        this.#join(event);
        break;
      case 'gap':
        // Never null: a pane begins with what is retained.
        this.#beginSkip().bytes += event.bytes ?? 0;
        break;
      case 'exited':
        break;
      case 'closed':
        this.#flush();
        this.#tellSkipped();
        this.#goLiveAt(this.#replayEnd);
        this.#post({ type: 'ended' });
        break;
    }
  }

  #join({ offset, bytes }: Extract<FollowEvent, { kind: 'output' }>): void {
    const known = Math.max(0, this.#startOffset - offset);
    const kept = this.#cutting ? this.#fromLineStart(bytes) : bytes.subarray(known);
    this.#tellSkipped();
    this.#tellSize(this.#engine.sizeAt(this.#id, offset));
    const inputs = this.#toldInputs.at(offset);
    const endOffset = offset + bytes.length;
    this.#unparsed.given(offset, bytes);
    this.#joined.add({ bytes: kept, endOffset, inputs }, this.#lag.isInterrupted || endOffset === this.#replayEnd);
  }

  /** A silent child's new size is told at once, when the pane has been given all that was made for the old one. */
  #onChanged({ size, outputBytes }: SessionInfo): void {
    if (this.#follow === null) {
      return;
    }
    if (outputBytes === this.#joined.endOffset) {
      this.#tellSize(size);
    }
    this.#tellNewInputs();
  }

  /** Those after which nothing was printed yet, and those that have grown. */
  #tellNewInputs(): void {
    if (this.#isForgotten) {
      return;
    }
    const news = this.#toldInputs.upTo(this.#joined.endOffset);
    if (news.length > 0) {
      this.#flush();
      this.#post({ type: 'inputs', entries: news });
    }
  }

  #tellSize(size: TerminalSize | null): void {
    if (size !== null && (size.cols !== this.#size?.cols || size.rows !== this.#size.rows)) {
      this.#flush();
      this.#size = size;
      this.#post({ type: 'size', size });
    }
  }

  /** What begins in the middle begins with a whole line: half an escape sequence would garble the screen. */
  #fromLineStart(bytes: Uint8Array): Uint8Array {
    const begin = bytes.indexOf(LINE_FEED) + 1;
    this.#cutting = false;
    if (this.#skipped !== null) {
      this.#skipped.bytes += begin;
      this.#skipped.modes.feed(bytes.subarray(0, begin));
    }
    return bytes.subarray(begin);
  }

  #beginSkip(): Skip {
    this.#flush();
    this.#cutting = true;
    this.#skipped ??= { bytes: 0, modes: new SkippedModes() };
    return this.#skipped;
  }

  #tellSkipped(): void {
    const skipped = this.#noteSkipped();
    if (skipped !== null) {
      const { bytes, from, modes } = skipped;
      const begin = from === undefined ? {} : { from };
      this.#post({ type: 'skipped', bytes, ...begin, modes: modes.modes, rendition: modes.rendition });
    }
  }

  /** What is skipped and was not yet told; null when that is nothing. */
  #noteSkipped(): Skip | null {
    const skipped = this.#skipped;
    if (skipped !== null) {
      const { bytes, from = this.#joined.endOffset, modes } = skipped;
      this.#skipped = null;
      this.#unparsed.skipped({ from, bytes, chosen: modes.modes + modes.rendition });
    }
    return skipped;
  }

  #flush(): void {
    const endOffset = this.#joined.endOffset;
    const replay = endOffset <= this.#replayEnd;
    const pieces = this.#joined.take();
    if (pieces === null) {
      return;
    }
    for (const { inputs, ...piece } of pieces) {
      this.#post({ type: 'output', ...piece, replay, ...(inputs.length === 0 ? {} : { inputs }) });
    }
    this.#goLiveAt(endOffset);
  }

  #goLiveAt(endOffset: number): void {
    if (!this.#live && endOffset >= this.#replayEnd) {
      this.#live = true;
      if (!this.#isForgotten) {
        // It may have changed after the last byte.
        this.#tellSize(this.#engine.sizeAt(this.#id, endOffset));
      }
      this.#post({ type: 'live' });
    }
  }

  #post(message: HostToPane): void {
    if (this.#together !== null) {
      this.#together.push(message);
    } else if (!this.#disposed) {
      this.#port.postMessage(message);
    }
  }

  #receive(data: unknown): void {
    const message = paneToHostSchema.safeParse(data);
    if (!message.success) {
      this.#log.warn('a pane sent what no pane sends', { session: this.#id });
      return;
    }
    switch (message.data.type) {
      case 'ack':
        this.#unparsed.acknowledged(message.data.endOffset);
        this.#follow?.ack(message.data.endOffset);
        if (this.#toldInputs.areAhead && this.#follow !== null) {
          this.#tellNewInputs();
        }
        break;
      case 'input':
        this.#answerFor(this.#write(message.data.bytes));
        break;
      case 'resize':
        this.#answerFor(this.#engine.resize(this.#id, message.data.size, { kind: 'person' }));
        break;
      case 'hold':
        this.#hold(message.data.bells);
        break;
      case 'resume':
        this.#answerFor(this.#resume());
        break;
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#engine.write(this.#id, bytes, { by: { kind: 'person' } });
    // Not before: until it is delivered the program goes on. A replay is waited for, and ends.
    if (isInterrupt(bytes) && this.#live) {
      this.#lag.interrupted();
      this.#skipToPrompt();
    }
  }

  /**
   * A pane that is far behind is given the end at once, and not only when it has drawn what is on its way: that is skipped as
   * well.
   */
  #skipToPrompt(): void {
    const isFar = this.#engine.replayFrom(this.#id, PANE_INTERRUPT_LAG_BYTES) > this.#lastSeq;
    if (this.#follow === null || this.#disposed || !isFar) {
      this.#post({ type: 'together', messages: [] });
      // Nothing new is acknowledged: what is behind is looked at anew, before more is printed.
      this.#follow?.ack(0);
      return;
    }
    this.#follow.close();
    const inputs = this.#joined.drop();
    this.#noteSkipped();
    const unparsed = this.#unparsed.take();
    if (unparsed !== null) {
      const { from, to, modes } = unparsed;
      this.#skipped = { from, bytes: to - from, modes };
      this.#cutting = true;
    }
    this.#postTogether(() => {
      this.#goOn(unparsed?.to ?? this.#joined.endOffset);
      if (inputs.length > 0) {
        this.#post({ type: 'inputs', entries: inputs });
      }
      this.#flush();
    });
  }

  #postTogether(act: () => void): void {
    const messages: HostToPane[] = [];
    this.#together = messages;
    try {
      act();
    } finally {
      this.#together = null;
    }
    this.#post({ type: 'together', messages });
  }

  /** The child may end before a key or a size reaches it; the pane's exit line says so already. */
  #answerFor(done: Promise<unknown>): void {
    done.catch((error: unknown) => {
      this.#log.info('a pane reached a session that had ended', { session: this.#id, why: String(error) });
    });
  }
}
