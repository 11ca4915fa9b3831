import { describe, expect, it } from 'vitest';
import type { SearchRequest } from '../../shared/ipc.ts';
import type { OutputHit, OutputSearchStep } from '../../shared/output-search.ts';
import type { SessionId } from '../../shared/session.ts';
import { exampleSession } from '../testing/example-session.ts';
import { EarlierOutputs } from './earlier-outputs.ts';
import { EarlierSearch } from './earlier-search.ts';
import { findWords, goneWords } from './find-words.ts';
import { NO_MATCHES, PaneFinder } from './pane-finder.ts';

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
  const pane = { shownFrom: 9_000, matches: 1, keptFrom: 0 };
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
      keptFrom: pane.keptFrom,
      outputEnd: 30_000,
    }),
    open: () => {
      throw new Error('nothing is drawn here');
    },
    outputEnd: () => 30_000,
    onProblem: (sentence) => problems.push(sentence),
  });
  const searchOf = async (_id: SessionId, request: SearchRequest): Promise<OutputSearchStep> => {
    asked.push(request);
    const answer = await answers[asked.length - 1];
    if (answer === undefined) {
      throw new Error('the disk is gone');
    }
    return answer;
  };
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
    newSearch: () => new EarlierSearch({ search: searchOf }),
    earlier,
    onProblem: (sentence) => problems.push(sentence),
  });
  const shown = (): number | undefined => earlier.store.getState().get(id)?.target.offset;
  const found = { index: 0, count: 1 };
  const matches = (of = id) => finder.store.getState().get(of) ?? NO_MATCHES;
  return {
    pane,
    asked,
    finds,
    problems,
    finder,
    earlier,
    shown,
    matches,
    words: (of = id) => findWords(found, matches(of)),
  };
}

describe('what is told of matches', () => {
  const none = { count: 0, index: null, progress: null, isCut: false, goneBytes: 0 };

  it.each([
    ['those of the pane', { index: 2, count: 12 }, none, '3 of 12'],
    ['as many as are counted', { index: 999, count: 1_000 }, none, '1,000 of 1,000'],
    ['more than are counted', { index: 2, count: 1_001 }, none, '3 of more than 1,000'],
    ['one beyond those that are counted', { index: -1, count: 1_001 }, none, 'more than 1,000'],
    ['earlier ones', { index: 0, count: 1 }, { ...none, count: 1_204 }, '1 of 1 · 1,204 earlier'],
    ['one of many earlier ones', null, { ...none, count: 1_204, index: 2 }, 'earlier: 3 of 1,204'],
    ['one of too many', null, { ...none, count: 9_990, index: 2, isCut: true }, 'earlier: 3 of more than 9,990'],
    [
      'so many in the pane that none was looked for',
      { index: -1, count: 1_001 },
      { ...none, isCut: true },
      'more than 1,000 · more earlier',
    ],
  ])('says %s', (_what, found, earlier, words) => {
    expect(findWords(found, earlier)).toBe(words);
  });
});

describe('finding in a pane and in what has left it', () => {
  it('goes on from the oldest match of the pane to the earlier ones, newest first, and back', async () => {
    const { finder, shown, words, finds } = startFinder([step([9_500, 700, 300])]);
    finder.look(id, needle);
    await expect.poll(words).toBe('1 of 1 · 2 earlier');
    finder.step(id, 'older');
    await expect.poll(shown).toBe(700);
    expect(words()).toBe('earlier: 1 of 2');
    // The pane stands where it stood.
    expect(finds).toEqual(['older needle', 'older needle', 'newer needle']);
    finder.step(id, 'older');
    await expect.poll(shown).toBe(300);
    finder.step(id, 'older');
    finder.step(id, 'newer');
    await expect.poll(shown).toBe(700);
    finder.step(id, 'newer');
    expect([shown(), words()]).toEqual([undefined, '1 of 1 · 2 earlier']);
  });

  it('shows the first earlier hit as soon as it is found, when that is waited for', async () => {
    let answer = (_step: OutputSearchStep): void => undefined;
    const first = new Promise<OutputSearchStep>((resolve) => (answer = resolve));
    const { finder, shown, words, asked } = startFinder([first, step([100])]);
    finder.look(id, needle);
    finder.step(id, 'older');
    await expect.poll(() => asked.length).toBe(1);
    answer(step([], { nextBefore: 6_000 }));
    await expect.poll(shown).toBe(100);
    expect(asked.map(({ before }) => before)).toEqual([null, 6_000]);
    expect(words()).toBe('earlier: 1 of 1');
  });

  it('tells how far it is, what it did not look for, and what is gone', async () => {
    let answer = (_step: OutputSearchStep): void => undefined;
    const second = new Promise<OutputSearchStep>((resolve) => (answer = resolve));
    const many = Array.from({ length: 10_000 }, (_none, index) => 6_000 - index / 10);
    const { finder, words, earlier, matches } = startFinder([
      step([8_000], { nextBefore: 6_400, goneBytes: 1_500 }),
      second,
    ]);
    finder.look(id, needle);
    expect(findWords(null, matches())).toBe('searching…');
    await expect.poll(words).toBe('1 of 1 · 1 earlier · searching… 30% · oldest gone');
    answer(step(many));
    await expect.poll(words).toBe('1 of 1 · more than 10,000 earlier · oldest gone');
    expect(goneWords(matches())).toBe('1.5 kB of older output is no longer kept');
    finder.end(id);
    expect(findWords(null, matches())).toBe('no match');
    expect(earlier.store.getState().size).toBe(0);
  });

  it('looks again when a hit is gone to whose place is kept no more', async () => {
    const { finder, pane, words, problems } = startFinder([
      step([8_000, 100]),
      step([]),
      step([8_000], { keptFrom: 5_000, goneBytes: 5_000 }),
    ]);
    finder.look(id, needle);
    await expect.poll(words).toBe('1 of 1 · 2 earlier');
    pane.keptFrom = 8_500;
    finder.step(id, 'older');
    expect(words()).toBe('earlier: 1 of 2');
    await expect.poll(words).toBe('1 of 1 · 1 earlier · oldest gone');
    expect(problems).toEqual(['That place is no longer kept.']);
  });

  it('goes on before the oldest hit of a request that had more than it tells', async () => {
    const { finder, words, asked } = startFinder([
      step([8_000, 7_000], { isCut: true, nextBefore: null }),
      step([6_000]),
    ]);
    finder.look(id, needle);
    await expect.poll(words).toBe('1 of 1 · 3 earlier');
    expect(asked.map(({ before }) => before)).toEqual([null, 7_000]);
  });

  it('is left alone by the keys and the way back of another session', async () => {
    const { finder, shown, words, finds } = startFinder([step([700, 300])]);
    finder.look(id, needle);
    await expect.poll(words).toBe('1 of 1 · 2 earlier');
    finder.step(id, 'older');
    await expect.poll(shown).toBe(700);
    const before = [...finds];
    const other = exampleSession({ id: 'other' }).id;
    finder.cameBack(other);
    finder.step(other, 'older');
    finder.step(other, 'newer');
    expect([words(), shown(), finds]).toEqual(['earlier: 1 of 2', 700, before]);
    finder.step(id, 'older');
    await expect.poll(shown).toBe(300);
  });

  it('goes on in each session for itself, and one that ends leaves the others as they are', async () => {
    const { finder, shown, words, matches } = startFinder([step([700, 300]), step([]), step([800])]);
    const other = exampleSession({ id: 'other' }).id;
    finder.look(id, needle);
    await expect.poll(words).toBe('1 of 1 · 2 earlier');
    finder.step(id, 'older');
    await expect.poll(shown).toBe(700);
    finder.look(other, { ...needle, text: 'thread' });
    await expect.poll(() => words(other)).toBe('1 of 1 · 1 earlier');
    expect([words(), shown()]).toEqual(['earlier: 1 of 2', 700]);
    finder.end(other);
    expect([matches(other), words(), shown()]).toEqual([NO_MATCHES, 'earlier: 1 of 2', 700]);
    finder.look(other, { ...needle, text: '' });
    finder.step(id, 'older');
    await expect.poll(shown).toBe(300);
    expect(words()).toBe('earlier: 2 of 2');
  });

  it('looks at what was printed since when it comes to the end of the pane again', async () => {
    const { finder, pane, shown, words, asked, matches } = startFinder([
      step([9_500]),
      step([20_000], { endOffset: 30_000, keptFrom: 0 }),
    ]);
    finder.look(id, needle);
    await expect.poll(() => [asked.length, matches().progress]).toEqual([1, null]);
    // A flood: all of that has left the pane.
    pane.shownFrom = 25_000;
    finder.panesChanged([id]);
    expect(words()).toBe('1 of 1 · 1 earlier');
    finder.step(id, 'older');
    await expect.poll(words).toBe('earlier: 2 of 2');
    expect(asked.map(({ from }) => from)).toEqual([0, END]);
    finder.step(id, 'newer');
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
