import { describe, expect, it } from 'vitest';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import { exampleSession } from '../testing/example-session.ts';
import { OUTPUT_LOST } from './pane-problem.ts';
import { TerminalDeck, type OpenTerminalRequest, type RevealOutcome } from './terminal-deck.ts';

/** A deck of terminals that only write down what happens to them. `reveal`: what the one that was opened as so manyth answers. */
function startDeck(reveal: (opened: number) => Promise<RevealOutcome> = () => Promise.resolve('shown')) {
  const opened: OpenTerminalRequest[] = [];
  const log: string[] = [];
  const views: string[] = [];
  const scrolled = new Map<SessionId, number>();
  const deck = new TerminalDeck<string>((request) => {
    const { id } = request.session;
    const own = opened.push(request);
    return {
      focus: () => log.push(`focus ${id}`),
      setLook: (look) => log.push(`${look} ${id}`),
      setKeyboard: (holder) => log.push(`keyboard of ${id} held by ${holder}`),
      setInView: (isInView) => views.push(`${isInView ? 'in view' : 'out of view'} ${id}`),
      setFitted: (isFitted) => log.push(`${isFitted ? 'fitted' : 'not fitted'} ${id}`),
      reveal: (offset) => {
        log.push(`reveal ${offset} of ${id}`);
        return reveal(own);
      },
      selectText: () => log.push(`select text of ${id}`),
      links: [],
      goToInput: (direction) => `${direction} input of ${id}`,
      pasteNow: (text) => log.push(`paste ${text} at once into ${id}`),
      paste: (text) => log.push(`paste ${text} into ${id}`),
      find: ({ text }, direction) => log.push(`find ${text} ${direction} in ${id}`) > 0,
      notShown: (hits) => hits.slice(1),
      setChildEnded: () => log.push(`child ended ${id}`),
      dispose: () => log.push(`dispose ${id}`),
      skippedAt: 7,
      text: `text of ${id}`,
      state: { screen: 'normal', rows: [], looks: [], cursor: { row: 0, col: 0 }, modes: {} },
      selection: `selection of ${id}`,
      selectAll: () => log.push(`select all of ${id}`),
      cursorHalf: 'upper',
      hasKeyboard: id === 's1',
      get linesFromBottom() {
        return scrolled.get(id) ?? 0;
      },
    };
  });
  const show = (session: SessionInfo): void => deck.show(session, {} as HTMLElement);
  /** Shows a session's pane in place of all others. */
  const showAlone = (session: SessionInfo): void => {
    for (const id of shown.splice(0)) {
      deck.hide(id);
    }
    shown.push(session.id);
    show(session);
  };
  const shown: SessionId[] = [];
  return { deck, opened, log, views, scrolled, show, showAlone };
}

const session = (number: number): SessionInfo => exampleSession({ id: `s${number}` });
const idOf = (number: number): SessionId => session(number).id;

describe('a paste that is held back', () => {
  it('is typed by the answer to it, once, or forgotten, also with the end of its program', () => {
    const { deck, show, opened, log } = startDeck();
    show(session(1));
    log.splice(0);
    opened[0]?.onPasteHeld('one\ntwo');
    expect([...deck.heldPastes.getState()]).toEqual([[idOf(1), 'one\ntwo']]);
    deck.answerPaste(idOf(1), 'paste');
    deck.answerPaste(idOf(1), 'paste');
    opened[0]?.onPasteHeld('three\nfour');
    deck.answerPaste(idOf(1), 'forget');
    opened[0]?.onPasteHeld('five\nsix');
    deck.childEnded(idOf(1));
    expect(deck.heldPastes.getState().size).toBe(0);
    expect(log).toEqual(['paste one\ntwo at once into s1', 'child ended s1']);
  });
});

describe('a place in the output', () => {
  it('is looked for anew in the terminal that takes the place of one that is too far behind', async () => {
    const { deck, show, opened, log } = startDeck(async (own) => {
      if (own === 1) {
        opened[0]?.onStale();
      }
      return own === 1 ? 'not-drawn' : 'shown';
    });
    show(session(1));
    expect(await deck.reveal(idOf(1), 70)).toBe('shown');
    expect(log.filter((line) => line.startsWith('reveal'))).toEqual(['reveal 70 of s1', 'reveal 70 of s1']);
    expect(opened).toHaveLength(2);
  });

  it('is not there where a terminal is not drawn, and gone where there is none', async () => {
    const { deck, show } = startDeck(() => Promise.resolve('not-drawn'));
    show(session(1));
    expect([await deck.reveal(idOf(1), 70), await deck.reveal(idOf(2), 70)]).toEqual(['not-drawn', 'gone']);
  });
});

describe('a window that is minimised', () => {
  it('gives the terminals in its panes no output until it is there again, nor one that comes meanwhile', () => {
    const { deck, show, views } = startDeck();
    show(session(1));
    show(session(2));
    deck.hide(idOf(2));
    views.splice(0);
    deck.setWindowVisible(false);
    deck.setWindowVisible(false);
    show(session(3));
    show(session(2));
    expect(views.splice(0)).toEqual(['out of view s1', 'out of view s3', 'out of view s2']);
    deck.hide(idOf(3));
    views.splice(0);
    deck.setWindowVisible(true);
    expect(views).toEqual(['in view s1', 'in view s2']);
  });
});

describe('the scale of a terminal', () => {
  it('is told while it is another than the usual one', () => {
    const { deck, show, opened } = startDeck();
    show(session(1));
    opened[0]?.onScale(0.75);
    expect([...deck.scales.getState()]).toEqual([[idOf(1), 0.75]]);
    opened[0]?.onScale(1);
    expect(deck.scales.getState().size).toBe(0);
    opened[0]?.onScale(0.75);
    deck.discard(idOf(1));
    expect(deck.scales.getState().size).toBe(0);
  });
});

describe('the input that the person goes to', () => {
  it('is told until she leaves it or the terminal goes', () => {
    const { deck, show, opened } = startDeck();
    show(session(1));
    deck.goToInput(idOf(1), 'previous');
    deck.goToInput(idOf(2), 'previous');
    expect([...deck.inputNotes.getState()]).toEqual([[idOf(1), 'previous input of s1']]);
    opened[0]?.onInputNote('it has grown');
    expect([...deck.inputNotes.getState().values()]).toEqual(['it has grown']);
    opened[0]?.onInputNote(null);
    expect(deck.inputNotes.getState().size).toBe(0);
    deck.goToInput(idOf(1), 'next');
    deck.discard(idOf(1));
    expect(deck.inputNotes.getState().size).toBe(0);
  });
});

describe('what is left out of a terminal', () => {
  it('is summed up until the person puts it away or the terminal goes', () => {
    const { deck, show, opened } = startDeck();
    show(session(1));
    opened[0]?.onSkipped(2_000);
    opened[0]?.onSkipped(500);
    expect([...deck.skipped.getState()]).toEqual([[idOf(1), 2_500]]);
    deck.putSkippedAway(idOf(1));
    expect(deck.skipped.getState().size).toBe(0);
    opened[0]?.onSkipped(7);
    deck.discard(idOf(1));
    expect(deck.skipped.getState().size).toBe(0);
  });
});

describe('the deck', () => {
  it('opens a terminal once, however often it is shown', () => {
    const { show, opened } = startDeck();
    show(session(1));
    show(session(1));
    expect(opened).toHaveLength(1);
  });

  it('keeps eight, and lets the least recently shown make room', () => {
    const { deck, showAlone, log, opened } = startDeck();
    for (let number = 1; number <= 8; number += 1) {
      showAlone(session(number));
    }
    showAlone(session(1));
    showAlone(session(9));
    expect(log).toEqual(['dispose s2']);
    expect([deck.text(idOf(1)), deck.text(idOf(2))]).toEqual(['text of s1', null]);
    showAlone(session(2));
    expect(log).toEqual(['dispose s2', 'dispose s3']);
    expect(opened.at(-1)?.session.id).toBe('s2');
  });

  it('takes no terminal from a pane in view for one that comes into view: a ninth waits until one goes', () => {
    const { deck, show, log, opened } = startDeck();
    for (let number = 1; number <= 9; number += 1) {
      show(session(number));
    }
    expect(log).toEqual([]);
    expect([...deck.waiting.getState()]).toEqual(['s9']);
    show(session(9));
    expect([...deck.waiting.getState()]).toEqual(['s9']);
    deck.hide(idOf(4));
    expect(log).toEqual(['dispose s4']);
    expect([opened.at(-1)?.session.id, [...deck.waiting.getState()]]).toEqual(['s9', []]);
  });

  it('shows a waiting one on demand, in place of that which had the keyboard the longest time ago', () => {
    const { deck, show, log, opened } = startDeck();
    for (let number = 1; number <= 9; number += 1) {
      show(session(number));
    }
    deck.focus(idOf(1));
    deck.showInstead(idOf(9));
    expect(log).toEqual(['focus s1', 'dispose s2']);
    expect([opened.at(-1)?.session.id, [...deck.waiting.getState()]]).toEqual(['s9', ['s2']]);
    deck.discard(idOf(3));
    expect([opened.at(-1)?.session.id, [...deck.waiting.getState()]]).toEqual(['s2', []]);
  });

  it('remembers how far a terminal that made room was scrolled up', () => {
    const { showAlone, scrolled, opened } = startDeck();
    showAlone(session(1));
    scrolled.set(idOf(1), 37);
    for (let number = 2; number <= 9; number += 1) {
      showAlone(session(number));
    }
    showAlone(session(1));
    expect(opened.at(-1)?.linesFromBottom).toBe(37);
  });

  it('tells of a problem until the terminal is built anew or gone', () => {
    const { deck, show, opened, log } = startDeck();
    show(session(1));
    opened[0]?.onProblem(OUTPUT_LOST);
    expect([...deck.problems.getState()]).toEqual([['s1', OUTPUT_LOST]]);
    deck.retry(session(1));
    expect([...deck.problems.getState()]).toEqual([]);
    expect(log).toEqual(['dispose s1', 'focus s1']);
    opened[1]?.onProblem(OUTPUT_LOST);
    deck.discard(idOf(1));
    expect([...deck.problems.getState()]).toEqual([]);
  });

  it('passes on to live terminals only', () => {
    const { deck, show, log } = startDeck();
    show(session(1));
    deck.setLook('dark');
    deck.childEnded(idOf(1));
    deck.childEnded(idOf(2));
    expect(log).toEqual(['dark s1', 'child ended s1']);
    expect([deck.selection(idOf(1)), deck.selection(idOf(2))]).toEqual(['selection of s1', '']);
  });

  it('tells a terminal when it goes out of view and comes back', () => {
    const { deck, showAlone, show, views } = startDeck();
    showAlone(session(1));
    showAlone(session(2));
    expect(views).toEqual(['out of view s1']);
    show(session(1));
    show(session(1));
    deck.hide(idOf(2));
    deck.hide(idOf(2));
    expect(views.slice(1)).toEqual(['in view s1', 'out of view s2']);
  });

  it('builds a terminal anew that is too far behind, with its place, its paste and the keyboard', () => {
    const { deck, show, opened, log, scrolled } = startDeck();
    show(session(1));
    scrolled.set(idOf(1), 12);
    opened[0]?.onPasteHeld('one\ntwo');
    opened[0]?.onSkipped(5);
    deck.hide(idOf(1));
    const ended = { ...session(1), title: 'another title' };
    show(ended);
    opened[0]?.onStale();
    expect(log).toEqual(['dispose s1', 'focus s1']);
    expect(opened[1]).toMatchObject({ session: ended, linesFromBottom: 12 });
    expect([...deck.heldPastes.getState().values()]).toEqual(['one\ntwo']);
    expect(deck.skipped.getState().size).toBe(0);
  });

  it('gives up one that is too far behind and out of view again, until it is shown', () => {
    const { deck, show, opened, log } = startDeck();
    show(session(2));
    deck.hide(idOf(2));
    opened[0]?.onStale();
    expect([log, deck.text(idOf(2))]).toEqual([['dispose s2'], null]);
    show(session(2));
    expect(opened).toHaveLength(2);
  });

  it('leaves nothing open', () => {
    const { deck, show, log } = startDeck();
    show(session(1));
    show(session(2));
    deck.dispose();
    expect(log).toEqual(['dispose s1', 'dispose s2']);
  });

  it('fits an agent’s terminal again that was built anew, until it is told otherwise', () => {
    const { deck, show, log } = startDeck();
    show(session(1));
    deck.setFitted(idOf(1), true);
    deck.setFitted(idOf(1), true);
    deck.retry(session(1));
    deck.setFitted(idOf(1), false);
    expect(log).toEqual(['fitted s1', 'dispose s1', 'fitted s1', 'focus s1', 'not fitted s1']);
  });

  it('tells a terminal who holds the keyboard, and none of a session that has none', () => {
    const { deck, show, log } = startDeck();
    show(session(1));
    deck.keyboardHeld(idOf(1), 'agent');
    deck.keyboardHeld(idOf(2), 'agent');
    expect(log).toEqual(['keyboard of s1 held by agent']);
  });
});

describe('a text that is looked for', () => {
  it('is looked for in the next terminal of its session as well, as long as it is wanted', () => {
    const { deck, show, log } = startDeck();
    const wanted = { text: 'error', matchCase: false, wholeWord: false };
    deck.find(idOf(1), wanted, 'older');
    show(session(1));
    show(session(2));
    deck.retry(session(1));
    deck.find(idOf(1), { ...wanted, text: '' }, 'older');
    deck.retry(session(1));
    expect(log.filter((line) => line.startsWith('find'))).toEqual([
      'find error older in s1',
      'find error older in s1',
      'find  older in s1',
    ]);
  });
});
