/** What was typed, less the keys that detach. */
export interface Typed {
  /** For the child. */
  readonly bytes: Uint8Array;
  readonly detached: boolean;
}

/**
 * Finds the keys that detach in what a person types. A part of them is held back until the next key shows whether it
 * was meant so; `giveUp` lets it go.
 */
export class DetachKey {
  readonly #keys: Uint8Array;
  #matched = 0;

  /** `keys`: what they send, one after the other; at least one byte. */
  constructor(keys: Uint8Array) {
    this.#keys = keys;
  }

  /** True while a part of the keys is held back. */
  get isHolding(): boolean {
    return this.#matched > 0;
  }

  push(typed: Uint8Array): Typed {
    const bytes: number[] = [];
    for (const byte of typed) {
      if (byte !== this.#keys[this.#matched]) {
        bytes.push(...this.#keys.subarray(0, this.#matched));
        this.#matched = 0;
      }
      if (byte === this.#keys[this.#matched]) {
        this.#matched += 1;
      } else {
        bytes.push(byte);
      }
      if (this.#matched === this.#keys.length) {
        this.#matched = 0;
        return { bytes: Uint8Array.from(bytes), detached: true };
      }
    }
    return { bytes: Uint8Array.from(bytes), detached: false };
  }

  /** Answers what was held back: nothing followed it in time. */
  giveUp(): Uint8Array {
    const bytes = this.#keys.slice(0, this.#matched);
    this.#matched = 0;
    return bytes;
  }
}
