import type { BackendKind } from '../../src/shared/session.ts';
import type { Random } from '../random.ts';
import type { Alphabet } from './pseudo-random-stream.ts';

/** How one session of the soak goes. */
export interface SessionPlan {
  /** From 1; also the seed of what the child prints. */
  readonly number: number;
  readonly backend: BackendKind;
  /** On pipes; a pty has one stream. */
  readonly stream: 'stdout' | 'stderr';
  readonly alphabet: Alphabet;
  /** What the child prints when nobody ends it. */
  readonly bytes: number;
  readonly pieceBytes: number;
  /** After each piece; 0 floods. */
  readonly pauseMs: number;
  /** Printed at once after the linger, right before the exit. */
  readonly lastBytes: number;
  readonly lingerMs: number;
  readonly end: SessionEnd;
  /** One visitor after another comes for each of these seeds. */
  readonly visitorSeeds: readonly number[];
}

/** What ends a session: its child by itself, or one of these after so many milliseconds, should it still run. */
export type SessionEnd =
  | { readonly kind: 'itself' }
  | { readonly kind: 'sigkill' | 'terminate' | 'close'; readonly afterMs: number };

/** One reader's visit to a session. */
export type Visit = (
  | {
      readonly kind: 'poll';
      readonly maxBytes: number;
      readonly waitMs: number;
      /** Between two reads. */
      readonly pauseMs: number;
    }
  | {
      readonly kind: 'follow';
      readonly creditBytes: number;
      /** Before each acknowledgement; 0 acknowledges at once. */
      readonly ackAfterMs: number;
    }
) & {
  /** The visitor leaves after this time, if the output has not ended before. */
  readonly stayMs: number;
  /** Then it comes again, to where it was, after this one. */
  readonly awayMs: number;
};

const KIB = 1024;

/** Pieces of a child that does not flood: with the longest pause they take 20 s. */
const MOST_PIECES = 100;

/**
 * A session of some ten to twenty seconds, and never a much longer one: those would be more and more of the live ones,
 * with what is retained of them, and look like a leak. A third of the children flood; four in ten sessions end by
 * themselves. Sizes are such that two cores keep two hundred of them going and the slow visitors fall behind. In a short
 * run it is shorter: `pace` is 1 or less.
 */
export function planSession(number: number, random: Random, pace: number): SessionPlan {
  const milliseconds = (least: number, most: number) =>
    random.integer(Math.round(least * pace), Math.round(most * pace));
  const endsAfter = () => ({ afterMs: milliseconds(0, 25_000) });
  const floods = random.chance(0.35);
  const lastBytes = random.integer(0, 128 * KIB);
  const pieceBytes = floods ? 32 * KIB : random.integer(100, 8 * KIB);
  const pieces = floods ? random.integer(8, 128) : random.integer(1, Math.ceil(MOST_PIECES * pace));
  const backend = random.weighted<BackendKind>([1, 'pty'], [1, 'pipe']);
  return {
    number,
    backend,
    stream: backend === 'pipe' && random.chance(0.3) ? 'stderr' : 'stdout',
    alphabet: backend === 'pty' ? 'printable' : 'bytes',
    bytes: pieces * pieceBytes + lastBytes,
    pieceBytes,
    pauseMs: floods ? 0 : random.integer(20, 200),
    lastBytes,
    lingerMs: milliseconds(4_000, 20_000),
    end: random.weighted<SessionEnd>(
      [4, { kind: 'itself' }],
      [2, { kind: 'sigkill', ...endsAfter() }],
      [2, { kind: 'terminate', ...endsAfter() }],
      [2, { kind: 'close', ...endsAfter() }],
    ),
    visitorSeeds: Array.from({ length: random.integer(0, 2) }, () => random.integer(0, 2 ** 31)),
  };
}

/** A quick or a slow visit, by polls or by following. */
export function planVisit(random: Random): Visit {
  const slow = random.chance(0.5);
  const times = { stayMs: random.integer(100, 6_000), awayMs: random.integer(0, 2_000) };
  return random.chance(0.5)
    ? {
        kind: 'poll',
        maxBytes: random.weighted([1, 1], [2, 4 * KIB], [2, Number.POSITIVE_INFINITY]),
        waitMs: random.integer(0, 2_000),
        pauseMs: slow ? random.integer(50, 1_000) : 0,
        ...times,
      }
    : {
        kind: 'follow',
        creditBytes: random.integer(1, 64 * KIB),
        ackAfterMs: slow ? random.integer(50, 1_000) : 0,
        ...times,
      };
}
