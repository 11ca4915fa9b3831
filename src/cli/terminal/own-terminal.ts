import { spawnSync } from 'node:child_process';
import type { TerminalSize } from '../../shared/session.ts';

/** The terminal that a person runs the command in: its keys as they are, its size, and the modes it had. */
export class OwnTerminal {
  readonly #onResize: (() => void) | null;
  #isRaw = false;

  /** `onResize`: its size is another. */
  constructor(onResize: ((size: TerminalSize) => void) | null = null) {
    this.#onResize =
      onResize === null
        ? null
        : () => {
            const size = terminalSize();
            if (size !== null) {
              onResize(size);
            }
          };
    if (this.#onResize !== null) {
      process.stdout.on('resize', this.#onResize);
    }
    if (process.stdin.isTTY) {
      process.stdin.setRawMode(true);
      this.#isRaw = true;
      // libuv's raw mode turns each line feed into a new line (ONLCR), which full-screen programs switched off in theirs:
      // they move the cursor down by it. What was set here is gone again with the raw mode.
      spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] });
    }
  }

  /** Puts the terminal back. */
  restore(): void {
    if (this.#onResize !== null) {
      process.stdout.removeListener('resize', this.#onResize);
    }
    if (this.#isRaw) {
      this.#isRaw = false;
      process.stdin.setRawMode(false);
    }
  }
}

/** Size of the terminal at stdout; null where stdout is none, or has no size. */
export function terminalSize(): TerminalSize | null {
  const { isTTY, columns, rows } = process.stdout;
  return isTTY && columns > 0 && rows > 0 ? { cols: Math.min(columns, 2_000), rows: Math.min(rows, 2_000) } : null;
}
