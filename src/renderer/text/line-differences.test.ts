import { describe, expect, it } from 'vitest';
import { commonLength, LineDifferences } from './line-differences.ts';

/** Tells lines apart, and counts the pairs and the characters that it compares. */
function counting() {
  const work = { pairs: 0, characters: 0 };
  const differences = new LineDifferences((one, other) => {
    const length = commonLength(one, other);
    work.pairs += 1;
    work.characters += length;
    return length;
  });
  return { work, differences };
}

const linesOf = (count: number, begin: string): string[] =>
  Array.from({ length: count }, (_none, index) => `${begin}${(index * 7_919) % count} and the rest`);

describe('lines of one name', () => {
  it('are compared with those beside them alone, as far as is told', () => {
    const { work, differences } = counting();
    const begin = 'x'.repeat(4_000);
    const lines = linesOf(500, begin);
    const told = differences.of(new Map([['patch', lines]]));
    expect(work.pairs).toBe(499);
    expect(work.characters).toBeLessThan(499 * 4_010);
    expect(told.get('patch')?.[1]).toBe('…xxxxxxxxxx419');
  });

  it('are told by numbers where they differ only beyond what is compared, and compared no further', () => {
    const { work, differences } = counting();
    const lines = [...linesOf(500, 'x'.repeat(100_000)), `${'x'.repeat(100)}y`];
    const told = differences.of(new Map([['patch', lines]])).get('patch');
    expect(told).toEqual([...Array.from({ length: 500 }, (_none, index) => String(index + 1)), '…xxxxxxxxxxxxy']);
    expect(work).toEqual({ pairs: 500, characters: 499 * 4_096 + 100 });
  });

  it('are told by the longest begin that any other has, wherever that stands among them', () => {
    const lines = ['run web one', 'go', 'run cli', 'run web two', 'run client'];
    const told = new LineDifferences().of(new Map([['run', lines]]));
    expect(told.get('run')).toEqual(['one', 'go', 'cli', 'two', 'client']);
  });

  it('are not compared again while no other line has that name', () => {
    const { work, differences } = counting();
    const lines = linesOf(20, 'run ');
    const others = linesOf(10, 'make ');
    const of = (run: readonly string[], make: readonly string[]): ReadonlyMap<string, readonly (string | null)[]> =>
      differences.of(new Map(Object.entries({ run, make })));
    const first = of(lines, others);
    expect(work.pairs).toBe(28);
    expect(of([...lines], [...others])).toEqual(first);
    expect(work.pairs).toBe(28);
    of(lines, [...others, 'make all']);
    expect(work.pairs).toBe(38);
    of([...lines.slice(1), 'run all'], []);
    expect(work.pairs).toBe(57);
  });
});
