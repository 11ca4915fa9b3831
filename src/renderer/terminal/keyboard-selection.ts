import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';
import type { WindowApi } from '../../shared/ipc.ts';
import { isAppKey } from '../window/app-keys.ts';
import { cellsOf, markAfter, type KeyboardMark } from './selection-steps.ts';

const USUAL_NOTE = 'Selecting: arrows move, Shift with arrows or Space selects, Enter copies, Escape ends';

export interface KeyboardSelectionOptions {
  /** Must be open when `start` is called. */
  readonly terminal: Terminal;
  readonly platform: WindowApi['platform'];
  readonly copy: (text: string) => void;
  /** What to tell of it, as it goes on; null: it has ended. */
  readonly onNote: (note: string | null) => void;
}

/**
 * Selects text of a terminal by keys, which xterm has for the mouse alone. From `start` until Enter, Escape or the mouse
 * ends it, all keys but the app's are its own: none reaches the program.
 */
export class KeyboardSelection implements Disposable {
  readonly #options: KeyboardSelectionOptions;
  #mark: KeyboardMark | null = null;
  /** First line of what xterm has selected: it goes up there when lines leave the scrollback. */
  #line = 0;
  #ends: readonly Disposable[] = [];

  constructor(options: KeyboardSelectionOptions) {
    this.#options = options;
  }

  /** Begins at the terminal's cursor, or at the top of what is in view when that is further down. */
  start(): void {
    const { terminal } = this.#options;
    const { baseY, cursorX, cursorY, viewportY } = terminal.buffer.active;
    const line = baseY + cursorY;
    const isInView = line < viewportY + terminal.rows;
    this.#end();
    this.#mark = {
      cursor: { line: isInView ? line : viewportY, column: isInView ? Math.min(cursorX, terminal.cols - 1) : 0 },
      anchor: null,
    };
    const end = (): void => this.stop();
    terminal.element?.addEventListener('mousedown', end);
    this.#ends = [
      { dispose: () => terminal.element?.removeEventListener('mousedown', end) },
      // The lines are others.
      terminal.onResize(end),
      terminal.buffer.onBufferChange(end),
    ];
    this.#show();
  }

  /** Ends it, if it goes on; nothing is selected any more. */
  stop(): void {
    if (this.#mark !== null) {
      this.#end();
      this.#options.terminal.clearSelection();
      this.#options.onNote(null);
    }
  }

  /** Answers whether the key was one of this; then neither xterm nor the window has to deal with it. */
  takes(event: KeyboardEvent): boolean {
    if (this.#mark === null || isAppKey(event, this.#options.platform)) {
      return false;
    }
    if (event.type === 'keydown') {
      event.preventDefault();
      event.stopPropagation();
      this.#press(event);
    }
    return true;
  }

  dispose(): void {
    this.#end();
  }

  #press(event: KeyboardEvent): void {
    const { terminal, copy } = this.#options;
    if (event.key === 'Escape') {
      this.stop();
    } else if (event.key === 'Enter') {
      copy(terminal.getSelection());
      this.stop();
    } else if (this.#mark !== null) {
      const { active } = terminal.buffer;
      const text = {
        lines: active.length,
        columns: terminal.cols,
        rows: terminal.rows,
        textOf: (line: number) => active.getLine(line)?.translateToString(true) ?? '',
      };
      this.#mark = markAfter(this.#followed(this.#mark), event, text) ?? this.#mark;
      this.#show();
    }
  }

  /** Where the marked text is by now. */
  #followed({ cursor, anchor }: KeyboardMark): KeyboardMark {
    const gone = this.#line - (this.#options.terminal.getSelectionPosition()?.start.y ?? this.#line);
    const moved = (cell: KeyboardMark['cursor']) => ({ ...cell, line: Math.max(0, cell.line - gone) });
    return { cursor: moved(cursor), anchor: anchor === null ? null : moved(anchor) };
  }

  #show(): void {
    const { terminal, onNote } = this.#options;
    if (this.#mark === null) {
      return;
    }
    const { line, column, length } = cellsOf(this.#mark, terminal.cols);
    this.#line = line;
    terminal.select(column, line, length);
    const { viewportY } = terminal.buffer.active;
    const { line: shown } = this.#mark.cursor;
    if (shown < viewportY) {
      terminal.scrollToLine(shown);
    } else if (shown >= viewportY + terminal.rows) {
      terminal.scrollToLine(shown - terminal.rows + 1);
    }
    const count = terminal.getSelection().length;
    onNote(
      this.#mark.anchor === null
        ? USUAL_NOTE
        : `${count === 1 ? '1 character' : `${count} characters`} selected: Enter copies, Escape ends`,
    );
  }

  #end(): void {
    this.#mark = null;
    for (const end of this.#ends) {
      end.dispose();
    }
    this.#ends = [];
  }
}
