import { setTimeout as delay } from 'node:timers/promises';
import type { Engine, FollowEvent } from '../../src/engine/engine.ts';
import { EngineError } from '../../src/shared/errors.ts';
import type { SessionId } from '../../src/shared/session.ts';
import { Random } from '../random.ts';
import { planVisit, type Visit } from './plan.ts';
import type { PseudoRandomStream } from './pseudo-random-stream.ts';
import type { Tally } from './tally.ts';

export interface VisitorOptions {
  readonly engine: Engine;
  readonly tally: Tally;
  readonly id: SessionId;
  readonly stream: PseudoRandomStream;
  readonly seed: number;
  /** Aborted when the session is about to be forgotten. */
  readonly gone: AbortSignal;
  /** Added to what gaps are said to be: a planted fault. */
  readonly gapErrorBytes: number;
}

/**
 * A reader of one session that comes, reads or follows for a while, leaves, and comes again to where it was, until it
 * has seen the end. Compares every byte with what belongs to its place, and every gap with the place it goes on at.
 */
export class Visitor {
  readonly #options: VisitorOptions;
  readonly #random: Random;
  /** What it has had: the next `seq` is the one after, the next byte is that at the offset. */
  #seq = 0;
  #offset = 0;
  #atEnd = false;

  constructor(options: VisitorOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  /** Resolves when it has seen the end, or the session is gone. */
  async run(): Promise<void> {
    while (!this.#left) {
      const visit = planVisit(this.#random);
      this.#options.tally.visits += 1;
      await (visit.kind === 'poll' ? this.#poll(visit) : this.#follow(visit));
      if (!this.#left) {
        await this.#pause(visit.awayMs);
      }
    }
  }

  /** Offset after the last byte it had or was told to be gone; null when it did not stay to the end. */
  get endOffset(): number | null {
    return this.#atEnd ? this.#offset : null;
  }

  get #left(): boolean {
    return this.#atEnd || this.#options.gone.aborted;
  }

  async #poll(visit: Visit & { readonly kind: 'poll' }): Promise<void> {
    const { engine, id, gone } = this.#options;
    const leaveAt = performance.now() + visit.stayMs;
    while (!this.#left && performance.now() < leaveAt) {
      let answer;
      try {
        answer = await engine.read(id, {
          afterSeq: this.#seq,
          maxBytes: visit.maxBytes,
          waitMs: visit.waitMs,
          signal: gone,
        });
      } catch (error) {
        if (error instanceof EngineError && error.code === 'session-not-found' && gone.aborted) {
          return;
        }
        throw error;
      }
      for (const [index, { seq, offset, bytes }] of answer.chunks.entries()) {
        if (offset !== this.#offset) {
          // A chunk takes its bytes with it: only where a `seq` is missing can bytes be.
          const isTold = index === 0 && seq > this.#seq + 1;
          this.#skip(offset, isTold ? offset - this.#offset : 0);
        }
        this.#see(seq, offset, bytes);
      }
      this.#seq = Math.max(this.#seq, answer.nextSeq - 1);
      this.#atEnd = answer.closed && answer.chunks.length === 0;
      await this.#pause(visit.pauseMs);
    }
  }

  async #follow(visit: Visit & { readonly kind: 'follow' }): Promise<void> {
    const { engine, id, gone } = this.#options;
    const stay = new AbortController();
    const leave = () => stay.abort();
    gone.addEventListener('abort', leave);
    const acks = new Set<NodeJS.Timeout>();
    const gaps: (FollowEvent & { readonly kind: 'gap' })[] = [];
    const onEvent = (event: FollowEvent) => {
      if (event.kind === 'gap') {
        gaps.push(event);
        return;
      }
      if (event.kind === 'output') {
        const gap = gaps.pop();
        if (gap !== undefined || event.offset !== this.#offset) {
          const isTold = gap?.fromSeq === this.#seq + 1 && gap.toSeq === event.seq;
          this.#skip(event.offset, isTold ? (gap.bytes ?? 0) : 0);
        }
        this.#see(event.seq, event.offset, event.bytes);
        const endOffset = this.#offset;
        const timer = setTimeout(() => {
          acks.delete(timer);
          handle.ack(endOffset);
        }, visit.ackAfterMs);
        acks.add(timer);
      } else {
        // What is gone may be all up to the end: of a session that was forgotten, or of which only the end is retained.
        const gap = gaps.pop();
        if (gap !== undefined) {
          const bytes = gap.bytes ?? Number.NaN;
          this.#skip(this.#offset + bytes, bytes);
        }
        this.#seq = event.seq;
        if (event.kind === 'closed') {
          this.#atEnd = true;
          leave();
        }
      }
    };
    const handle = engine.follow(id, {
      afterSeq: this.#seq,
      afterOffset: this.#offset,
      creditBytes: visit.creditBytes,
      holdsChildMs: 0,
      onEvent,
    });
    try {
      await pauseUnless(stay.signal, visit.stayMs);
    } finally {
      handle.close();
      gone.removeEventListener('abort', leave);
      for (const ack of acks) {
        clearTimeout(ack);
      }
    }
  }

  /** It goes on at `offset`, and was told that this many bytes before it are gone. */
  #skip(offset: number, toldBytes: number): void {
    const { engine, tally, id, gapErrorBytes } = this.#options;
    const missed = offset - this.#offset;
    if (toldBytes + gapErrorBytes !== missed) {
      tally.fault(
        'gap',
        `${id}: ${missed} bytes are missing at ${this.#offset}, told were ${toldBytes + gapErrorBytes}`,
      );
    }
    this.#offset = offset;
    tally.gaps += 1;
    tally.gapBytes += missed;
    engine.read(id, { afterSeq: 0, maxBytes: 1, waitMs: 0 }).then(
      ({ chunks }) => {
        const oldest = chunks[0]?.offset ?? offset;
        if (oldest < offset) {
          tally.fault('gap', `${id}: bytes before ${offset} were said to be gone, but can be read from ${oldest} on`);
        }
      },
      () => {
        // The session was forgotten in the same moment: nothing of it can be read any more.
      },
    );
  }

  #see(seq: number, offset: number, bytes: Uint8Array): void {
    const { tally, id, stream } = this.#options;
    const wrong = stream.firstDifference(offset, bytes);
    if (wrong === null) {
      tally.bytesByPlace += bytes.length;
    } else {
      tally.fault('changed', `${id}: a visitor saw another byte at ${wrong} than was printed there`);
    }
    this.#seq = seq;
    this.#offset = offset + bytes.length;
  }

  #pause(ms: number): Promise<void> {
    return pauseUnless(this.#options.gone, ms);
  }
}

/** Resolves after the time, or as soon as the signal is aborted. */
async function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch {
    // Aborted: there is nothing left to wait for.
  }
}
