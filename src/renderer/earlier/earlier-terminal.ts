import { FitAddon } from '@xterm/addon-fit';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/xterm';
import type { WindowApi } from '../../shared/ipc.ts';
import type { FindQuery, OutputStretch } from '../../shared/output-search.ts';
import { setUpCells } from '../../shared/printed-cells.ts';
import type { SessionInfo } from '../../shared/session.ts';
import { CellOrder } from '../terminal/cell-order.ts';
import { KeyboardSelection } from '../terminal/keyboard-selection.ts';
import { muteAnswers } from '../terminal/mute-answers.ts';
import { hideCursor } from '../terminal/no-cursor.ts';
import { OutputPlaces } from '../terminal/output-places.ts';
import { ShownPlace } from '../terminal/shown-place.ts';
import { lookOptions, type TerminalLook } from '../terminal/terminal-appearance.ts';
import { installLinks, linksInView } from '../terminal/terminal-links.ts';
import { terminalOptions } from '../terminal/terminal-options.ts';
import { withShownSelection } from '../terminal/terminal-search.ts';
import { isAppKey } from '../window/app-keys.ts';
import type { EarlierScreen, EarlierTarget, EarlierView, ReachedEdge, ReadingDirection } from './earlier-outputs.ts';
import { FrozenPicture } from './frozen-picture.ts';
import { MatchMarks } from './match-marks.ts';
import { readingPlace, topLineFor, type ReadingPlace } from './reading-place.ts';
import { ScrollEdges } from './scroll-edges.ts';
import { replayStretch, type DrawnPlace } from './stretch-replay.ts';

export interface EarlierTerminalOptions {
  readonly session: SessionInfo;
  /** Laid out and visible. */
  readonly host: HTMLElement;
  readonly look: TerminalLook;
  readonly platform: WindowApi['platform'];
  readonly openLink: (url: string) => void;
  readonly copy: (text: string) => void;
  readonly onEdge: (edge: ReachedEdge) => void;
}

/** Lines kept above the screen: all that a stretch has, where they are not very short and wrapped. */
const SCROLLBACK = 12_000;

/** Smaller than this a pane is on its way in or out. */
const FEWEST_ROWS = 2;

/** A terminal that shows what was printed before, and takes nothing: no key, no answer, no bell, no title reaches anybody. */
export class EarlierTerminal implements EarlierScreen<TerminalLook> {
  readonly #options: EarlierTerminalOptions;
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #place: ShownPlace;
  readonly #box: ResizeObserver;
  readonly #places: OutputPlaces;
  readonly #marks: MatchMarks;
  readonly #edges: ScrollEdges;
  readonly #picture: FrozenPicture | null;
  readonly #cellOrder: CellOrder;
  readonly #selection: KeyboardSelection;
  #isSought = false;
  /** The replay that runs, told from the ones before it. */
  #turn = 0;
  #replays: Promise<void> = Promise.resolve();
  /** What is to be drawn, and what is. */
  #wanted: OutputStretch | null = null;
  #drawn: OutputStretch | null = null;
  #isDrawing = false;
  /** What comes later than the place was left out, since it was drawn over that. */
  #isScreen = false;
  #keepsRows = false;
  /** Scrolled by the person while it is drawn. */
  #owedLines = 0;

  constructor(options: EarlierTerminalOptions) {
    const { session, host, look } = options;
    this.#options = options;
    this.#terminal = new Terminal({ ...terminalOptions(session, look), ...quietOptions(look) });
    setUpCells(this.#terminal, new Unicode11Addon());
    this.#terminal.loadAddon(this.#fit);
    muteAnswers(this.#terminal);
    if (session.backend === 'pipe') {
      hideCursor(this.#terminal);
    }
    // A program's wish for the clipboard was heard when it came.
    this.#terminal.parser.registerOscHandler(52, () => true);
    this.#place = new ShownPlace(this.#terminal);
    this.#places = new OutputPlaces(this.#terminal);
    this.#marks = new MatchMarks(this.#terminal, look);
    installLinks({ ...options, terminal: this.#terminal });
    this.#selection = new KeyboardSelection({
      ...options,
      terminal: this.#terminal,
      onNote: (note) => this.#tellKeys(note),
    });
    this.#terminal.attachCustomKeyEventHandler((event) => !this.#selection.takes(event) && this.#takesKey(event));
    this.#terminal.open(host);
    this.#cellOrder = new CellOrder(this.#terminal);
    host.dataset['input'] = 'off';
    const { element } = this.#terminal;
    this.#picture = element === undefined ? null : new FrozenPicture(element);
    this.#edges = new ScrollEdges({
      terminal: this.#terminal,
      host,
      isDrawing: () => this.#isDrawing,
      onWheelMeanwhile: (pixels) => this.#turnedMeanwhile(pixels),
      onEdge: (direction, isPushed) => this.#reached(direction, isPushed),
    });
    this.#terminal.onScroll(() => this.#marks.scrolled());
    const { textarea } = this.#terminal;
    if (textarea !== undefined) {
      textarea.readOnly = true;
      textarea.setAttribute('aria-label', 'Earlier output');
    }
    this.#tellKeys(null);
    this.#hush();
    this.#box = new ResizeObserver(() => this.#roomChanged());
    this.#box.observe(host);
  }

  get selection(): string {
    return this.#terminal.getSelection();
  }

  selectAll(): void {
    this.#terminal.selectAll();
  }

  get links(): readonly string[] {
    return linksInView(this.#terminal);
  }

  selectText(): void {
    this.#selection.start();
  }

  focus(): void {
    this.#terminal.focus();
  }

  setLook(look: TerminalLook): void {
    this.#terminal.options = { ...lookOptions(look), ...quietOptions(look) };
    this.#marks.setLook(look);
    this.#hush();
    this.#roomChanged();
  }

  show(view: EarlierView): void {
    if (view.stretch === this.#wanted) {
      return;
    }
    this.#wanted = view.stretch;
    if (!view.keepsPlace) {
      // What was scrolled while another place was drawn.
      this.#owedLines = 0;
    }
    this.#turn += 1;
    const turn = this.#turn;
    // What was given to the terminal for the one before must not be drawn into this one.
    this.#replays = this.#replays.then(() => this.#replay(view, turn));
  }

  /** Marks where a text is from now on; null for none. */
  seek(query: FindQuery | null): void {
    this.#marks.seek(query);
    this.#isSought = query !== null;
    this.#tellKeys(null);
  }

  dispose(): void {
    this.#turn += 1;
    this.#box.disconnect();
    this.#edges.dispose();
    this.#marks.dispose();
    this.#picture?.dispose();
    this.#selection.dispose();
    this.#cellOrder.dispose();
    this.#terminal.dispose();
    delete this.#options.host.dataset['input'];
  }

  /** `note`: what else the keys do now. */
  #tellKeys(note: string | null): void {
    const steps = 'Enter goes to the older match, Shift+Enter to the newer one, Escape back';
    this.#terminal.textarea?.setAttribute('aria-description', note ?? (this.#isSought ? steps : 'Escape goes back'));
  }

  /** To a screen reader, xterm tells all that is written as news: here nothing is. Its rows can be read as anywhere. */
  #hush(): void {
    this.#terminal.element?.querySelector('.live-region')?.setAttribute('aria-live', 'off');
  }

  async #replay(view: EarlierView, turn: number): Promise<void> {
    const { target, stretch } = view;
    const isEnded = (): boolean => turn !== this.#turn;
    if (isEnded()) {
      return;
    }
    delete this.#options.host.dataset['shown'];
    const reading = view.keepsPlace ? this.#reading : [];
    const seenTo = reading.at(-1)?.offset ?? view.around;
    this.#isDrawing = true;
    if (this.#drawn !== null) {
      this.#picture?.freeze();
    }
    this.#marks.setCurrent(null);
    if (this.#options.session.backend === 'pipe') {
      this.#keepsRows = false;
      this.#fillPane();
    }
    const replay = (stopAt: number | null): Promise<DrawnPlace | null> =>
      replayStretch(this.#terminal, view, { stopAt, places: this.#places, isEnded });
    let place = await replay(null);
    this.#isScreen = false;
    const isSeen = (drawn: DrawnPlace): boolean =>
      view.keepsPlace ? this.#terminal.buffer.active.type === 'normal' : this.#isDrawn(drawn, target);
    if (place !== null && !isSeen(place)) {
      // Drawn over since: the screen as it was then.
      this.#isScreen = true;
      place = await replay(view.keepsPlace ? seenTo : (target.match?.endOffset ?? target.offset));
    }
    if (place === null) {
      return;
    }
    this.#keepsRows = this.#terminal.buffer.active.type === 'alternate';
    this.#fillPane();
    if (view.keepsPlace) {
      this.#showAgain(place, view, topLineFor(reading, this.#places));
    } else {
      this.#showPlace(place, target);
    }
    this.#drawn = stretch;
    this.#isDrawing = false;
    this.#scroll(this.#owedLines);
    this.#owedLines = 0;
    this.#marks.changed();
    this.#picture?.release();
    this.#options.host.dataset['shown'] = String(view.around);
  }

  /** What is in view, while it is not drawn anew. */
  get #reading(): ReadingPlace {
    return readingPlace(this.#terminal, this.#places);
  }

  /** What was read stands where it stood, and what was found is marked as before if it is still drawn. */
  #showAgain(place: DrawnPlace, { target, around }: EarlierView, topLine: number | null): void {
    this.#terminal.clearSelection();
    if (target.match !== null && this.#isDrawn(place, target)) {
      this.#setCurrent(place);
    }
    this.#scrollTo(topLine ?? this.#places.lineOf(around) ?? 0);
  }

  #setCurrent({ line, column, cells }: DrawnPlace): void {
    if (line !== null) {
      this.#terminal.select(column, line, Math.max(1, cells));
      this.#marks.setCurrent({ line, column, cells });
    }
  }

  /** Whether the place can be seen now that all of it was written. */
  #isDrawn({ line, column, cells, isOnOtherScreen }: DrawnPlace, { match }: EarlierTarget): boolean {
    if (match === null) {
      return !isOnOtherScreen;
    }
    if (line === null || isOnOtherScreen) {
      return false;
    }
    this.#terminal.select(column, line, cells);
    const wanted = match.line.slice(match.column, match.column + match.length);
    return this.#terminal.getSelection() === wanted;
  }

  #showPlace(place: DrawnPlace, { match, at }: EarlierTarget): void {
    const { rows } = this.#terminal;
    const { line } = place;
    if (line === null) {
      // Its line was cleared away.
      this.#scrollTo(0);
      return;
    }
    if (match === null) {
      this.#place.show(line);
    } else {
      this.#setCurrent(place);
    }
    const above = { top: 0, middle: Math.floor(rows / 2), bottom: rows - 1 }[at];
    this.#scrollTo(Math.max(0, line - above));
  }

  /** A replay must stay at the sizes that its output was made for; it fills the pane when it is through. */
  #roomChanged(): void {
    if (!this.#isDrawing) {
      this.#fillPane();
    }
  }

  /** As many rows as there is room for, but what was drawn as a screen keeps its own; on pipes the width, too. */
  #fillPane(): void {
    const { backend } = this.#options.session;
    const proposed = this.#fit.proposeDimensions();
    if (proposed === undefined || this.#keepsRows || !(proposed.rows >= FEWEST_ROWS)) {
      return;
    }
    const { cols, rows, buffer } = this.#terminal;
    const wanted = backend === 'pipe' && proposed.cols > 1 ? proposed.cols : cols;
    if (wanted !== cols || proposed.rows !== rows) {
      const reading = this.#isDrawing ? [] : this.#reading;
      const top = buffer.active.viewportY;
      this.#places.whileResizing(() => this.#terminal.resize(wanted, proposed.rows));
      this.#scrollTo(topLineFor(reading.slice(0, 1), this.#places) ?? top);
      this.#marks.changed();
    }
  }

  /** Answers whether xterm deals with it: no key types anything here. */
  #takesKey(event: KeyboardEvent): boolean {
    const lines = this.#linesOf(event);
    if (event.type === 'keydown' && lines !== undefined && !isAppKey(event, this.#options.platform)) {
      event.preventDefault();
      const direction = lines < 0 ? 'earlier' : 'later';
      const wasAtEdge = !this.#isDrawing && this.#edges.isAt(direction);
      this.#scroll(lines);
      if (wasAtEdge) {
        this.#reached(direction, true);
      }
    }
    return false;
  }

  #linesOf({ key }: KeyboardEvent): number | undefined {
    const page = this.#terminal.rows - 1;
    const lines: Readonly<Record<string, number>> = {
      ArrowUp: -1,
      ArrowDown: 1,
      PageUp: -page,
      PageDown: page,
      Home: Number.NEGATIVE_INFINITY,
      End: Number.POSITIVE_INFINITY,
    };
    return lines[key];
  }

  /** By so many lines, when it is drawn; without an end to the first or the last one. */
  #scroll(lines: number): void {
    if (this.#isDrawing) {
      this.#owedLines = Number.isFinite(lines) ? this.#owedLines + lines : lines;
    } else if (Number.isFinite(lines)) {
      this.#terminal.scrollLines(Math.trunc(lines));
    } else if (lines < 0) {
      this.#terminal.scrollToTop();
    } else {
      this.#terminal.scrollToBottom();
    }
  }

  /** After it was resized, xterm 6 scrolls from where its scroll bar stood before: what it comes to is put right. */
  #scrollTo(line: number): void {
    const { active } = this.#terminal.buffer;
    for (let tries = 0; tries < 3 && active.viewportY !== Math.min(line, active.baseY); tries += 1) {
      this.#terminal.scrollToLine(line);
    }
  }

  #turnedMeanwhile(pixels: number): void {
    const { clientHeight } = this.#options.host;
    this.#scroll((pixels * this.#terminal.rows) / Math.max(1, clientHeight));
  }

  #reached(direction: ReadingDirection, isPushed: boolean): void {
    const { active } = this.#terminal.buffer;
    // What a program drew as a screen is one picture: nothing of it is read on from.
    if (this.#isDrawing || this.#drawn === null || active.type === 'alternate') {
      return;
    }
    const row = direction === 'earlier' ? 0 : Math.min(this.#terminal.rows, active.length - active.viewportY) - 1;
    this.#options.onEdge({
      direction,
      offset: this.#places.placeAbove(active.viewportY + row)?.offset ?? null,
      isPushed,
      isScreen: this.#isScreen,
    });
  }
}

function quietOptions(
  look: TerminalLook,
): Pick<Terminal['options'], 'scrollback' | 'disableStdin' | 'cursorBlink' | 'theme'> {
  return { scrollback: SCROLLBACK, disableStdin: true, cursorBlink: false, theme: withShownSelection(look.theme) };
}
