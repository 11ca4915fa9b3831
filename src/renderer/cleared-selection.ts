import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../shared/disposable.ts';

/**
 * Keeps a terminal without a selection from drawing one. xterm 6.0.0's DOM renderer does not forget the last one that it
 * drew: once the cells or their number change it draws that again, over what stands there now. So it did with a match of
 * the find that a longer text is no match for.
 */
export class ClearedSelection implements Disposable {
  readonly #observer: ResizeObserver;

  /** The terminal must be open. */
  constructor(terminal: Pick<Terminal, 'element' | 'hasSelection' | 'clearSelection'>) {
    this.#observer = new ResizeObserver(() => {
      if (!terminal.hasSelection()) {
        // What is cleared is drawn anew, with the next frame.
        terminal.clearSelection();
      }
    });
    const screen = terminal.element?.querySelector('.xterm-screen');
    if (screen !== null && screen !== undefined) {
      this.#observer.observe(screen);
    }
  }

  dispose(): void {
    this.#observer.disconnect();
  }
}
