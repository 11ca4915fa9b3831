import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OutputRing } from './output-ring.ts';

const MIB = 1024 * 1024;

/** What a ring holds, as one. */
function held(ring: OutputRing): Buffer {
  return Buffer.concat(ring.read(ring.startOffset, MIB).pieces.map(({ bytes }) => bytes));
}

describe('the memory of retained output', () => {
  test('is used again: a flood takes no more of it than a little output', () => {
    const ring = new OutputRing({ maxBytes: MIB, maxChunks: 1_000 });
    const seen = new Set<ArrayBufferLike>();
    for (let piece = 0; piece < 2_000; piece += 1) {
      const chunk = ring.append('pty', Buffer.alloc(64 * 1024), 0);
      if (chunk !== null) {
        seen.add(chunk.bytes.buffer);
      }
    }
    // 125 MiB went through a ring of 1 MiB, in blocks of 256 KiB.
    expect(seen.size).toBeLessThan(16);
  });

  test('holds little for a session that prints little', () => {
    const chunk = new OutputRing({ maxBytes: MIB, maxChunks: 1_000 }).append('pty', Buffer.from('a line'), 0);
    expect(chunk?.bytes.buffer.byteLength).toBeLessThanOrEqual(4 * 1024);
  });

  test('of several sessions at once is never mixed up, however large their pieces are and whatever leaves', () => {
    const piece = fc.record({ ring: fc.nat({ max: 2 }), bytes: fc.integer({ min: 1, max: 300_000 }) });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 10, maxLength: 60 }), (pieces) => {
        const rings = [1, 2, 3].map((_, index) => new OutputRing({ maxBytes: 200_000 * (index + 1), maxChunks: 8 }));
        const printed = rings.map(() => [] as Buffer[]);
        pieces.forEach(({ ring: index, bytes }, number) => {
          // A buffer that its owner uses again at once.
          const scratch = Buffer.alloc(bytes, number + 1);
          rings[index]?.append('pty', scratch, 0);
          printed[index]?.push(Buffer.from(scratch));
          scratch.fill(0);
        });
        rings.forEach((ring, index) => {
          const all = Buffer.concat(printed[index] ?? []);
          expect(held(ring).equals(all.subarray(ring.startOffset))).toBe(true);
        });
      }),
      { numRuns: 50 },
    );
  });
});
