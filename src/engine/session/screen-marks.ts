import type { Screen } from '../backend/screen-tracker.ts';

/** Switches kept: a program that does nothing but switch must not fill the memory. Older ones are forgotten. */
const MAX_MARKS = 4_096;

interface ScreenMark {
  /** From this offset on. */
  readonly offset: number;
  readonly screen: Screen;
}

/** Which of the terminal's two screens each byte of the output was printed on. */
export class ScreenMarks {
  #marks: ScreenMark[] = [];

  add(offset: number, screen: Screen): void {
    this.#marks.push({ offset, screen });
    if (this.#marks.length > MAX_MARKS) {
      this.#marks = this.#marks.slice(MAX_MARKS / 2);
    }
  }

  /** Before the first switch it is the normal one. */
  at(offset: number): Screen {
    return this.#marks.findLast((mark) => mark.offset <= offset)?.screen ?? 'normal';
  }
}
