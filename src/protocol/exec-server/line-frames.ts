/** A line of the stdio transport, without its newline; `too-long` for one that was passed over. */
export type LineFrame = Uint8Array | 'too-long';

/** Cuts a stream of bytes into lines, keeping at most one line of the stated length in memory. */
export class LineFrames {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  /** `maxBytes`: longest line that is given out, its newline not counted. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Answers the lines that these bytes complete. How the stream is cut into calls changes nothing. */
  push(bytes: Uint8Array): readonly LineFrame[] {
    const lines: LineFrame[] = [];
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
      this.#keep(bytes.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(bytes.subarray(start));
    return lines;
  }

  /** The stream has ended: answers what came behind the last newline, null for nothing. */
  end(): LineFrame | null {
    return this.#bytes === 0 ? null : this.#take();
  }

  #keep(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) {
      this.#parts = [];
    } else if (bytes.length > 0) {
      this.#parts.push(bytes);
    }
  }

  #take(): LineFrame {
    const line = this.#bytes > this.#maxBytes ? 'too-long' : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
