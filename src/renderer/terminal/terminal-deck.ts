import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../../shared/disposable.ts';
import type { FindQuery, OutputHit } from '../../shared/output-search.ts';
import type { ScreenState } from '../../shared/screen-state.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import type { PaneProblem, PaneProblems } from './pane-problem.ts';
import type { InputDirection } from './terminal-inputs.ts';
import type { FindDirection, FoundMatches } from './terminal-search.ts';

/**
 * Terminals kept alive at once. One with 5,000 lines costs some 10 MB whether it is in view or not; a dropped one is
 * back in under 100 ms, from what the host retains.
 */
const MAX_LIVE_TERMINALS = 8;

/**
 * `gone`: that place has left the terminal, or there is none. `not-drawn`: the terminal went out of view or went away before all
 * was drawn, or its output cannot be had.
 */
export type RevealOutcome = 'shown' | 'gone' | 'not-drawn';

/** What the deck needs of a terminal; `TerminalController` is the real one. */
export interface DeckTerminal<Look> extends Disposable {
  focus(): void;
  setLook(look: Look): void;
  setChildEnded(): void;
  setInView(isInView: boolean): void;
  setKeyboard(holder: SessionInfo['keyboard']): void;
  setFitted(isFitted: boolean): void;
  reveal(offset: number): Promise<RevealOutcome>;
  goToInput(direction: InputDirection): string;
  selectText(): void;
  paste(text: string): void;
  pasteNow(text: string): void;
  find(query: FindQuery, direction: FindDirection): boolean;
  notShown(hits: readonly OutputHit[], query: FindQuery): readonly OutputHit[];
  readonly skippedAt: number | null;
  readonly text: string;
  readonly state: ScreenState;
  readonly selection: string;
  selectAll(): void;
  readonly links: readonly string[];
  readonly linesFromBottom: number;
  readonly hasKeyboard: boolean;
  readonly cursorHalf: 'upper' | 'lower';
}

export interface OpenTerminalRequest {
  readonly session: SessionInfo;
  /** Laid out and visible: the terminal is opened in it at once. */
  readonly host: HTMLElement;
  /** Lines between the bottom and where the person had scrolled to, to go back there after the replay; 0 = bottom. */
  readonly linesFromBottom: number;
  /** A text that was to be pasted has several lines, each of which the program would take at once: see `pasteNow`. */
  readonly onPasteHeld: (text: string) => void;
  /** So many bytes are left out, since output came faster than it can be shown. */
  readonly onSkipped: (bytes: number) => void;
  /** Too much was printed while it was out of view to go on from there: another terminal is to take its place. */
  readonly onStale: () => void;
  /** The session's output cannot be shown (any more), and why. */
  readonly onProblem: (problem: PaneProblem) => void;
  /** What is to be told of the input that the person went to has changed; null: she has left it. */
  readonly onInputNote: (note: string | null) => void;
  /** The share of its font that it is drawn with, to be whole in its pane; 1 until it is told. */
  readonly onScale: (scale: number) => void;
  /** What is looked for was found, or is not there. */
  readonly onFound: (found: FoundMatches) => void;
}

/** A pane in view: whose it is, and where its terminal goes. */
interface ShownPane {
  readonly session: SessionInfo;
  readonly host: HTMLElement;
}

interface Card<Look> {
  readonly host: HTMLElement;
  readonly terminal: DeckTerminal<Look>;
}

/**
 * The live terminals, most recently shown last. The least recently shown of those out of view make room for new ones and
 * are built anew when they are shown again. When all are in view, a further pane stays without a terminal (`waiting`)
 * until one goes or the person asks for it. One out of view is given no output: it goes on from where it was, or is built
 * anew when too much is missing. Everything here is a view: no call of it reaches a child.
 */
export class TerminalDeck<Look> implements Disposable {
  readonly problems: StoreApi<PaneProblems> = createStore<PaneProblems>(() => new Map());
  /** What was found in which session's terminal. */
  readonly found: StoreApi<ReadonlyMap<SessionId, FoundMatches>> = createStore<ReadonlyMap<SessionId, FoundMatches>>(
    () => new Map(),
  );
  /** Of which sessions' output so many bytes are left out in their terminals, as far as the person has not put that away. */
  readonly skipped: StoreApi<ReadonlyMap<SessionId, number>> = createStore<ReadonlyMap<SessionId, number>>(
    () => new Map(),
  );
  /** Of the input that the person went to in which session's terminal: who put in what, and when. */
  readonly inputNotes: StoreApi<ReadonlyMap<SessionId, string>> = createStore<ReadonlyMap<SessionId, string>>(
    () => new Map(),
  );
  /** Which sessions' terminals are drawn smaller than usual, to be whole in their panes: the share of the font. */
  readonly scales: StoreApi<ReadonlyMap<SessionId, number>> = createStore<ReadonlyMap<SessionId, number>>(
    () => new Map(),
  );
  /** What was to be pasted into which session, and waits for the person's look at its lines. */
  readonly heldPastes: StoreApi<ReadonlyMap<SessionId, string>> = createStore<ReadonlyMap<SessionId, string>>(
    () => new Map(),
  );
  /** Sessions in view for which there is no terminal left. */
  readonly waiting: StoreApi<ReadonlySet<SessionId>> = createStore<ReadonlySet<SessionId>>(() => new Set());
  readonly #open: (request: OpenTerminalRequest) => DeckTerminal<Look>;
  readonly #cards = new Map<SessionId, Card<Look>>();
  /** What is in view, in the order in which it came. */
  readonly #panes = new Map<SessionId, ShownPane>();
  /** Where the person had scrolled to in a terminal that had to make room. */
  readonly #linesFromBottom = new Map<SessionId, number>();

  /** What is looked for in which session's terminal, also in the next one of that. */
  readonly #sought = new Map<SessionId, FindQuery>();
  /** Sessions of agents whose terminal is to have the size of its pane. */
  readonly #fitted = new Set<SessionId>();
  #isWindowVisible = true;

  constructor(open: (request: OpenTerminalRequest) => DeckTerminal<Look>) {
    this.#open = open;
  }

  /** Shows a session's terminal in its host element, which must be laid out, if there can be one more. */
  show(session: SessionInfo, host: HTMLElement): void {
    const isNew = !this.#panes.has(session.id);
    this.#panes.set(session.id, { session, host });
    if (this.#cards.has(session.id)) {
      if (isNew) {
        this.#renewTurn(session.id);
        this.#cards.get(session.id)?.terminal.setInView(this.#isWindowVisible);
      }
      return;
    }
    if (isNew) {
      this.#dealOrWait(session.id);
    }
  }

  /** A session's pane is out of view; its terminal lives on until another one needs the room. */
  hide(id: SessionId): void {
    if (this.#panes.delete(id)) {
      this.#cards.get(id)?.terminal.setInView(false);
    }
    this.#setWaiting(id, false);
    this.#dealToWaiting();
  }

  /** A minimised or hidden window shows nothing: its terminals are kept as those of hidden panes are. */
  setWindowVisible(isVisible: boolean): void {
    if (isVisible === this.#isWindowVisible) {
      return;
    }
    this.#isWindowVisible = isVisible;
    for (const id of this.#panes.keys()) {
      this.#cards.get(id)?.terminal.setInView(isVisible);
    }
  }

  /** Shows a waiting session's terminal, in place of that of the pane that was shown or focused the longest time ago. */
  showInstead(id: SessionId): void {
    if (!this.#panes.has(id) || this.#cards.has(id)) {
      return;
    }
    const [oldest] = this.#cards.keys();
    if (this.#cards.size >= MAX_LIVE_TERMINALS && oldest !== undefined) {
      this.#putAway(oldest);
      this.#setWaiting(oldest, this.#panes.has(oldest));
    }
    this.#dealOrWait(id);
  }

  /** Gives the session's terminal the keyboard, if it has one; it must be visible. */
  focus(id: SessionId): void {
    if (this.#cards.has(id)) {
      this.#renewTurn(id);
      this.#cards.get(id)?.terminal.focus();
    }
  }

  /** The person knows what is left out of a session's terminal. */
  putSkippedAway(id: SessionId): void {
    this.#setSkipped(id, 0);
  }

  /** Builds a session's terminal anew, after a problem. */
  retry(session: SessionInfo): void {
    const card = this.#cards.get(session.id);
    if (card === undefined) {
      return;
    }
    this.#drop(session.id);
    this.#cards.set(session.id, this.#deal(session, card.host));
    this.focus(session.id);
  }

  /** Forgets a session that is gone. */
  discard(id: SessionId): void {
    this.hide(id);
    this.#drop(id);
    this.#dealToWaiting();
    this.#linesFromBottom.delete(id);
    this.#fitted.delete(id);
    this.#sought.delete(id);
    this.#setFound(id, null);
  }

  /** Tells a session's terminal, if it has one, that there is nothing to type into any more. */
  childEnded(id: SessionId): void {
    this.#setHeldPaste(id, null);
    this.#cards.get(id)?.terminal.setChildEnded();
  }

  /** Tells a session's terminal who holds the keyboard. */
  keyboardHeld(id: SessionId, holder: SessionInfo['keyboard']): void {
    this.#cards.get(id)?.terminal.setKeyboard(holder);
  }

  /** Gives an agent's terminal the size of its pane from now on, or leaves it to the agent's again. */
  setFitted(id: SessionId, isFitted: boolean): void {
    if (isFitted === this.#fitted.has(id)) {
      return;
    }
    if (isFitted) {
      this.#fitted.add(id);
    } else {
      this.#fitted.delete(id);
    }
    this.#cards.get(id)?.terminal.setFitted(isFitted);
  }

  /** Scrolls a session's terminal to what was printed at an offset, once it is drawn; also one that is built anew meanwhile. */
  async reveal(id: SessionId, offset: number): Promise<RevealOutcome> {
    for (let asked: DeckTerminal<Look> | null = null; ;) {
      const terminal = this.#cards.get(id)?.terminal;
      if (terminal === undefined) {
        return 'gone';
      }
      if (terminal === asked) {
        return 'not-drawn';
      }
      const outcome = await terminal.reveal(offset);
      if (outcome !== 'not-drawn') {
        return outcome;
      }
      asked = terminal;
    }
  }

  /** Goes to the input before or after what is in view of a session's terminal. */
  goToInput(id: SessionId, direction: InputDirection): void {
    this.#setInputNote(id, this.#cards.get(id)?.terminal.goToInput(direction) ?? null);
  }

  /** Has keys select text of a session's terminal. */
  selectText(id: SessionId): void {
    this.#cards.get(id)?.terminal.selectText();
  }

  /** Addresses of the links in view of a session's terminal, the lowest first. */
  links(id: SessionId): readonly string[] {
    return this.#cards.get(id)?.terminal.links ?? [];
  }

  /** Types a text for the program of a live terminal, as a paste. */
  paste(id: SessionId, text: string): void {
    this.#cards.get(id)?.terminal.paste(text);
  }

  /** The person has looked at what was to be pasted: it is typed, or forgotten. */
  answerPaste(id: SessionId, answer: 'paste' | 'forget'): void {
    const text = this.heldPastes.getState().get(id);
    this.#setHeldPaste(id, null);
    if (text !== undefined && answer === 'paste') {
      this.#cards.get(id)?.terminal.pasteNow(text);
    }
  }

  /** Shows the next match in a session's terminal; an empty text ends the search. False where it came to the end. */
  find(id: SessionId, query: FindQuery, direction: FindDirection): boolean {
    if (query.text === '') {
      this.#sought.delete(id);
    } else {
      this.#sought.set(id, query);
    }
    return this.#cards.get(id)?.terminal.find(query, direction) ?? false;
  }

  /** Those of a session's hits that its terminal does not show; all where it has none. */
  notShown(id: SessionId, hits: readonly OutputHit[], query: FindQuery): readonly OutputHit[] {
    return this.#cards.get(id)?.terminal.notShown(hits, query) ?? hits;
  }

  /** Where the output begins that a session's terminal left out last; null when it left out none. */
  skippedAt(id: SessionId): number | null {
    return this.#cards.get(id)?.terminal.skippedAt ?? null;
  }

  /** Text of a live terminal; null for a session that has none now. */
  text(id: SessionId): string | null {
    return this.#cards.get(id)?.terminal.text ?? null;
  }

  /** The screen of a live terminal; null for a session that has none now. */
  state(id: SessionId): ScreenState | null {
    return this.#cards.get(id)?.terminal.state ?? null;
  }

  /** Selected text of a live terminal; empty when there is none. */
  selection(id: SessionId): string {
    return this.#cards.get(id)?.terminal.selection ?? '';
  }

  /** Selects all of a live terminal. */
  selectAll(id: SessionId): void {
    this.#cards.get(id)?.terminal.selectAll();
  }

  /** Which half of a live terminal's screen its cursor is in; null when there is none. */
  cursorHalf(id: SessionId): 'upper' | 'lower' | null {
    return this.#cards.get(id)?.terminal.cursorHalf ?? null;
  }

  /** Which half of what is in view of a live terminal its cursor is in; null when it is out of view. */
  shownCursorHalf(id: SessionId): 'upper' | 'lower' | null {
    return this.#cards.get(id)?.terminal.linesFromBottom === 0 ? this.cursorHalf(id) : null;
  }

  /** Gives all live terminals other colours. */
  setLook(look: Look): void {
    for (const { terminal } of this.#cards.values()) {
      terminal.setLook(look);
    }
  }

  dispose(): void {
    for (const id of [...this.#cards.keys()]) {
      this.discard(id);
    }
  }

  #deal(session: SessionInfo, host: HTMLElement): Card<Look> {
    const terminal = this.#open({
      session,
      host,
      linesFromBottom: this.#linesFromBottom.get(session.id) ?? 0,
      onPasteHeld: (text) => this.#setHeldPaste(session.id, text),
      onSkipped: (bytes) => this.#setSkipped(session.id, (this.skipped.getState().get(session.id) ?? 0) + bytes),
      onStale: () => this.#dealAnew(session.id),
      onProblem: (problem) => this.#setProblem(session.id, problem),
      onInputNote: (note) => this.#setInputNote(session.id, note),
      onScale: (scale) => this.#setScale(session.id, scale),
      onFound: (found) => this.#setFound(session.id, found),
    });
    if (this.#fitted.has(session.id)) {
      terminal.setFitted(true);
    }
    if (!this.#isWindowVisible) {
      terminal.setInView(false);
    }
    const sought = this.#sought.get(session.id);
    if (sought !== undefined) {
      terminal.find(sought, 'older');
    }
    return { host, terminal };
  }

  /** In view again, a terminal is too far behind: one that begins near the end takes its place. */
  #dealAnew(id: SessionId): void {
    const pane = this.#panes.get(id);
    const hasKeyboard = this.#cards.get(id)?.terminal.hasKeyboard ?? false;
    const heldPaste = this.heldPastes.getState().get(id) ?? null;
    this.#putAway(id);
    if (pane === undefined) {
      return;
    }
    this.#cards.set(id, this.#deal(pane.session, pane.host));
    this.#setHeldPaste(id, heldPaste);
    if (hasKeyboard) {
      this.focus(id);
    }
  }

  #dealOrWait(id: SessionId): void {
    const pane = this.#panes.get(id);
    const canDeal = this.#cards.size < MAX_LIVE_TERMINALS || this.#putHiddenAway();
    this.#setWaiting(id, !canDeal);
    if (canDeal && pane !== undefined) {
      this.#cards.set(id, this.#deal(pane.session, pane.host));
    }
  }

  #dealToWaiting(): void {
    const hasRoom = (): boolean =>
      this.#cards.size < MAX_LIVE_TERMINALS || [...this.#cards.keys()].some((id) => !this.#panes.has(id));
    for (const id of this.waiting.getState()) {
      if (hasRoom()) {
        this.#dealOrWait(id);
      }
    }
  }

  /** Answers whether there was one out of view that could make room. */
  #putHiddenAway(): boolean {
    const hidden = [...this.#cards.keys()].find((id) => !this.#panes.has(id));
    if (hidden === undefined) {
      return false;
    }
    this.#putAway(hidden);
    return true;
  }

  #putAway(id: SessionId): void {
    this.#linesFromBottom.set(id, this.#cards.get(id)?.terminal.linesFromBottom ?? 0);
    this.#drop(id);
  }

  #renewTurn(id: SessionId): void {
    const card = this.#cards.get(id);
    if (card !== undefined) {
      this.#cards.delete(id);
      this.#cards.set(id, card);
    }
  }

  #setWaiting(id: SessionId, isWaiting: boolean): void {
    const known = this.waiting.getState();
    if (known.has(id) === isWaiting) {
      return;
    }
    const waiting = new Set(known);
    if (isWaiting) {
      waiting.add(id);
    } else {
      waiting.delete(id);
    }
    this.waiting.setState(waiting, true);
  }

  #drop(id: SessionId): void {
    this.#cards.get(id)?.terminal.dispose();
    this.#cards.delete(id);
    this.#setHeldPaste(id, null);
    this.#setSkipped(id, 0);
    this.#setInputNote(id, null);
    this.#setScale(id, 1);
    this.#setProblem(id, null);
  }

  #setInputNote(id: SessionId, note: string | null): void {
    this.inputNotes.setState(withEntry(this.inputNotes.getState(), id, note), true);
  }

  #setScale(id: SessionId, scale: number): void {
    this.scales.setState(withEntry(this.scales.getState(), id, scale === 1 ? null : scale), true);
  }

  #setFound(id: SessionId, found: FoundMatches | null): void {
    this.found.setState(withEntry(this.found.getState(), id, found), true);
  }

  #setHeldPaste(id: SessionId, text: string | null): void {
    this.heldPastes.setState(withEntry(this.heldPastes.getState(), id, text), true);
  }

  #setSkipped(id: SessionId, bytes: number): void {
    this.skipped.setState(withEntry(this.skipped.getState(), id, bytes === 0 ? null : bytes), true);
  }

  #setProblem(id: SessionId, problem: PaneProblem | null): void {
    this.problems.setState(withEntry(this.problems.getState(), id, problem), true);
  }
}

/** The map with that value, or without one for null; the same one when it is so already. */
function withEntry<Value>(
  known: ReadonlyMap<SessionId, Value>,
  id: SessionId,
  value: Value | null,
): ReadonlyMap<SessionId, Value> {
  if ((known.get(id) ?? null) === value) {
    return known;
  }
  const next = new Map(known);
  if (value === null) {
    next.delete(id);
  } else {
    next.set(id, value);
  }
  return next;
}
