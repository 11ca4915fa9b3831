import type { ProgramProgress } from '../../shared/session.ts';

const SEMICOLON = 0x3b;
const ZERO = 0x30;
const NINE = 0x39;

/** OSC 9 tells many things, by its first number; this is the one about progress. */
const PROGRESS = 4;

/** `4`, the kind, the percentage. */
const FIELDS = 3;
const MISSING = -1;
const MOST_PERCENT = 100;

/** Numbers are counted up to here; none that means something is larger. */
const LARGEST_NUMBER = 1_000;

/**
 * What a program says of its progress by `OSC 9 ; 4 ; kind ; percentage ST`, and what holds after many of them. ConEmu's
 * sequence (conemu.github.io, "ANSI X3.64"), as Windows Terminal and xterm.js take it: 0 takes it away, 1 sets it, 2 is an
 * error, 3 has no measure, 4 is paused. An error and a pause without a percentage, or with 0, keep the last one.
 *
 * Made to be fed byte by byte in a flood: it allocates only when something changes.
 */
export class ProgressNote {
  readonly #numbers: [number, number, number] = [MISSING, MISSING, MISSING];
  #field = 0;
  #progress: ProgramProgress | null = null;

  /** What holds; null when there is none to tell. */
  get progress(): ProgramProgress | null {
    return this.#progress;
  }

  /** Whoever told of it has gone. */
  forget(): void {
    this.#progress = null;
  }

  /** A note begins: what follows `OSC 9 ;`. */
  begin(): void {
    this.#numbers.fill(MISSING);
    this.#field = 0;
  }

  /** The next byte of the note. False when it is none about progress, and need not be read on. */
  take(byte: number): boolean {
    if (byte === SEMICOLON) {
      this.#field += 1;
      return this.#field < FIELDS && this.#numbers[0] === PROGRESS;
    }
    if (byte < ZERO || byte > NINE) {
      return false;
    }
    const before = Math.max(0, this.#numbers[this.#field] ?? 0);
    this.#numbers[this.#field] = Math.min(LARGEST_NUMBER, before * 10 + byte - ZERO);
    return true;
  }

  /** The note is whole. */
  end(): void {
    const [note, kind, percent] = this.#numbers;
    if (note !== PROGRESS) {
      return;
    }
    const last = this.#progress?.percent ?? null;
    switch (kind) {
      case 0:
        this.#progress = null;
        break;
      case 1:
        if (percent !== MISSING) {
          this.#set('normal', Math.min(MOST_PERCENT, percent));
        }
        break;
      case 2:
      case 4:
        this.#set(kind === 2 ? 'error' : 'paused', percent > 0 ? Math.min(MOST_PERCENT, percent) : last);
        break;
      case 3:
        this.#set('indeterminate', null);
        break;
      default:
        break;
    }
  }

  #set(kind: ProgramProgress['kind'], percent: number | null): void {
    if (this.#progress?.kind !== kind || this.#progress.percent !== percent) {
      this.#progress = { kind, percent };
    }
  }
}
