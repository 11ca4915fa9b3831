/**
 * Bytes of replies that may wait for a child that does not read them: what the input queue of a Linux terminal holds
 * (N_TTY_BUF_SIZE of drivers/tty/n_tty.c), which throws away what comes beyond that, too. They wait behind what the
 * system has taken, and before what a person types. With more a program that asks and never reads fills the memory.
 */
const MAX_WAITING_BYTES = 4_096;

/**
 * Bytes of replies written at once when none wait: a program that asks for all 256 colours in one go, and reads, is told
 * all of them. What comes beyond that in one piece is dropped.
 */
const MAX_PIECE_BYTES = 64 * 1_024;

/** What the terminal answers to its program, on its way: whole pieces or nothing. */
export class TerminalReplies {
  readonly #write: (bytes: Uint8Array) => Promise<unknown>;
  #waitingBytes = 0;

  /** `write` settles when the system has taken the bytes, or never will. */
  constructor(write: (bytes: Uint8Array) => Promise<unknown>) {
    this.#write = write;
  }

  /** Answers false when too much waits unread already, and these were dropped. */
  send(bytes: Uint8Array): boolean {
    const isTooMuch = this.#waitingBytes > 0 && this.#waitingBytes + bytes.length > MAX_WAITING_BYTES;
    if (isTooMuch || bytes.length > MAX_PIECE_BYTES) {
      return false;
    }
    this.#waitingBytes += bytes.length;
    void this.#write(bytes)
      // The child may end before it hears the answer to its question.
      .catch(() => {})
      .finally(() => (this.#waitingBytes -= bytes.length));
    return true;
  }
}
