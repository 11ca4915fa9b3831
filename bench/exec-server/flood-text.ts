import { writeFileSync } from 'node:fs';

/** Lines of one repetition: they are numbered, so that one that is lost or told twice is seen. */
const LINES = 10_000;

/** Bytes of a line, with its newline. */
const LINE_BYTES = 100;

/** Bytes of one repetition. */
export const REPETITION_BYTES = LINES * LINE_BYTES;

/** What a child prints in a flood: the same numbered lines again and again. */
export function floodText(): Buffer {
  const lines = Array.from({ length: LINES }, (_each, index) =>
    `line ${String(index).padStart(5, '0')} `.padEnd(LINE_BYTES - 1, 'all work and no play '),
  );
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** Writes one repetition into a file and answers the command that prints it that often. */
export function floodCommand(file: string, repetitions: number): readonly string[] {
  writeFileSync(file, floodText());
  return ['/bin/cat', ...Array.from<string>({ length: repetitions }).fill(file)];
}

/** Compares what comes with what was printed, byte for byte, however it is cut. */
export class FloodCheck {
  readonly #expected: Buffer;
  readonly #totalBytes: number;
  #bytes = 0;
  #wrongPieces = 0;

  /** `tty`: the terminal makes CR LF of each LF. */
  constructor(repetitions: number, tty: boolean) {
    const text = floodText();
    this.#expected = tty ? Buffer.from(text.toString('latin1').replaceAll('\n', '\r\n'), 'latin1') : text;
    this.#totalBytes = this.#expected.length * repetitions;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that did not come, or came too often. */
  get lostBytes(): number {
    return Math.abs(this.#totalBytes - this.#bytes);
  }

  /** Pieces that are not what was printed at their place. */
  get wrongPieces(): number {
    return this.#wrongPieces;
  }

  take(bytes: Buffer): void {
    const { length } = this.#expected;
    for (let at = 0; at < bytes.length;) {
      const place = this.#bytes % length;
      const count = Math.min(bytes.length - at, length - place);
      if (bytes.compare(this.#expected, place, place + count, at, at + count) !== 0) {
        this.#wrongPieces += 1;
      }
      this.#bytes += count;
      at += count;
    }
  }
}
