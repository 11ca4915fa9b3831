import { createHash } from 'node:crypto';

/** `printable`: base64 without newlines, which a terminal passes on as it is. `bytes`: every byte there is. */
export type Alphabet = 'bytes' | 'printable';

/** Bytes that are made at a time; printer.py has the same number. */
const BLOCK_BYTES = 32_768;

/** What a `printer.py` prints, made anew at any offset from its seed. */
export class PseudoRandomStream {
  readonly #seed: string;
  readonly #alphabet: Alphabet;
  #lastNumber = -1;
  #lastBlock: Buffer = Buffer.alloc(0);

  constructor(seed: string, alphabet: Alphabet) {
    this.#seed = seed;
    this.#alphabet = alphabet;
  }

  /** Offset of the first byte that is not the stream's, when `bytes` are read at `offset`; null when all are. */
  firstDifference(offset: number, bytes: Uint8Array): number | null {
    for (let at = 0; at < bytes.length;) {
      const position = offset + at;
      const expected = this.#block(Math.floor(position / BLOCK_BYTES)).subarray(position % BLOCK_BYTES);
      const length = Math.min(expected.length, bytes.length - at);
      if (expected.compare(bytes, at, at + length, 0, length) !== 0) {
        const index = expected.subarray(0, length).findIndex((byte, place) => byte !== bytes[at + place]);
        return position + index;
      }
      at += length;
    }
    return null;
  }

  /** Checksum of the first `length` bytes, as hexadecimal digits. */
  sha256(length: number): string {
    const hash = createHash('sha256');
    for (let offset = 0; offset < length; offset += BLOCK_BYTES) {
      hash.update(this.#block(offset / BLOCK_BYTES).subarray(0, length - offset));
    }
    return hash.digest('hex');
  }

  /** One block is kept: readers go through the stream from front to back. */
  #block(number: number): Buffer {
    if (number !== this.#lastNumber) {
      const outputLength = this.#alphabet === 'bytes' ? BLOCK_BYTES : (BLOCK_BYTES / 4) * 3;
      const digest = createHash('shake128', { outputLength }).update(`${this.#seed}:${number}`).digest();
      this.#lastBlock = this.#alphabet === 'bytes' ? digest : Buffer.from(digest.toString('base64'), 'latin1');
      this.#lastNumber = number;
    }
    return this.#lastBlock;
  }
}
