/** A line without its newline; `too-long` for one that was passed over. */
export type Line = Uint8Array | 'too-long';

const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines, one at a time, so that whoever takes one can stop and leave the rest to another
 * protocol. Keeps at most one line of the stated length, and what was pushed last.
 */
export class LineReader {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #unread: Uint8Array = new Uint8Array();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes. Call it only when `next` answered null. */
  push(bytes: Uint8Array): void {
    this.#unread = bytes;
  }

  /** The next line; null when there is no whole one. */
  next(): Line | null {
    const end = this.#unread.indexOf(NEWLINE);
    this.#keep(end === -1 ? this.#unread : this.#unread.subarray(0, end));
    this.#unread = end === -1 ? new Uint8Array() : this.#unread.subarray(end + 1);
    if (end === -1) {
      return null;
    }
    const line = this.#partBytes > this.#maxBytes ? 'too-long' : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#partBytes = 0;
    return line;
  }

  /** What came behind the last line that was taken. */
  rest(): Uint8Array {
    return this.#unread;
  }

  #keep(bytes: Uint8Array): void {
    this.#partBytes += bytes.length;
    if (this.#partBytes > this.#maxBytes) {
      this.#parts = [];
    } else if (bytes.length > 0) {
      this.#parts.push(bytes);
    }
  }
}
