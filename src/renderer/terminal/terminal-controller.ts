import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';
import type { HostToPane, WindowApi } from '../../shared/ipc.ts';
import type { FindQuery, OutputHit } from '../../shared/output-search.ts';
import { setUpCells } from '../../shared/printed-cells.ts';
import { screenState, type ScreenState } from '../../shared/screen-state.ts';
import { isLive, type SessionInfo, type TerminalSize } from '../../shared/session.ts';
import { ShownOutput } from '../earlier/shown-output.ts';
import { isAppKey } from '../window/app-keys.ts';
import { CellOrder } from './cell-order.ts';
import { ClearedSelection } from './cleared-selection.ts';
import { CoveredCursor } from './covered-cursor.ts';
import { KeyboardSelection } from './keyboard-selection.ts';
import { muteAnswers } from './mute-answers.ts';
import { hideCursor } from './no-cursor.ts';
import { OutputPlaces } from './output-places.ts';
import { OUTPUT_LOST, unreadOutput } from './pane-problem.ts';
import { PaneStream } from './pane-stream.ts';
import { PaneView } from './pane-view.ts';
import type { ParseHaste, ParseTurns, TurnWrites } from './parse-turns.ts';
import { linesOf, pasteText } from './paste-text.ts';
import { screenText } from './screen-text.ts';
import { ShownPlace } from './shown-place.ts';
import { lookOptions, type TerminalLook } from './terminal-appearance.ts';
import type { OpenTerminalRequest, RevealOutcome } from './terminal-deck.ts';
import { TerminalFit, type SizeOwner } from './terminal-fit.ts';
import { TerminalHabits } from './terminal-habits.ts';
import { TerminalInputs, type InputDirection } from './terminal-inputs.ts';
import { installLinks, linksInView } from './terminal-links.ts';
import { terminalOptions } from './terminal-options.ts';
import { TerminalPaste } from './terminal-paste.ts';
import { TerminalScale } from './terminal-scale.ts';
import { TerminalSearch, type FindDirection } from './terminal-search.ts';
import { TerminalTextInput } from './terminal-text-input.ts';
import type { PoolPlace, WebglPool } from './webgl-pool.ts';

export interface TerminalControllerOptions extends OpenTerminalRequest {
  /** Attaches to the session. The signal is aborted when the terminal goes. */
  readonly openPort: (signal: AbortSignal) => Promise<MessagePort>;
  readonly openLink: (url: string) => void;
  /** Those of the window. */
  readonly turns: ParseTurns;
  /** That of the window. */
  readonly drawing: WebglPool<Terminal>;
  readonly look: TerminalLook;
  readonly platform: WindowApi['platform'];
  readonly copy: (text: string) => void;
  /** A program wants something of the clipboard, now and not in a replay; what stands after `OSC 52 ;`. */
  readonly onClipboard: (payload: string) => void;
  /** Makes the sound of a bell. */
  readonly ring: () => void;
  /** Everything up to this offset of the session's output is on the screen. Called for each message. */
  readonly onProgress: (endOffset: number) => void;
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
  readonly #writes: TurnWrites;
  readonly #fit: TerminalFit;
  readonly #scale: TerminalScale;
  readonly #pastes: TerminalPaste;
  readonly #textInput: TerminalTextInput;
  readonly #cellOrder: CellOrder;
  readonly #clearedSelection: ClearedSelection;
  readonly #coveredCursor: CoveredCursor;
  readonly #places: OutputPlaces;
  readonly #shownOutput: ShownOutput;
  readonly #search: TerminalSearch;
  readonly #habits: TerminalHabits;
  readonly #drawing: PoolPlace;
  readonly #shownPlace: ShownPlace;
  readonly #view: PaneView;
  readonly #inputs: TerminalInputs;
  readonly #selection: KeyboardSelection;
  readonly #gone = new AbortController();
  #stream: PaneStream | null = null;
  /** The person wants an agent's terminal to have the size of its pane. */
  #isFitted = false;
  /** All that was retained has been on the screen. */
  #isDrawn = false;
  #childRuns: boolean;
  #outputEnded = false;

  constructor(options: TerminalControllerOptions) {
    this.#options = options;
    this.#host = options.host;
    this.#childRuns = isLive(options.session.state);
    this.#view = new PaneView({
      keyboard: options.session.keyboard,
      isBellHeard: () => this.#habits.isHeard,
    });
    this.#terminal = new Terminal(terminalOptions(options.session, options.look));
    this.#writes = options.turns.open(
      (data, onParsed) => this.#terminal.write(data, onParsed),
      () => this.#haste,
    );
    this.#places = new OutputPlaces(this.#terminal);
    this.#shownOutput = new ShownOutput(this.#terminal, this.#places);
    this.#shownPlace = new ShownPlace(this.#terminal);
    this.#fit = new TerminalFit({
      terminal: this.#terminal,
      host: options.host,
      owner: () => this.#sizeOwner,
      resize: (size) => this.#resize(size),
      request: (size) => this.#stream?.requestSize(size),
    });
    this.#scale = new TerminalScale({
      ...options,
      terminal: this.#terminal,
      fontSize: options.look.fontSize,
      isFixed: () => options.session.origin.kind === 'agent' && options.session.backend === 'pty' && !this.#isFitted,
    });
    // Widths must be right before the first byte is parsed, or wide characters are baked in wrong.
    setUpCells(this.#terminal, new Unicode11Addon());
    muteAnswers(this.#terminal);
    if (options.session.backend === 'pipe') {
      hideCursor(this.#terminal);
    }
    this.#terminal.parser.registerOscHandler(52, (payload) => {
      if (this.#view.isCaughtUp) {
        options.onClipboard(payload);
      }
      return true;
    });
    this.#search = new TerminalSearch(this.#terminal, options.look, options.onFound);
    this.#habits = new TerminalHabits({
      ...options,
      terminal: this.#terminal,
      isLive: () => this.#view.isCaughtUp,
    });
    installLinks({ ...options, terminal: this.#terminal });
    this.#selection = new KeyboardSelection({ ...options, terminal: this.#terminal, onNote: options.onInputNote });
    this.#terminal.attachCustomKeyEventHandler((event) => !this.#selection.takes(event) && !this.#isForTheApp(event));
    this.#terminal.open(this.#host);
    this.#cellOrder = new CellOrder(this.#terminal);
    this.#inputs = new TerminalInputs({
      terminal: this.#terminal,
      places: this.#places,
      shownPlace: this.#shownPlace,
      look: options.look,
      onNote: options.onInputNote,
    });
    this.#showInputState();
    if (options.session.backend === 'pipe') {
      // No key types anything there, and each that leaves other parts of the window leaves it.
      this.#terminal.textarea?.setAttribute('aria-label', 'Terminal output');
    } else {
      this.#terminal.textarea?.setAttribute('aria-description', 'Control+F6 leaves the terminal');
    }
    const paste = (text: string): void => this.paste(text);
    this.#pastes = new TerminalPaste(this.#host, this.#terminal, paste);
    this.#textInput = new TerminalTextInput(this.#host, this.#terminal, paste);
    // Before the pane is measured: the GPU's cells have another size than the page's.
    this.#drawing = options.drawing.enter(this.#terminal, (renderer) => {
      this.#host.dataset['renderer'] = renderer;
      this.#fit.soon();
    });
    this.#clearedSelection = new ClearedSelection(this.#terminal);
    this.#coveredCursor = new CoveredCursor(this.#terminal, this.#host);
    this.#scale.start();
    this.#fit.start();
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

  /** Selects the screen and the scrollback. */
  selectAll(): void {
    this.#terminal.selectAll();
  }

  /** Addresses of the links in view, the lowest first. */
  get links(): readonly string[] {
    return linksInView(this.#terminal);
  }

  /** Lines between the bottom of the buffer and the part in view. */
  get linesFromBottom(): number {
    const { baseY, viewportY } = this.#terminal.buffer.active;
    return baseY - viewportY;
  }

  get hasKeyboard(): boolean {
    return this.#host.contains(document.activeElement);
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

  get state(): ScreenState {
    return screenState(this.#terminal);
  }

  /** Scrolls to what was printed at an offset, once what was printed by now is drawn, and marks the line. */
  async reveal(offset: number): Promise<RevealOutcome> {
    if (!(await this.#view.whenCaughtUp()) || this.#gone.signal.aborted) {
      return 'not-drawn';
    }
    const line = this.#places.lineOf(offset);
    if (line === null) {
      return 'gone';
    }
    this.#shownPlace.show(line);
    return 'shown';
  }

  /** Goes to the input before or after what is in view. Answers what to tell of it. */
  goToInput(direction: InputDirection): string {
    return this.#inputs.goTo(direction);
  }

  /** Has keys select text, until one of them ends it. */
  selectText(): void {
    this.#selection.start();
  }

  /**
   * Types a text for the program, without what would do more than be text. Several lines, which a program that does not ask
   * for pastes in one piece would take for as many commands, are held back for the person to look at.
   */
  paste(text: string): void {
    const clean = pasteText(text);
    if (linesOf(clean).length > 1 && this.#acceptsInput && !this.#terminal.modes.bracketedPasteMode) {
      this.#options.onPasteHeld(clean);
    } else {
      this.pasteNow(clean);
    }
  }

  /** Types a text that was held back. */
  pasteNow(text: string): void {
    if (this.#acceptsInput) {
      this.#terminal.paste(text);
    }
  }

  /** Shows the next match of a text; see `TerminalSearch.find`. */
  find(query: FindQuery, direction: FindDirection): boolean {
    return this.#search.find(query, direction);
  }

  /** Those of a session's hits that are not in this terminal; see `ShownOutput`. */
  notShown(hits: readonly OutputHit[], query: FindQuery): readonly OutputHit[] {
    return this.#shownOutput.without(hits, query);
  }

  /** Offset of what was left out last; null when nothing was. */
  get skippedAt(): number | null {
    return this.#shownOutput.lastSkip;
  }

  /** Takes other colours and fonts without losing anything; the pane may have room for other cells then. */
  setLook(look: TerminalLook): void {
    this.#terminal.options = lookOptions(look);
    this.#scale.setFontSize(look.fontSize);
    this.#search.setLook(look);
    this.#habits.setLook(look);
    this.#inputs.setLook(look);
    this.#view.hearsBells();
    this.#fit.soon();
  }

  /** The child ended: there is nothing to type into, and no size to keep, though its output may still be open. */
  setChildEnded(): void {
    if (!this.#childRuns) {
      return;
    }
    this.#childRuns = false;
    this.#stream?.stopInput();
    this.#showInputState();
    this.#fit.now();
  }

  /** Out of view it is kept, is given no output, and costs no WebGL context. */
  setInView(isInView: boolean): void {
    this.#drawing.setInView(isInView);
    this.#view.setInView(isInView);
  }

  /** Whoever only watches an agent's session tells its program neither of the mouse nor of the focus. */
  setKeyboard(holder: SessionInfo['keyboard']): void {
    this.#view.setKeyboard(holder);
  }

  /** Gives an agent's terminal the size of the pane from now on, or no longer; then whoever set it restores it. */
  setFitted(isFitted: boolean): void {
    this.#isFitted = isFitted;
    this.#scale.now();
    this.#fit.forget();
    if (isFitted) {
      this.#fit.now();
    } else {
      this.#stream?.keepToldSize();
    }
  }

  dispose(): void {
    if (this.#gone.signal.aborted) {
      return;
    }
    this.#gone.abort(new DOMException('The terminal was closed.', 'AbortError'));
    this.#view.dispose();
    const parts = [
      this.#fit,
      this.#scale,
      this.#pastes,
      this.#textInput,
      this.#stream,
      this.#writes,
      this.#search,
      this.#habits,
      this.#clearedSelection,
      this.#coveredCursor,
    ];
    for (const part of [...parts, this.#selection, this.#inputs, this.#cellOrder, this.#drawing, this.#terminal]) {
      part?.dispose();
    }
    delete this.#host.dataset['input'];
    delete this.#host.dataset['renderer'];
  }

  /** True for a child with a terminal, as long as it runs. A pipe session was given no input to write to. */
  get #acceptsInput(): boolean {
    return this.#childRuns && this.#options.session.backend === 'pty';
  }

  get #haste(): ParseHaste {
    if (!this.#view.isCaughtUp) {
      return 'whole';
    }
    if (this.#stream?.isInterrupted === true) {
      return this.#stream.isSkipAwaited && this.#writes.isLarge ? 'in-turn' : 'interrupted';
    }
    return this.hasKeyboard ? 'first' : 'in-turn';
  }

  /** The size of the screen is the pane's alone where no child wraps its lines by it. */
  get #sizeOwner(): SizeOwner {
    const { backend, origin } = this.#options.session;
    if (backend === 'pipe' || (origin.kind === 'person' && !this.#childRuns)) {
      return 'pane';
    }
    const isPersons = origin.kind === 'person' || (this.#isFitted && this.#childRuns);
    return isPersons && this.#view.isCaughtUp ? 'child-follows' : 'other';
  }

  async #attach(): Promise<void> {
    let port: MessagePort;
    try {
      port = await this.#options.openPort(this.#gone.signal);
    } catch (error) {
      if (!this.#gone.signal.aborted) {
        this.#view.dispose();
        this.#options.onProblem(unreadOutput(error));
      }
      return;
    }
    if (this.#gone.signal.aborted) {
      port.close();
      return;
    }
    const stream = new PaneStream({
      terminal: {
        write: (data, onParsed, droppable) => this.#writes.write(data, onParsed, droppable),
        drop: () => this.#writes.drop(),
        resize: (cols, rows) => this.#resize({ cols, rows }),
        onData: (listener) => this.#terminal.onData(listener),
        onBinary: (listener) => this.#terminal.onBinary(listener),
      },
      port,
      acceptsInput: this.#acceptsInput,
      events: {
        onParsed: (endOffset) => {
          this.#shownOutput.parsed(endOffset);
          this.#options.onProgress(endOffset);
        },
        onPlace: (offset) => this.#places.note(offset),
        onInputs: (entries) => this.#inputs.tell(entries),
        onInterrupted: () => this.#options.turns.interrupted(),
        onSkipped: (bytes) => {
          this.#shownOutput.skipped(bytes);
          this.#options.onSkipped(bytes);
        },
        onLive: () => this.#goLive(),
        onBell: () => this.#habits.bell(),
        onStale: () => this.#options.onStale(),
        onEnded: () => this.#end(),
      },
    });
    this.#stream = stream;
    this.#view.attached(stream);
    // Chromium tells the other end's death by a `close` event, which TypeScript's DOM types do not list yet.
    port.addEventListener('close', () => this.#portClosed());
    port.addEventListener('message', (event: MessageEvent<HostToPane>) => stream.receive(event.data));
    port.start();
  }

  #goLive(): void {
    if (!this.#view.caughtUp()) {
      return;
    }
    const { linesFromBottom } = this.#options;
    const isFirst = !this.#isDrawn;
    this.#isDrawn = true;
    this.#drawing.setReady();
    if (isFirst && linesFromBottom > 0) {
      this.#terminal.scrollLines(-linesFromBottom);
    }
    this.#fit.now();
    if (isFirst) {
      this.#search.drawn(linesFromBottom > 0);
    }
    if (this.#terminal.modes.sendFocusMode && this.hasKeyboard) {
      this.#stream?.reportFocus();
    }
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
    this.#view.dispose();
    this.#options.onProblem(OUTPUT_LOST);
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
}
