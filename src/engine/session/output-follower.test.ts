import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OutputFollower, type FollowEvent } from './output-follower.ts';
import { OutputRing } from './output-ring.ts';

const EXIT = { exitCode: 0, signal: null } as const;

function follow(ring: OutputRing, creditBytes: number, afterSeq = 0) {
  const events: FollowEvent[] = [];
  const follower = new OutputFollower(ring, () => EXIT, {
    afterSeq,
    creditBytes,
    borrowsBytes: false,
    keptFrom: () => null,
    onEvent: (event) => events.push(event),
  });
  return { follower, events };
}

describe('OutputFollower', () => {
  test('gives out no more than its credit, and goes on when that is acknowledged', () => {
    const ring = new OutputRing({ maxBytes: 10_000, maxChunks: 100 });
    const { follower, events } = follow(ring, 1_000);
    for (let index = 0; index < 4; index += 1) {
      ring.append('pty', new Uint8Array(600), 0);
      follower.pump();
    }
    expect(events.map((event) => (event.kind === 'gap' ? event.fromSeq : event.seq))).toEqual([1, 2]);
    expect(follower.lag).toBe(0.12);
    follower.ack(600);
    expect(events).toHaveLength(3);
    follower.ack(1_800);
    expect(events).toHaveLength(4);
    expect(follower.lag).toBe(0);
  });

  test('short chunks have a price too: a child that prints single bytes cannot fill a socket with messages', () => {
    const ring = new OutputRing({ maxBytes: 10_000, maxChunks: 20 });
    const { follower, events } = follow(ring, 1_000);
    for (let index = 0; index < 14; index += 1) {
      ring.append('pty', new Uint8Array(1), 0);
    }
    follower.pump();
    expect(events).toHaveLength(4);
    // Ten of the twenty chunks that the ring can retain.
    expect(follower.lag).toBe(0.5);
  });

  test('one that only shows output skips to near the end when it is too far behind, and is told what it skipped', () => {
    const ring = new OutputRing({ maxBytes: 10_000, maxChunks: 100 });
    const events: FollowEvent[] = [];
    const skipped: number[] = [];
    const follower = new OutputFollower(ring, () => EXIT, {
      afterSeq: 0,
      creditBytes: 600,
      keptFrom: (offset) => offset,
      borrowsBytes: false,
      skipAhead: { aboveBytes: 1_000, keepBytes: 500, onSkipped: (bytes) => skipped.push(bytes[0] ?? -1) },
      onEvent: (event) => events.push(event),
    });
    for (let index = 0; index < 13; index += 1) {
      ring.append('pty', new Uint8Array(100).fill(index), 0);
      follower.pump();
    }
    expect(events.map(({ kind }) => kind)).toEqual(['output', 'output', 'output']);
    ring.append('pty', new Uint8Array(100).fill(13), 0);
    follower.pump();
    expect(skipped).toEqual([3, 4, 5, 6, 7, 8]);
    expect(events.slice(3)).toEqual([{ kind: 'gap', fromSeq: 4, toSeq: 10, bytes: 600, keptFrom: 300 }]);
    follower.ack(300);
    expect(events.slice(4).map((event) => (event.kind === 'output' ? event.offset : -1))).toEqual([900, 1_000, 1_100]);
  });

  test('no end is skipped', () => {
    const ring = new OutputRing({ maxBytes: 10_000, maxChunks: 100 });
    const events: FollowEvent[] = [];
    ring.append('pty', new Uint8Array(600), 0);
    ring.mark('exited');
    ring.append('pty', new Uint8Array(600), 0);
    const follower = new OutputFollower(ring, () => EXIT, {
      afterSeq: 0,
      creditBytes: 10_000,
      keptFrom: () => null,
      borrowsBytes: false,
      skipAhead: { aboveBytes: 1_000, keepBytes: 100, onSkipped: () => undefined },
      onEvent: (event) => events.push(event),
    });
    follower.pump();
    expect(events.map(({ kind }) => kind)).toEqual(['gap', 'exited', 'output']);
  });

  test('one that is behind when the output is forgotten is told how much, and the end', () => {
    const ring = new OutputRing({ maxBytes: 10_000, maxChunks: 100 });
    const { follower, events } = follow(ring, 100);
    for (let index = 0; index < 3; index += 1) {
      ring.append('pty', new Uint8Array(100), 0);
    }
    ring.mark('exited');
    ring.append('pty', new Uint8Array(50), 0);
    ring.mark('closed');
    follower.pump();
    follower.finish();
    expect(events).toEqual([
      expect.objectContaining({ kind: 'output', seq: 1 }),
      { kind: 'gap', fromSeq: 2, toSeq: 4, bytes: 200, keptFrom: null },
      { kind: 'exited', seq: 4, exit: EXIT },
      { kind: 'gap', fromSeq: 5, toSeq: 6, bytes: 50, keptFrom: null },
      { kind: 'closed', seq: 6 },
    ]);
    follower.ack(350);
    expect(events).toHaveLength(5);
  });

  test('one that comes back to a place that is gone is told how much, if it says where it was; else not a number', () => {
    const ring = new OutputRing({ maxBytes: 10, maxChunks: 100 });
    for (let index = 0; index < 5; index += 1) {
      ring.append('pty', new Uint8Array(4), 0);
    }
    const gapAt = (afterSeq: number, afterOffset?: number) => {
      const events: FollowEvent[] = [];
      const follower = new OutputFollower(ring, () => EXIT, {
        afterSeq,
        ...(afterOffset === undefined ? {} : { afterOffset }),
        creditBytes: 100,
        borrowsBytes: false,
        keptFrom: () => null,
        onEvent: (event) => events.push(event),
      });
      follower.pump();
      const [first] = events;
      return first?.kind === 'gap' ? first.bytes : 'no gap';
    };
    // Of 20 bytes the last 10 are retained; the third chunk lost its head and counts as gone.
    expect([gapAt(0), gapAt(1, 4), gapAt(1), gapAt(2, 8), gapAt(2)]).toEqual([12, 8, null, 4, null]);
    expect([gapAt(3), gapAt(5)]).toEqual(['no gap', 'no gap']);
  });

  test('one that fell behind is told exactly how many bytes are gone', () => {
    const ring = new OutputRing({ maxBytes: 10, maxChunks: 100 });
    const { follower, events } = follow(ring, 4);
    ring.append('pty', new Uint8Array(4), 0);
    follower.pump();
    for (let index = 0; index < 5; index += 1) {
      ring.append('pty', new Uint8Array(4), 0);
    }
    follower.ack(4);
    // Of 24 bytes the last 10 are retained; the chunk that lost its head counts as gone.
    expect(events[1]).toEqual({ kind: 'gap', fromSeq: 2, toSeq: 5, bytes: 12, keptFrom: null });
    expect(events[2]).toMatchObject({ kind: 'output', seq: 5, offset: 16 });
  });

  test('what it is told is its own to keep, unless it says that it only borrows it', () => {
    const ring = new OutputRing({ maxBytes: 300_000, maxChunks: 100 });
    const kept: Buffer[] = [];
    const told = (borrowsBytes: boolean) =>
      new OutputFollower(ring, () => EXIT, {
        afterSeq: 0,
        creditBytes: 1_000_000,
        borrowsBytes,
        keptFrom: () => null,
        onEvent: (event) => {
          if (event.kind === 'output' && event.seq === 4) {
            kept.push(Buffer.from(event.bytes.buffer, event.bytes.byteOffset, event.bytes.length));
          }
        },
      });
    const followers = [told(false), told(true)];
    for (const letter of 'abcdefghijklmnopqrst') {
      ring.append('pty', Buffer.alloc(100_000, letter), 0);
      followers.forEach((follower) => follower.pump());
    }
    // The ring has used the memory of that piece again.
    expect(kept.map((bytes) => String.fromCharCode(bytes[0] ?? 0))).toEqual(['d', expect.not.stringMatching('d')]);
  });

  test('a consumer that acknowledges at once is not told anything twice', () => {
    const ring = new OutputRing({ maxBytes: 1_000, maxChunks: 100 });
    const seqs: number[] = [];
    const follower: OutputFollower = new OutputFollower(ring, () => EXIT, {
      afterSeq: 0,
      creditBytes: 1,
      borrowsBytes: false,
      keptFrom: () => null,
      onEvent: (event) => {
        if (event.kind === 'output') {
          seqs.push(event.seq);
          follower.ack(event.offset + event.bytes.length);
        }
      },
    });
    for (let index = 0; index < 5; index += 1) {
      ring.append('pty', new Uint8Array(3), 0);
    }
    follower.pump();
    expect(seqs).toEqual([1, 2, 3, 4, 5]);
  });

  test('C9: any interleaving of output and acknowledgements gives every byte once, in order, or a true gap', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('print' as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }) }),
      fc.record({ kind: fc.constant('ack' as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 80 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 60 }),
        (steps, creditBytes, maxBytes) => {
          const ring = new OutputRing({ maxBytes, maxChunks: 1_000 });
          const { follower, events } = follow(ring, creditBytes);
          const given = () =>
            events.reduce((end, event) => (event.kind === 'output' ? event.offset + event.bytes.length : end), 0);
          const printed: Uint8Array[] = [];
          for (const current of steps) {
            if (current.kind === 'print') {
              printed.push(current.bytes);
              ring.append('pty', current.bytes, 0);
              follower.pump();
            } else {
              follower.ack(Math.floor(given() * current.part));
            }
          }
          ring.mark('closed');
          for (let before = -1; before !== events.length;) {
            before = events.length;
            follower.ack(given());
          }
          const all = Buffer.concat(printed);
          let offset = 0;
          for (const event of events) {
            if (event.kind === 'output') {
              expect(event.offset).toBe(offset);
              expect(Buffer.from(event.bytes)).toEqual(all.subarray(offset, offset + event.bytes.length));
              offset += event.bytes.length;
            } else if (event.kind === 'gap') {
              expect(event.bytes).toBeGreaterThan(0);
              offset += event.bytes ?? Number.NaN;
            }
          }
          expect(offset).toBe(all.length);
          expect(events.at(-1)?.kind).toBe('closed');
        },
      ),
    );
  });
});
