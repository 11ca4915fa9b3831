import { describe, expect, it } from 'vitest';
import { exampleSession } from '../testing/example-session.ts';
import { EarlierOutputs, type EarlierView, type ReachedEdge, type ReadingDirection } from './earlier-outputs.ts';

const { id } = exampleSession();

describe('output that has left its pane', () => {
  const place = (offset: number) => ({ offset, match: null, at: 'top' }) as const;

  /** Views over a kept output of 10,000 bytes; a stretch reaches so many to either side. */
  function startReading(reach = 100) {
    const asked: number[] = [];
    const problems: string[] = [];
    const shown: EarlierView[] = [];
    const ends = { known: 10_000 };
    const edges: ((edge: ReachedEdge) => void)[] = [];
    const earlier = new EarlierOutputs<string>({
      load: async (_id, offset) => {
        asked.push(offset);
        if (offset === 4_321) {
          throw new Error('the disk is gone');
        }
        const startOffset = Math.max(1_000, offset - reach);
        const endOffset = Math.min(ends.known, offset + reach);
        return {
          parts: [{ offset: startOffset, bytes: new Uint8Array(endOffset - startOffset), size: null }],
          ...{ startOffset, endOffset, atMs: null, modes: '', rendition: '', keptFrom: 1_000, outputEnd: 10_000 },
        };
      },
      open: ({ onEdge }) => {
        edges.push(onEdge);
        return {
          ...{
            show: (view) => shown.push(view),
            selectText: () => undefined,
            links: [],
            seek: () => undefined,
            focus: () => undefined,
          },
          ...{ setLook: () => undefined, selection: '', selectAll: () => undefined, dispose: () => undefined },
        };
      },
      outputEnd: () => ends.known,
      onProblem: (sentence) => problems.push(sentence),
    });
    const element = { inert: false } as HTMLElement;
    earlier.open(exampleSession(), { host: element, covered: element });
    const reached = (direction: ReadingDirection, offset: number | null, more: Partial<ReachedEdge> = {}): void =>
      edges[0]?.({ direction, offset, isPushed: false, isScreen: false, ...more });
    return { earlier, asked, problems, shown, ends, reached };
  }

  it('is loaded further around what is in view at an edge, once, and keeps its place', async () => {
    const { earlier, asked, shown, reached } = startReading();
    await earlier.show(id, place(5_000));
    reached('earlier', 4_910);
    reached('earlier', 4_905);
    await expect.poll(() => shown.length).toBe(2);
    reached('later', 4_990);
    await expect.poll(() => shown.length).toBe(3);
    expect(asked).toEqual([5_000, 4_910, 4_990]);
    expect(shown.map(({ around, keepsPlace, news }) => ({ around, keepsPlace, news }))).toEqual([
      { around: 5_000, keepsPlace: false, news: null },
      { around: 4_910, keepsPlace: true, news: 'earlier' },
      { around: 4_990, keepsPlace: true, news: 'later' },
    ]);
  });

  it('goes on in a line that is longer than a stretch', async () => {
    const { earlier, asked, reached, shown } = startReading();
    await earlier.show(id, place(5_000));
    reached('later', 5_000);
    await expect.poll(() => shown.length).toBe(2);
    reached('earlier', null);
    await expect.poll(() => shown.length).toBe(3);
    expect(asked).toEqual([5_000, 5_100, 5_000]);
  });

  it('says where there is no more when the person tries to go on, and goes on when there is', async () => {
    const { earlier, asked, shown, ends, reached } = startReading(20_000);
    await earlier.show(id, place(5_000));
    reached('earlier', 1_000);
    expect(shown).toHaveLength(1);
    reached('earlier', 1_000, { isPushed: true });
    reached('later', 9_990, { isPushed: true });
    ends.known = 12_000;
    reached('later', 9_990, { isPushed: true, isScreen: true });
    expect(shown.map(({ news }) => news)).toEqual([null, 'oldest', 'newest', 'screen']);
    reached('later', 9_990);
    await expect.poll(() => shown.at(-1)?.news).toBe('later');
    expect(asked).toEqual([5_000, 9_990]);
  });

  it('that cannot be read on is told once', async () => {
    const { earlier, asked, problems, shown, reached } = startReading();
    await earlier.show(id, place(4_400));
    reached('earlier', 4_321);
    await expect.poll(() => problems).toEqual(['Earlier output could not be read. the disk is gone']);
    reached('earlier', 4_321);
    expect([asked, shown.length]).toEqual([[4_400, 4_321], 1]);
  });

  it('that could not be read is not told of once something else is to be seen', async () => {
    const { earlier, asked, problems, reached } = startReading();
    const outcomes = await Promise.all([earlier.show(id, place(4_321)), earlier.show(id, place(4_400))]);
    expect(outcomes).toEqual(['late', 'shown']);
    const elsewhere = earlier.show(id, place(4_500));
    reached('earlier', 4_321);
    await elsewhere;
    reached('earlier', 4_321);
    earlier.back(id);
    const late = earlier.show(id, place(4_321));
    earlier.back(id);
    expect([await late, asked, problems]).toEqual(['late', [4_321, 4_400, 4_500, 4_321, 4_321, 4_321], []]);
    await expect(earlier.show(id, place(4_321))).rejects.toThrow('the disk is gone');
  });

  it('is shown where it was asked for last, and not where it is gone', async () => {
    const { earlier } = startReading();
    const shown = (): number | undefined => earlier.store.getState().get(id)?.target.offset;
    const outcomes = await Promise.all([earlier.show(id, place(5_001)), earlier.show(id, place(5_002))]);
    expect([outcomes, shown()]).toEqual([['late', 'shown'], 5_002]);
    expect(await earlier.show(id, place(10_001))).toBe('gone');
    expect(earlier.back(id)).toBe(true);
    expect([shown(), earlier.back(id)]).toEqual([undefined, false]);
  });
});
