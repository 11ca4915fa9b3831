import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';

/**
 * Takes the page's pastes before xterm's own listeners, which would paste as it is.
 *
 * Not prevented: on Linux and Windows Chromium pastes by itself on Ctrl+Shift+V, and a paste that a page prevents counts
 * as a key that nobody took, so that the menu would paste a second time. What so lands in xterm's text area is cleared.
 */
export class TerminalPaste implements Disposable {
  readonly #host: HTMLElement;
  readonly #terminal: Terminal;
  readonly #paste: (text: string) => void;
  readonly #onPaste = (event: ClipboardEvent): void => this.#take(event);
  readonly #onInput = (event: Event): void => this.#clear(event);

  /** `paste` is given the text as the clipboard has it. */
  constructor(host: HTMLElement, terminal: Terminal, paste: (text: string) => void) {
    this.#host = host;
    this.#terminal = terminal;
    this.#paste = paste;
    host.addEventListener('paste', this.#onPaste, { capture: true });
    host.addEventListener('input', this.#onInput);
  }

  dispose(): void {
    this.#host.removeEventListener('paste', this.#onPaste, { capture: true });
    this.#host.removeEventListener('input', this.#onInput);
  }

  #take(event: ClipboardEvent): void {
    event.stopPropagation();
    this.#paste(event.clipboardData?.getData('text/plain') ?? '');
  }

  #clear(event: Event): void {
    const isPaste = event instanceof InputEvent && event.inputType.startsWith('insertFromPaste');
    if (isPaste && this.#terminal.textarea !== undefined) {
      this.#terminal.textarea.value = '';
    }
  }
}
