import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OutputRing } from './output-ring.ts';
import { decodePieces, TextReader, type Unfinished } from './output-text.ts';

const UNLIMITED = { maxBytes: 1_000_000, maxChunks: 1_000_000 };
const DRAIN = { maxBytes: 1_000_000, drain: true } as const;
const PEEK = { maxBytes: 1_000_000, drain: false } as const;

/** Text of many scripts, and bytes that are none. */
const output = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
);

describe('decodePieces', () => {
  test('E5: any split of the same bytes gives the same text', () => {
    fc.assert(
      fc.property(fc.array(output, { maxLength: 6 }), fc.array(fc.nat({ max: 60 })), (parts, cuts) => {
        const bytes = Buffer.concat(parts);
        let text = '';
        let unfinished: Unfinished = new Map();
        const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted((a, b) => a - b);
        let offset = 0;
        for (const end of ends) {
          const piece = { stream: 'pty', offset, bytes: bytes.subarray(offset, end) } as const;
          const decoded = decodePieces([piece], unfinished, end === bytes.length);
          text += decoded.text;
          unfinished = decoded.unfinished;
          offset = end;
        }
        expect(text).toBe(bytes.toString('utf8'));
      }),
    );
  });

  test('a character cut by the other stream is given whole', () => {
    const euro = Buffer.from('€');
    const { text } = decodePieces(
      [
        { stream: 'stdout', bytes: euro.subarray(0, 2) },
        { stream: 'stderr', bytes: Buffer.from('!') },
        { stream: 'stdout', bytes: euro.subarray(2) },
      ],
      new Map(),
      false,
    );
    expect(text).toBe('!€');
  });
});

describe('TextReader', () => {
  test('E5: draining gives what this reader has not had, a look changes nothing, nothing pending is null', () => {
    const ring = new OutputRing(UNLIMITED);
    const [first, second] = [new TextReader(0), new TextReader(0)];
    expect(first.read(ring, DRAIN, false).text).toBeNull();
    ring.append('pty', Buffer.from('one'), 0);
    expect(first.read(ring, PEEK, false).text).toBe('one');
    expect(first.read(ring, DRAIN, false).text).toBe('one');
    expect(first.read(ring, DRAIN, false).text).toBeNull();
    ring.append('pty', Buffer.from('two'), 0);
    expect(first.read(ring, DRAIN, false).text).toBe('two');
    expect(second.read(ring, DRAIN, false).text).toBe('onetwo');
  });

  test('half a character is nothing until its rest comes, or the end', () => {
    const ring = new OutputRing(UNLIMITED);
    const [first, second] = [new TextReader(0), new TextReader(0)];
    ring.append('pty', Buffer.from('€').subarray(0, 2), 0);
    expect(first.read(ring, DRAIN, false).text).toBeNull();
    expect(second.read(ring, DRAIN, true).text).toBe('\uFFFD');
    ring.append('pty', Buffer.from('€').subarray(2), 0);
    expect(first.read(ring, DRAIN, false).text).toBe('€');
  });

  test('one that fell behind is told how many bytes are gone, also those of a character it had begun', () => {
    const ring = new OutputRing({ maxBytes: 4, maxChunks: 10 });
    const reader = new TextReader(0);
    ring.append('pty', Buffer.from('a€').subarray(0, 2), 0);
    expect(reader.read(ring, DRAIN, false)).toEqual({ text: 'a', goneBytes: 0, endOffset: 2 });
    ring.append('pty', Buffer.from('123456'), 0);
    expect(reader.read(ring, DRAIN, false)).toEqual({ text: '3456', goneBytes: 3, endOffset: 8 });
  });
});
