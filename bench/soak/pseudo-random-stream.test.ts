import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PseudoRandomStream } from './pseudo-random-stream.ts';

const BYTES = 100_000;

describe.for(['bytes', 'printable'] as const)('a stream of %s', (alphabet) => {
  const ledger = join(tmpdir(), `shellscope-ledger-${randomUUID()}`);
  const printed = () => {
    onTestFinished(() => rmSync(ledger));
    const args = ['seven', alphabet, 1, BYTES, 7_001, 0, 30_000, 0, ledger].map(String);
    return execFileSync('python3', [join(import.meta.dirname, 'printer.py'), ...args], { maxBuffer: 2 * BYTES });
  };

  test('is what the printer with that seed prints, by checksum and at any offset', () => {
    const bytes = printed();
    const stream = new PseudoRandomStream('seven', alphabet);
    expect(bytes.length).toBe(BYTES);
    expect(stream.sha256(BYTES)).toBe(createHash('sha256').update(bytes).digest('hex'));
    fc.assert(
      fc.property(fc.nat(BYTES), fc.nat(BYTES), (start, length) => {
        expect(stream.firstDifference(start, bytes.subarray(start, start + length))).toBeNull();
      }),
    );
  });

  test('differs at the very byte that was changed, and after a byte that is missing', () => {
    const bytes = printed();
    const stream = new PseudoRandomStream('seven', alphabet);
    fc.assert(
      fc.property(fc.nat(BYTES - 1), (changed) => {
        const copy = Buffer.from(bytes);
        copy[changed] = (copy[changed] ?? 0) ^ 1;
        expect(stream.firstDifference(0, copy)).toBe(changed);
      }),
      { numRuns: 20 },
    );
    expect(stream.firstDifference(500, bytes.subarray(501, 600))).not.toBeNull();
  });
});
