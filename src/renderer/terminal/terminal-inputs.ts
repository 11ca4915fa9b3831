import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import { inputWords } from '../text/timeline-text.ts';
import { InputMarkLayer } from './input-mark-layer.ts';
import { InputMarks, type MarkedLine } from './input-marks.ts';
import type { OutputPlaces } from './output-places.ts';
import type { ShownPlace } from './shown-place.ts';
import type { TerminalLook } from './terminal-appearance.ts';

/** Earlier: upwards. */
export type InputDirection = 'previous' | 'next';

export interface TerminalInputsOptions {
  readonly terminal: Terminal;
  readonly places: OutputPlaces;
  readonly shownPlace: ShownPlace;
  readonly look: Pick<TerminalLook, 'inputMarks'>;
  /** What was told of the input that was gone to is another by now, since that has grown; null: it was left. */
  readonly onNote: (note: string | null) => void;
}

/** Who typed what into one terminal: marks beside its lines, and the way from one to the next. */
export class TerminalInputs implements Disposable {
  readonly #options: TerminalInputsOptions;
  readonly #marks: InputMarks;
  readonly #layer: InputMarkLayer;
  readonly #subscriptions: readonly Disposable[];
  /** The span that was gone to; null for none. */
  #current: number | null = null;
  #hasTold = false;

  /** The terminal must be open. */
  constructor(options: TerminalInputsOptions) {
    const { terminal, places, look } = options;
    this.#options = options;
    this.#marks = new InputMarks({
      lineOf: (offset) => places.lineOf(offset),
      isOnOtherScreen: () => terminal.buffer.active.type === 'alternate',
    });
    this.#layer = new InputMarkLayer(terminal, this.#marks);
    this.#layer.setShown(look.inputMarks);
    this.#subscriptions = [
      terminal.onData(() => this.#leave()),
      terminal.onRender(() => {
        if (this.#current !== null && !this.#isInView(this.#current)) {
          this.#leave();
        }
      }),
    ];
  }

  /** See `InputMarks.tell`. */
  tell(entries: readonly TimelineEntry[]): void {
    this.#marks.tell(entries);
    this.#layer.drawSoon();
    if (entries.some(({ number }) => number === this.#current)) {
      this.#tellAgain();
    }
  }

  setLook(look: Pick<TerminalLook, 'inputMarks'>): void {
    this.#layer.setShown(look.inputMarks);
  }

  /** Scrolls to the line of the input before or after, and marks it. Answers what to tell of it. */
  goTo(direction: InputDirection): string {
    const { terminal, shownPlace } = this.#options;
    this.#hasTold = true;
    const lines = this.#marks.lines();
    const at = this.#place(lines);
    const index = direction === 'previous' ? at.previous : at.next;
    const found = lines[index];
    if (found === undefined) {
      if (direction === 'next') {
        terminal.scrollToBottom();
        this.#current = null;
      }
      return terminal.buffer.active.type === 'alternate'
        ? 'No input is marked in a full-screen program'
        : `No ${direction === 'previous' ? 'earlier' : 'later'} input in this pane`;
    }
    this.#current = found.entries.at(-1)?.number ?? null;
    shownPlace.show(found.line);
    return noteText(lines, index);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
    this.#layer.dispose();
  }

  /** The marked lines next to the one that was gone to while that is in view; else to what is in view. */
  #place(lines: readonly MarkedLine[]): { readonly previous: number; readonly next: number } {
    const { bottom } = this.#view;
    const current = lines.findIndex(({ entries }) => entries.some(({ number }) => number === this.#current));
    if (this.#current !== null && this.#isInView(this.#current)) {
      return { previous: current - 1, next: current + 1 };
    }
    const below = lines.findIndex(({ line }) => line >= bottom);
    return { previous: lines.findLastIndex(({ line }) => line < bottom), next: below === -1 ? lines.length : below };
  }

  #tellAgain(): void {
    const lines = this.#marks.lines();
    const index = lines.findIndex(({ entries }) => entries.some(({ number }) => number === this.#current));
    if (index !== -1) {
      this.#options.onNote(noteText(lines, index));
    }
  }

  #isInView(span: number): boolean {
    const { top, bottom } = this.#view;
    return this.#marks.lines(top, bottom).some(({ entries }) => entries.some(({ number }) => number === span));
  }

  /** The lines of the buffer in view: the first, and the one after the last. */
  get #view(): { readonly top: number; readonly bottom: number } {
    const { terminal } = this.#options;
    const top = terminal.buffer.active.viewportY;
    return { top, bottom: top + terminal.rows };
  }

  #leave(): void {
    this.#current = null;
    if (this.#hasTold) {
      this.#hasTold = false;
      this.#options.onNote(null);
    }
  }
}

function noteText(lines: readonly MarkedLine[], index: number): string {
  return `Input ${index + 1} of ${lines.length}: ${inputWords(lines[index]?.entries ?? []).join('; ')}`;
}
