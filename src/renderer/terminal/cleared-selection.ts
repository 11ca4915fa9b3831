import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';

/**
 * Keeps a terminal without a selection from drawing one. xterm 6.0.0's DOM renderer does not forget the last one that it
 * drew: whenever it measures its cells anew it draws that again, over what stands there now. So it did with a match of the
 * find that a longer text is no match for.
 */
export class ClearedSelection implements Disposable {
  readonly #observer: MutationObserver;

  /** The terminal must be open. A renderer that comes later is looked after, too. */
  constructor(terminal: Pick<Terminal, 'element' | 'hasSelection' | 'clearSelection'>) {
    const screen = terminal.element?.querySelector('.xterm-screen') ?? null;
    let drawn: Element | null = null;
    this.#observer = new MutationObserver(() => {
      observe();
      if (drawn?.firstChild != null && !terminal.hasSelection()) {
        // What is cleared is drawn anew, before it is painted.
        terminal.clearSelection();
      }
    });
    const observe = (): void => {
      const current = screen?.querySelector(':scope > .xterm-selection') ?? null;
      if (current !== null && current !== drawn) {
        drawn = current;
        this.#observer.observe(current, { childList: true });
      }
    };
    if (screen !== null) {
      this.#observer.observe(screen, { childList: true });
      observe();
    }
  }

  dispose(): void {
    this.#observer.disconnect();
  }
}
