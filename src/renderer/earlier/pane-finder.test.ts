import { describe, expect, it } from 'vitest';
import type { SearchRequest } from '../../shared/ipc.ts';
import type { OutputHit, OutputSearchStep } from '../../shared/output-search.ts';
import type { SessionId } from '../../shared/session.ts';
import { exampleSession } from '../testing/example-session.ts';
import { EarlierOutputs } from './earlier-outputs.ts';
import { EarlierSearch } from './earlier-search.ts';
import { findWords, goneWords } from './find-words.ts';
import { PaneFinder } from './pane-finder.ts';

const { id } = exampleSession();
const needle = { text: 'needle', matchCase: false, wholeWord: false };

const hitAt = (offset: number): OutputHit => ({
  ...{ lineOffset: offset, offset, endOffset: offset + 6, line: `needle ${offset}`, column: 0, length: 6, atMs: 0 },
});

const END = 10_000;

const step = (hits: readonly number[], more: Partial<OutputSearchStep> = {}): OutputSearchStep => ({
  ...{ hits: hits.map(hitAt), nextBefore: null, isCut: false, goneBytes: 0, keptFrom: 0, endOffset: END },
  ...more,
});

/** A finder beside a pane whose terminal has all from `shownFrom` on, with so many matches to go back before its end. */
function startFinder(answers: readonly (OutputSearchStep | Promise<OutputSearchStep>)[]) {
  const pane = { shownFrom: 9_000, matches: 1 };
  const asked: SearchRequest[] = [];
  const finds: string[] = [];
  const problems: string[] = [];
  const earlier = new EarlierOutputs<string>({
    load: async (_id: SessionId, offset) => ({
      parts: [{ offset, bytes: new Uint8Array(1), size: null }],
      startOffset: offset,
      endOffset: offset + 1,
      atMs: null,
      modes: '',
      rendition: '',
      keptFrom: 0,
      outputEnd: 30_000,
    }),
    open: () => {
      throw new Error('nothing is drawn here');
    },
  });
  const search = new EarlierSearch({
    search: async (_id, request) => {
      asked.push(request);
      const answer = await answers[asked.length - 1];
      if (answer === undefined) {
        throw new Error('the disk is gone');
      }
      return answer;
    },
  });
  let left = 0;
  const finder = new PaneFinder({
    panes: {
      find: (_id, { text }, direction) => {
        finds.push(`${direction} ${text}`);
        left = finds.length === 1 ? pane.matches : left - (direction === 'older' ? 1 : -1);
        return left > 0;
      },
      notShown: (_id, hits) => hits.filter(({ offset }) => offset < pane.shownFrom),
    },
    search,
    earlier,
    onProblem: (sentence) => problems.push(sentence),
  });
  const shown = (): number | undefined => earlier.store.getState().get(id)?.target.offset;
  const found = { index: 0, count: 1 };
  return {
    pane,
    asked,
    finds,
    problems,
    finder,
    earlier,
    shown,
    words: () => findWords(found, finder.store.getState()),
  };
}

describe('finding in a pane and in what has left it', () => {
  it('goes on from the oldest match of the pane to the earlier ones, newest first, and back', async () => {
    const { finder, shown, words, finds } = startFinder([step([9_500, 700, 300])]);
    finder.look(id, needle);
    await expect.poll(words).toBe('1 of 1 · 2 earlier');
    finder.step('older');
    await expect.poll(shown).toBe(700);
    expect(words()).toBe('earlier: 1 of 2');
    // The pane stands where it stood.
    expect(finds).toEqual(['older needle', 'older needle', 'newer needle']);
    finder.step('older');
    await expect.poll(shown).toBe(300);
    finder.step('older');
    finder.step('newer');
    await expect.poll(shown).toBe(700);
    finder.step('newer');
    expect([shown(), words()]).toEqual([undefined, '1 of 1 · 2 earlier']);
  });

  it('shows the first earlier hit as soon as it is found, when that is waited for', async () => {
    let answer = (_step: OutputSearchStep): void => undefined;
    const first = new Promise<OutputSearchStep>((resolve) => (answer = resolve));
    const { finder, shown, words, asked } = startFinder([first, step([100])]);
    finder.look(id, needle);
    finder.step('older');
    await expect.poll(() => asked.length).toBe(1);
    answer(step([], { nextBefore: 6_000 }));
    await expect.poll(shown).toBe(100);
    expect(asked.map(({ before }) => before)).toEqual([null, 6_000]);
    expect(words()).toBe('earlier: 1 of 1');
  });

  it('tells how far it is, what it did not look for, and what is gone', async () => {
    let answer = (_step: OutputSearchStep): void => undefined;
    const second = new Promise<OutputSearchStep>((resolve) => (answer = resolve));
    const many = Array.from({ length: 1_000 }, (_none, index) => 5_000 - index);
    const { finder, words, earlier } = startFinder([step([8_000], { nextBefore: 6_400, goneBytes: 1_500 }), second]);
    finder.look(id, needle);
    expect(findWords(null, finder.store.getState())).toBe('searching…');
    await expect.poll(words).toBe('1 of 1 · 1 earlier · searching… 30 %');
    answer(step(many));
    await expect.poll(words).toBe('1 of 1 · more than 1,000 earlier');
    expect(goneWords(finder.store.getState())).toBe('1.5 kB of older output is no longer kept');
    finder.end(id);
    expect(findWords(null, finder.store.getState())).toBe('no match');
    expect(earlier.store.getState().size).toBe(0);
  });

  it('looks at what was printed since when it comes to the end of the pane again', async () => {
    const { finder, pane, shown, words, asked } = startFinder([
      step([9_500]),
      step([20_000], { endOffset: 30_000, keptFrom: 0 }),
    ]);
    finder.look(id, needle);
    await expect.poll(() => [asked.length, finder.store.getState().progress]).toEqual([1, null]);
    // A flood: all of that has left the pane.
    pane.shownFrom = 25_000;
    finder.panesChanged();
    expect(words()).toBe('1 of 1 · 1 earlier');
    finder.step('older');
    await expect.poll(words).toBe('earlier: 2 of 2');
    expect(asked.map(({ from }) => from)).toEqual([0, END]);
    finder.step('newer');
    await expect.poll(shown).toBe(20_000);
  });

  it('an older search that answers late changes nothing, and one that fails is told', async () => {
    let answer = (_step: OutputSearchStep): void => undefined;
    const late = new Promise<OutputSearchStep>((resolve) => (answer = resolve));
    const { finder, problems, asked, words } = startFinder([late]);
    finder.look(id, needle);
    await expect.poll(() => asked.length).toBe(1);
    finder.look(id, { ...needle, text: 'other' });
    answer(step([1, 2, 3]));
    await expect.poll(() => problems).toEqual(['Earlier output could not be searched. the disk is gone']);
    expect(words()).toBe('1 of 1');
  });
});

describe('output that has left its pane', () => {
  it('is shown where it was asked for last, and not where it is gone', async () => {
    const { earlier, shown } = startFinder([]);
    const place = (offset: number) => ({ offset, match: null, at: 'top' }) as const;
    const outcomes = await Promise.all([earlier.show(id, place(1)), earlier.show(id, place(2))]);
    expect([outcomes, shown()]).toEqual([['late', 'shown'], 2]);
    expect(await earlier.show(id, place(30_001))).toBe('gone');
    expect(earlier.back(id)).toBe(true);
    expect([shown(), earlier.back(id)]).toEqual([undefined, false]);
  });
});
