import { FitAddon } from '@xterm/addon-fit';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/xterm';
import type { WindowApi } from '../../shared/ipc.ts';
import type { SessionInfo } from '../../shared/session.ts';
import { isAppKey } from '../app-keys.ts';
import { muteAnswers } from '../mute-answers.ts';
import { ShownPlace } from '../shown-place.ts';
import { lookOptions, type TerminalLook } from '../terminal-appearance.ts';
import { installLinks } from '../terminal-links.ts';
import { terminalOptions } from '../terminal-options.ts';
import { withShownSelection } from '../terminal-search.ts';
import type { EarlierScreen, EarlierTarget, EarlierView } from './earlier-outputs.ts';
import { replayStretch, type DrawnPlace } from './stretch-replay.ts';

export interface EarlierTerminalOptions {
  readonly session: SessionInfo;
  /** Laid out and visible. */
  readonly host: HTMLElement;
  readonly look: TerminalLook;
  readonly platform: WindowApi['platform'];
  readonly openLink: (url: string) => void;
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
  /** The replay that runs, told from the ones before it. */
  #turn = 0;
  #keepsRows = false;

  constructor(options: EarlierTerminalOptions) {
    const { session, host, look } = options;
    this.#options = options;
    this.#terminal = new Terminal({ ...terminalOptions(session, look), ...quietOptions(look) });
    this.#terminal.loadAddon(new Unicode11Addon());
    this.#terminal.unicode.activeVersion = '11';
    this.#terminal.loadAddon(this.#fit);
    muteAnswers(this.#terminal);
    // A program's wish for the clipboard was heard when it came.
    this.#terminal.parser.registerOscHandler(52, () => true);
    this.#place = new ShownPlace(this.#terminal);
    installLinks({ ...options, terminal: this.#terminal });
    this.#terminal.attachCustomKeyEventHandler((event) => this.#takesKey(event));
    this.#terminal.open(host);
    host.dataset['input'] = 'off';
    const { textarea } = this.#terminal;
    if (textarea !== undefined) {
      textarea.readOnly = true;
      textarea.setAttribute('aria-label', 'Earlier output');
    }
    this.#box = new ResizeObserver(() => this.#fillPane());
    this.#box.observe(host);
  }

  get selection(): string {
    return this.#terminal.getSelection();
  }

  focus(): void {
    this.#terminal.focus();
  }

  setLook(look: TerminalLook): void {
    this.#terminal.options = { ...lookOptions(look), ...quietOptions(look) };
    this.#fillPane();
  }

  show(view: EarlierView): void {
    this.#turn += 1;
    void this.#replay(view, this.#turn);
  }

  dispose(): void {
    this.#turn += 1;
    this.#box.disconnect();
    this.#terminal.dispose();
    delete this.#options.host.dataset['input'];
  }

  async #replay(view: EarlierView, turn: number): Promise<void> {
    const { target } = view;
    const isEnded = (): boolean => turn !== this.#turn;
    delete this.#options.host.dataset['shown'];
    if (this.#options.session.backend === 'pipe') {
      this.#keepsRows = false;
      this.#fillPane();
    }
    let place = await replayStretch(this.#terminal, view, { stopsAtPlace: false, isEnded });
    if (place !== null && !this.#isDrawn(place, target)) {
      // Drawn over since: the screen as it was then.
      place = await replayStretch(this.#terminal, view, { stopsAtPlace: true, isEnded });
    }
    if (place !== null) {
      this.#keepsRows = this.#terminal.buffer.active.type === 'alternate';
      this.#fillPane();
      this.#showPlace(place, target);
      this.#options.host.dataset['shown'] = String(target.offset);
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

  #showPlace({ line, column, cells }: DrawnPlace, { match, at }: EarlierTarget): void {
    const { rows } = this.#terminal;
    if (line === null) {
      // Its line was cleared away.
      this.#terminal.scrollToTop();
      return;
    }
    if (match === null) {
      this.#place.show(line);
    } else {
      this.#terminal.select(column, line, Math.max(1, cells));
    }
    const above = { top: 0, middle: Math.floor(rows / 2), bottom: rows - 1 }[at];
    this.#terminal.scrollToLine(Math.max(0, line - above));
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
      const top = buffer.active.viewportY;
      this.#terminal.resize(wanted, proposed.rows);
      this.#terminal.scrollToLine(top);
    }
  }

  /** Answers whether xterm deals with it: no key types anything here. */
  #takesKey(event: KeyboardEvent): boolean {
    const scroll = this.#scrollOf(event.key);
    if (event.type === 'keydown' && scroll !== undefined && !isAppKey(event, this.#options.platform)) {
      event.preventDefault();
      scroll();
    }
    return false;
  }

  #scrollOf(key: string): (() => void) | undefined {
    const scrolls: Readonly<Record<string, () => void>> = {
      ArrowUp: () => this.#terminal.scrollLines(-1),
      ArrowDown: () => this.#terminal.scrollLines(1),
      PageUp: () => this.#terminal.scrollPages(-1),
      PageDown: () => this.#terminal.scrollPages(1),
      Home: () => this.#terminal.scrollToTop(),
      End: () => this.#terminal.scrollToBottom(),
    };
    return scrolls[key];
  }
}

function quietOptions(
  look: TerminalLook,
): Pick<Terminal['options'], 'scrollback' | 'disableStdin' | 'cursorBlink' | 'theme'> {
  return { scrollback: SCROLLBACK, disableStdin: true, cursorBlink: false, theme: withShownSelection(look.theme) };
}
