import { FitAddon } from '@xterm/addon-fit';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal, type IMarker, type ITerminalOptions } from '@xterm/xterm';
import type { Disposable } from '../shared/disposable.ts';
import type { HostToPane, WindowApi } from '../shared/ipc.ts';
import { DEFAULT_TERMINAL_SIZE } from '../shared/limits.ts';
import { isLive, type SessionInfo, type TerminalSize } from '../shared/session.ts';
import { isAppKey } from './app-keys.ts';
import { failureText } from './host-client.ts';
import { muteAnswers } from './mute-answers.ts';
import { OutputPlaces } from './output-places.ts';
import { PaneStream } from './pane-stream.ts';
import { pasteText } from './paste-text.ts';
import { screenText } from './screen-text.ts';
import { lookOptions, type TerminalLook } from './terminal-appearance.ts';
import { TerminalHabits } from './terminal-habits.ts';
import { TerminalSearch, type FindDirection, type FoundMatches } from './terminal-search.ts';

/** Quiet time of the pane's box before a new size is asked for. Each one makes the program repaint (SIGWINCH). */
const RESIZE_QUIET_MS = 75;

/** Lines that are left above a place that is shown, for what led to it. */
const LINES_ABOVE_PLACE = 3;

/** Narrower or lower than this a pane is on its way in or out, and no child shall be told of it. */
const SMALLEST_FIT = { cols: 4, rows: 2 } as const;

export interface TerminalControllerOptions {
  readonly session: SessionInfo;
  /** Laid out and visible: the terminal is opened in it at once. */
  readonly host: HTMLElement;
  /** Attaches to the session. The signal is aborted when the terminal goes. */
  readonly openPort: (signal: AbortSignal) => Promise<MessagePort>;
  readonly openLink: (url: string) => void;
  readonly look: TerminalLook;
  readonly platform: WindowApi['platform'];
  readonly copy: (text: string) => void;
  /** Makes the sound of a bell. */
  readonly ring: () => void;
  /** Lines between the bottom and where the person had scrolled to, to go back there after the replay; 0 = bottom. */
  readonly linesFromBottom: number;
  /** Everything up to this offset of the session's output is on the screen. Called for each message. */
  readonly onProgress: (endOffset: number) => void;
  /** The session's output cannot be shown (any more), and why. */
  readonly onProblem: (sentence: string) => void;
  /** What is looked for was found, or is not there. */
  readonly onFound: (found: FoundMatches) => void;
}

/**
 * One session's terminal: owns the xterm and the port, from opening to disposal. It is a view, so throwing it away loses
 * nothing; another one is given the retained output again.
 *
 * A person's session takes the size of its pane. An agent's keeps the size that the agent gave it, however large the
 * pane, until the person asks for another: nobody's program is repainted because somebody looks. Pipes have no size, so their lines wrap at the pane.
 */
export class TerminalController implements Disposable {
  readonly #options: TerminalControllerOptions;
  readonly #host: HTMLElement;
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #places: OutputPlaces;
  readonly #search: TerminalSearch;
  readonly #habits: TerminalHabits;
  #shownPlace: IMarker | null = null;
  readonly #gone = new AbortController();
  readonly #boxObserver: ResizeObserver;
  readonly #onPaste = (event: ClipboardEvent): void => this.#paste(event);
  readonly #onInput = (event: Event): void => this.#clearPasted(event);
  #stream: PaneStream | null = null;
  #fitTimer: ReturnType<typeof setTimeout> | undefined;
  #requestedSize: TerminalSize | null = null;
  /** The person wants an agent's terminal to have the size of its pane. */
  #isFitted = false;
  #keyboard: SessionInfo['keyboard'];
  /** The retained output is on the screen. */
  #isCaughtUp = false;
  #childRuns: boolean;
  #outputEnded = false;

  constructor(options: TerminalControllerOptions) {
    this.#options = options;
    this.#host = options.host;
    this.#childRuns = isLive(options.session.state);
    this.#keyboard = options.session.keyboard;
    this.#terminal = new Terminal(terminalOptions(options));
    this.#places = new OutputPlaces(this.#terminal);
    this.#terminal.loadAddon(this.#fit);
    // Widths must be right before the first byte is parsed, or wide characters are baked in wrong.
    this.#terminal.loadAddon(new Unicode11Addon());
    this.#terminal.unicode.activeVersion = '11';
    muteAnswers(this.#terminal);
    this.#search = new TerminalSearch(this.#terminal, options.look, options.onFound);
    this.#habits = new TerminalHabits({
      ...options,
      terminal: this.#terminal,
      isLive: () => this.#isCaughtUp,
    });
    this.#setUpLinks();
    this.#terminal.attachCustomKeyEventHandler((event) => !this.#isForTheApp(event));
    this.#terminal.open(this.#host);
    this.#showInputState();
    this.#terminal.textarea?.setAttribute('aria-description', 'Control+F6 leaves the terminal');
    // Before xterm's own listeners, which would paste as it is.
    this.#host.addEventListener('paste', this.#onPaste, { capture: true });
    this.#host.addEventListener('input', this.#onInput);
    this.#boxObserver = new ResizeObserver(() => this.#fitSoon());
    this.#boxObserver.observe(this.#host);
    if (this.#fitsLocally) {
      this.#fitNow();
    }
    void this.#attach();
  }

  /** Gives this terminal the keyboard. */
  focus(): void {
    this.#terminal.focus();
  }

  /** The selected text; empty when nothing is selected. */
  get selection(): string {
    return this.#terminal.getSelection();
  }

  /** Lines between the bottom of the buffer and the part in view. */
  get linesFromBottom(): number {
    const { baseY, viewportY } = this.#terminal.buffer.active;
    return baseY - viewportY;
  }

  /** Which half of the screen the cursor is in. */
  get cursorHalf(): 'upper' | 'lower' {
    const { cursorY } = this.#terminal.buffer.active;
    return cursorY < this.#terminal.rows / 2 ? 'upper' : 'lower';
  }

  /** All text of the terminal, see `screenText`. */
  get text(): string {
    return screenText(this.#terminal.buffer.active);
  }

  /** Cells that would fill the host element; null while it has no box. */
  get proposedSize(): TerminalSize | null {
    if (this.#host.clientWidth === 0 || this.#host.clientHeight === 0) {
      return null;
    }
    const proposed = this.#fit.proposeDimensions();
    if (proposed === undefined || proposed.cols < SMALLEST_FIT.cols || proposed.rows < SMALLEST_FIT.rows) {
      return null;
    }
    return { cols: proposed.cols, rows: proposed.rows };
  }

  /** Scrolls to what was printed at an offset, and marks the line. Answers whether it is still there. */
  reveal(offset: number): boolean {
    const line = this.#places.lineOf(offset);
    if (line === null) {
      return false;
    }
    const { baseY, cursorY } = this.#terminal.buffer.active;
    this.#shownPlace?.dispose();
    this.#shownPlace = this.#terminal.registerMarker(line - baseY - cursorY) ?? null;
    if (this.#shownPlace !== null) {
      const decoration = this.#terminal.registerDecoration({ marker: this.#shownPlace, width: this.#terminal.cols });
      decoration?.onRender((element) => element.classList.add('shown-place'));
    }
    this.#terminal.scrollToLine(Math.max(0, line - LINES_ABOVE_PLACE));
    return true;
  }

  /** Types a text for the program, without what would do more than be text. */
  paste(text: string): void {
    if (this.#acceptsInput) {
      this.#terminal.paste(pasteText(text));
    }
  }

  /** Shows the next match of a text; an empty one ends the search. */
  find(text: string, direction: FindDirection): void {
    this.#search.find(text, direction);
  }

  /** Takes other colours and fonts without losing anything; the pane may have room for other cells then. */
  setLook(look: TerminalLook): void {
    this.#terminal.options = lookOptions(look);
    this.#search.setLook(look);
    this.#habits.setLook(look);
    this.#fitSoon();
  }

  /** The child ended: there is nothing to type into, and no size to keep, though its output may still be open. */
  setChildEnded(): void {
    if (!this.#childRuns) {
      return;
    }
    this.#childRuns = false;
    this.#stream?.stopInput();
    this.#showInputState();
    this.#fitNow();
  }

  /** Whoever only watches an agent's session tells its program neither of the mouse nor of the focus. */
  setKeyboard(holder: SessionInfo['keyboard']): void {
    this.#keyboard = holder;
    this.#stream?.setReports(holder === 'person');
  }

  /** Gives an agent's terminal the size of the pane from now on, or no longer; then whoever set it restores it. */
  setFitted(isFitted: boolean): void {
    this.#isFitted = isFitted;
    this.#requestedSize = null;
    if (isFitted) {
      this.#fitNow();
    } else {
      clearTimeout(this.#fitTimer);
      this.#stream?.keepToldSize();
    }
  }

  dispose(): void {
    if (this.#gone.signal.aborted) {
      return;
    }
    this.#gone.abort(new DOMException('The terminal was closed.', 'AbortError'));
    clearTimeout(this.#fitTimer);
    this.#boxObserver.disconnect();
    this.#host.removeEventListener('paste', this.#onPaste, { capture: true });
    this.#host.removeEventListener('input', this.#onInput);
    this.#stream?.dispose();
    this.#search.dispose();
    this.#habits.dispose();
    this.#terminal.dispose();
    delete this.#host.dataset['input'];
  }

  /** True for a child with a terminal, as long as it runs. A pipe session was given no input to write to. */
  get #acceptsInput(): boolean {
    return this.#childRuns && this.#options.session.backend === 'pty';
  }

  /** True when the size of the screen matters to nobody but the pane: no child wraps its lines by it. */
  get #fitsLocally(): boolean {
    const { backend, origin } = this.#options.session;
    return backend === 'pipe' || (origin.kind === 'person' && !this.#childRuns);
  }

  async #attach(): Promise<void> {
    let port: MessagePort;
    try {
      port = await this.#options.openPort(this.#gone.signal);
    } catch (error) {
      if (!this.#gone.signal.aborted) {
        this.#options.onProblem(failureText(error));
      }
      return;
    }
    if (this.#gone.signal.aborted) {
      port.close();
      return;
    }
    const stream = new PaneStream({
      terminal: {
        write: (data, onParsed) => this.#terminal.write(data, onParsed),
        resize: (cols, rows) => this.#resize({ cols, rows }),
        onData: (listener) => this.#terminal.onData(listener),
        onBinary: (listener) => this.#terminal.onBinary(listener),
      },
      port,
      acceptsInput: this.#acceptsInput,
      events: {
        onParsed: this.#options.onProgress,
        onPlace: (offset) => this.#places.note(offset),
        onLive: () => this.#goLive(),
        onEnded: () => this.#end(),
      },
    });
    stream.setReports(this.#keyboard === 'person');
    this.#stream = stream;
    // Chromium tells the other end's death by a `close` event, which TypeScript's DOM types do not list yet.
    port.addEventListener('close', () => this.#portClosed());
    port.addEventListener('message', (event: MessageEvent<HostToPane>) => stream.receive(event.data));
    port.start();
  }

  #goLive(): void {
    this.#isCaughtUp = true;
    if (this.#options.linesFromBottom > 0) {
      this.#terminal.scrollLines(-this.#options.linesFromBottom);
    }
    this.#fitNow();
  }

  #end(): void {
    this.#outputEnded = true;
    this.setChildEnded();
  }

  #showInputState(): void {
    this.#terminal.options.disableStdin = !this.#acceptsInput;
    this.#host.dataset['input'] = this.#acceptsInput ? 'on' : 'off';
  }

  #portClosed(): void {
    if (this.#outputEnded || this.#gone.signal.aborted) {
      return;
    }
    this.#options.onProblem('The connection to this session’s output was lost.');
  }

  #fitSoon(): void {
    clearTimeout(this.#fitTimer);
    this.#fitTimer = setTimeout(() => this.#fitNow(), RESIZE_QUIET_MS);
  }

  #fitNow(): void {
    const size = this.proposedSize;
    if (size === null) {
      return;
    }
    if (this.#fitsLocally) {
      this.#resize(size);
      return;
    }
    const isPersons = this.#options.session.origin.kind === 'person' || (this.#isFitted && this.#childRuns);
    if (!isPersons || !this.#isCaughtUp) {
      return;
    }
    const known = this.#requestedSize ?? this.#terminal;
    if (known.cols === size.cols && known.rows === size.rows) {
      return;
    }
    this.#requestedSize = size;
    this.#stream?.requestSize(size);
  }

  #resize({ cols, rows }: TerminalSize): void {
    if (cols !== this.#terminal.cols || rows !== this.#terminal.rows) {
      this.#places.whileResizing(() => this.#terminal.resize(cols, rows));
    }
  }

  #isForTheApp(event: KeyboardEvent): boolean {
    // With nothing to type into, Tab moves through the window as it does everywhere else.
    if (event.key === 'Tab' && !this.#acceptsInput) {
      return true;
    }
    return isAppKey(event, this.#options.platform);
  }

  /**
   * Not prevented: on Linux and Windows Chromium pastes by itself on Ctrl+Shift+V, and a paste that a page prevents counts
   * as a key that nobody took, so that the menu would paste a second time. What so lands in xterm's text area is cleared.
   */
  #paste(event: ClipboardEvent): void {
    event.stopPropagation();
    this.paste(event.clipboardData?.getData('text/plain') ?? '');
  }

  #clearPasted(event: Event): void {
    const isPaste = event instanceof InputEvent && event.inputType.startsWith('insertFromPaste');
    if (isPaste && this.#terminal.textarea !== undefined) {
      this.#terminal.textarea.value = '';
    }
  }

  #setUpLinks(): void {
    const isMac = this.#options.platform === 'darwin';
    const open = (event: MouseEvent, url: string): void => {
      if ((isMac ? event.metaKey : event.ctrlKey) && isWebUrl(url)) {
        this.#options.openLink(url);
      }
    };
    const hover = (_event: MouseEvent, url: string): void => {
      this.#host.title = `${isMac ? '⌘' : 'Ctrl+'}click opens ${url}`;
    };
    const leave = (): void => this.#host.removeAttribute('title');
    this.#terminal.options.linkHandler = { activate: open, hover, leave };
    this.#terminal.loadAddon(new WebLinksAddon(open, { hover, leave }));
  }
}

function terminalOptions(options: TerminalControllerOptions): ITerminalOptions & TerminalSize {
  const size = options.session.size ?? DEFAULT_TERMINAL_SIZE;
  return {
    cols: size.cols,
    rows: size.rows,
    allowProposedApi: true, // for `unicode` and `parser`
    convertEol: options.session.backend === 'pipe',
    logLevel: 'error', // above the level at which it would print what is typed
    ...lookOptions(options.look),
  };
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
