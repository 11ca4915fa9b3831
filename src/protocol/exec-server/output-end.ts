/** Bytes that are kept: what a denial is told by stands at the end. */
const KEPT_BYTES = 16 * 1024;

/** The last of what a process printed. */
export class OutputEnd {
  #kept: Buffer = Buffer.alloc(0);

  get text(): string {
    return this.#kept.toString('utf8');
  }

  push(bytes: Uint8Array): void {
    const all = bytes.length >= KEPT_BYTES ? Buffer.from(bytes) : Buffer.concat([this.#kept, bytes]);
    this.#kept = all.subarray(Math.max(0, all.length - KEPT_BYTES));
  }
}
