import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';

/** What tells a browser which way to write: marks, embeddings, overrides and isolates (Unicode UAX 9, section 2). */
const DIRECTION_SIGNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Keeps what a terminal draws by elements of the page in the order of its cells. A style (`.xterm-rows > div > span`) writes
 * letters of every script from left to right; a sign for the direction within the text is stronger than any style, so it is
 * taken out of what is drawn: after the renderer has made its rows and before they are painted. The terminal's buffer has
 * it still, and with that a copy, the find and a screen reader.
 */
export class CellOrder implements Disposable {
  readonly #observer = new MutationObserver((changes) => {
    for (const { target } of changes) {
      this.#keep(target);
    }
    // Of its own doing.
    this.#observer.takeRecords();
  });

  /** The terminal must be open. A renderer that comes later is looked after, too. */
  constructor({ element }: Pick<Terminal, 'element'>) {
    const screen = element?.querySelector('.xterm-screen');
    if (screen !== null && screen !== undefined) {
      this.#observer.observe(screen, { childList: true, subtree: true });
    }
  }

  dispose(): void {
    this.#observer.disconnect();
  }

  #keep(row: Node): void {
    if (
      row.parentElement?.classList.contains('xterm-rows') !== true ||
      (row.textContent ?? '').search(DIRECTION_SIGNS) < 0
    ) {
      return;
    }
    for (const run of row.childNodes) {
      run.textContent = (run.textContent ?? '').replaceAll(DIRECTION_SIGNS, '');
    }
  }
}
