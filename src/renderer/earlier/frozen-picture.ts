import type { Disposable } from '../../shared/disposable.ts';
import { requestWindowFrame } from '../window/window-frame.ts';

/** What a terminal shows, as a picture over it, for as long as it is drawn anew beneath. */
export class FrozenPicture implements Disposable {
  readonly #terminal: HTMLElement;
  #picture: HTMLElement | null = null;

  /** The element of a terminal that is drawn by elements of the page. */
  constructor(terminal: HTMLElement) {
    this.#terminal = terminal;
  }

  /** Lays the picture over the terminal, until `release`. */
  freeze(): void {
    const screen = this.#terminal.querySelector<HTMLElement>('.xterm-screen');
    if (screen === null || this.#picture !== null) {
      return;
    }
    const picture = document.createElement('div');
    picture.className = 'frozen-picture';
    picture.ariaHidden = 'true';
    const copy = screen.cloneNode(true);
    if (copy instanceof HTMLElement) {
      // Nothing of it takes a key, or is a second style sheet.
      for (const element of copy.querySelectorAll('.xterm-helpers, style')) {
        element.remove();
      }
      picture.append(copy);
    }
    screen.before(picture);
    this.#picture = picture;
  }

  /** Takes the picture away once the terminal is drawn. */
  release(): void {
    const picture = this.#picture;
    this.#picture = null;
    if (picture !== null) {
      requestWindowFrame(() => picture.remove());
    }
  }

  dispose(): void {
    this.#picture?.remove();
    this.#picture = null;
  }
}
