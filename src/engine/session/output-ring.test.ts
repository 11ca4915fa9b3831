import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_PAGE_CHUNKS, MAX_PAGE_PIECES, OutputRing, type LogEntry } from './output-ring.ts';

const UNLIMITED = { maxBytes: 1_000_000, maxChunks: 1_000_000 };

const bytesOf = (text: string) => new TextEncoder().encode(text);

function entriesOf(ring: OutputRing): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  for (let seq = ring.firstSeq; seq < ring.nextSeq; seq += 1) {
    const entry = ring.entry(seq);
    if (entry !== null) {
      entries.push(entry);
    }
  }
  return entries;
}

function retained(ring: OutputRing): Buffer {
  return Buffer.concat(entriesOf(ring).map((entry) => (entry.kind === 'output' ? entry.bytes : new Uint8Array())));
}

describe('OutputRing', () => {
  test('C5: chunks, exited and closed share one seq that rises by 1 from 1', () => {
    const ring = new OutputRing(UNLIMITED);
    ring.append('stdout', bytesOf('a'), 0);
    ring.append('stderr', bytesOf('b'), 0);
    ring.mark('exited');
    ring.append('stdout', bytesOf('c'), 0);
    ring.mark('closed');
    expect(entriesOf(ring).map(({ seq, kind }) => `${seq} ${kind}`)).toEqual([
      '1 output',
      '2 output',
      '3 exited',
      '4 output',
      '5 closed',
    ]);
  });

  test('A3: over the cap exactly the excess bytes leave, across chunks and inside one', () => {
    const ring = new OutputRing({ maxBytes: 5, maxChunks: 100 });
    expect(ring.append('pty', bytesOf('abc'), 0)).toMatchObject({ seq: 1, offset: 0 });
    ring.append('pty', bytesOf('def'), 0);
    expect(retained(ring).toString()).toBe('bcdef');
    ring.append('pty', bytesOf('ghi'), 0);
    expect(retained(ring).toString()).toBe('efghi');
    expect({ start: ring.startOffset, end: ring.endOffset, firstSeq: ring.firstSeq }).toEqual({
      start: 4,
      end: 9,
      firstSeq: 2,
    });
    expect(ring.entry(2)).toMatchObject({ offset: 4, trimmed: true });
    ring.append('pty', bytesOf('0123456789'), 0);
    expect(retained(ring).toString()).toBe('56789');
    expect([1, 2, 3].map((seq) => ring.entry(seq))).toEqual([null, null, null]);
  });

  test('A3: whatever the split, what is retained is the end of what was printed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 200 }),
        (chunks, maxBytes) => {
          const ring = new OutputRing({ maxBytes, maxChunks: 1_000 });
          for (const chunk of chunks) {
            ring.append('pty', chunk, 0);
          }
          const printed = Buffer.concat(chunks);
          expect(retained(ring)).toEqual(printed.subarray(Math.max(0, printed.length - maxBytes)));
          expect(ring.startOffset).toBe(Math.max(0, printed.length - maxBytes));
          expect(ring.endOffset).toBe(printed.length);
        },
      ),
    );
  });

  test('a child that prints single bytes is bounded by the number of chunks', () => {
    const ring = new OutputRing({ maxBytes: 1_000_000, maxChunks: 10 });
    for (let index = 0; index < 5_000; index += 1) {
      ring.append('pty', bytesOf('x'), 0);
    }
    expect({ entries: entriesOf(ring).length, start: ring.startOffset }).toEqual({ entries: 10, start: 4_990 });
  });

  test('finds the chunk that holds an offset, and the oldest for one that is gone', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: 500 }),
        (lengths, maxBytes, wanted) => {
          const ring = new OutputRing({ maxBytes, maxChunks: 1_000 });
          for (const length of lengths) {
            ring.append('pty', new Uint8Array(length), 0);
          }
          const offset = Math.min(wanted, ring.endOffset - 1);
          const entry = ring.entry(ring.seqAtOffset(offset));
          const first = Math.max(offset, ring.startOffset);
          expect(entry?.kind).toBe('output');
          if (entry?.kind === 'output') {
            expect(entry.offset).toBeLessThanOrEqual(first);
            expect(entry.offset + entry.bytes.length).toBeGreaterThan(first);
          }
        },
      ),
    );
  });

  test('A9: any readers, in any order with appends and evictions, each get every byte or are told how many are gone', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('print' as const), bytes: fc.uint8Array({ maxLength: 30 }) }),
      fc.record({ kind: fc.constant('mark' as const) }),
      fc.record({ kind: fc.constant('read' as const), reader: fc.nat({ max: 2 }), maxBytes: fc.nat({ max: 40 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 60 }), (steps, maxBytes) => {
        const ring = new OutputRing({ maxBytes, maxChunks: 1_000 });
        let printed = Buffer.alloc(0);
        const cursors = [0, 0, 0];
        for (const action of steps) {
          if (action.kind === 'print') {
            printed = Buffer.concat([printed, action.bytes]);
            ring.append('pty', action.bytes, 0);
          } else if (action.kind === 'mark') {
            ring.mark('exited');
          } else {
            const cursor = cursors[action.reader] ?? 0;
            const page = ring.read(cursor, action.maxBytes);
            const bytes = Buffer.concat(page.pieces.map((piece) => piece.bytes));
            const begin = cursor + page.goneBytes;
            expect(bytes).toEqual(printed.subarray(begin, page.endOffset));
            expect(page.endOffset - begin).toBe(Math.min(action.maxBytes, printed.length - begin));
            expect(page.goneBytes).toBe(Math.max(0, printed.length - maxBytes - cursor));
            cursors[action.reader] = page.endOffset;
          }
        }
      }),
    );
  });

  test('a place that is still to come answers nothing, and no byte is given before its place', () => {
    const ring = new OutputRing(UNLIMITED);
    ring.append('stdout', bytesOf('abc'), 0);
    ring.append('stderr', bytesOf('def'), 0);
    expect(ring.read(6, 10)).toEqual({ pieces: [], goneBytes: 0, endOffset: 6 });
    expect(ring.read(9, 10)).toEqual({ pieces: [], goneBytes: 0, endOffset: 9 });
    expect(ring.read(2, 2).pieces.map(({ stream, offset, bytes }) => [stream, offset, bytes.length])).toEqual([
      ['stdout', 2, 1],
      ['stderr', 3, 1],
    ]);
  });

  test('chunks of one stream and one size come as one piece, with the time of the first', () => {
    const ring = new OutputRing(UNLIMITED);
    const [small, large] = [
      { cols: 80, rows: 24 },
      { cols: 100, rows: 30 },
    ];
    ring.markSize(small);
    ring.append('stdout', bytesOf('ab'), 1);
    ring.append('stdout', bytesOf('cd'), 2);
    ring.append('stderr', bytesOf('ef'), 3);
    ring.mark('exited');
    ring.append('stderr', bytesOf('gh'), 4);
    ring.markSize(large);
    ring.append('stderr', bytesOf('ij'), 5);
    const told = ring
      .read(1, 8)
      .pieces.map(({ bytes, ...piece }) => ({ ...piece, text: Buffer.from(bytes).toString() }));
    expect(told).toEqual([
      { stream: 'stdout', offset: 1, text: 'bcd', atMs: 1, size: small },
      { stream: 'stderr', offset: 4, text: 'efgh', atMs: 3, size: small },
      { stream: 'stderr', offset: 8, text: 'i', atMs: 5, size: large },
    ]);
  });

  test('a page of single bytes ends at a number of chunks, and has them as one piece', () => {
    const ring = new OutputRing(UNLIMITED);
    for (let at = 0; at < 2 * MAX_PAGE_CHUNKS + 5; at += 1) {
      ring.append('stdout', bytesOf('o'), at);
    }
    const pages = [0, 1, 2].map((page) => ring.read(page * MAX_PAGE_CHUNKS, Infinity));
    expect(pages.map(({ pieces, endOffset }) => [pieces.map(({ bytes }) => bytes.length), endOffset])).toEqual([
      [[MAX_PAGE_CHUNKS], MAX_PAGE_CHUNKS],
      [[MAX_PAGE_CHUNKS], 2 * MAX_PAGE_CHUNKS],
      [[5], ring.endOffset],
    ]);
  });

  test('a page of streams that take turns ends at a number of pieces', () => {
    const ring = new OutputRing(UNLIMITED);
    for (let at = 0; at < 3 * MAX_PAGE_PIECES; at += 1) {
      ring.append(at % 2 === 0 ? 'stderr' : 'stdout', bytesOf(at % 2 === 0 ? 'e' : 'o'), at);
    }
    let printed = '';
    let pages = 0;
    for (let offset = 0; offset < ring.endOffset; pages += 1) {
      const page = ring.read(offset, Infinity);
      expect(page.pieces.length).toBe(MAX_PAGE_PIECES);
      printed += page.pieces.map(({ bytes }) => Buffer.from(bytes).toString()).join('');
      offset = page.endOffset;
    }
    expect([pages, printed]).toEqual([3, 'eo'.repeat((3 * MAX_PAGE_PIECES) / 2)]);
  });

  test('knows the size that each retained byte was made for', () => {
    const ring = new OutputRing({ maxBytes: 6, maxChunks: 100 });
    ring.markSize({ cols: 80, rows: 24 });
    ring.append('pty', bytesOf('aaa'), 0);
    ring.markSize({ cols: 100, rows: 24 });
    ring.markSize({ cols: 120, rows: 30 });
    ring.append('pty', bytesOf('bbb'), 0);
    expect([0, 2, 3, 6].map((offset) => ring.sizeAt(offset)?.cols)).toEqual([80, 80, 120, 120]);
    ring.append('pty', bytesOf('cccccc'), 0);
    expect(ring.sizeAt(6)).toEqual({ cols: 120, rows: 30 });
  });
});
