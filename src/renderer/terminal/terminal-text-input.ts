import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';

/** Keys that only change what others do: no text comes of them. */
const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'Fn', 'NumLock', 'ScrollLock']);

/** What Chromium calls the code of a key that an input method has taken (UI Events, legacy key codes). */
const TAKEN_BY_INPUT_METHOD = 229;

const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Text that comes without a key: of an emoji picker, a candidate that was clicked, dictation, a program that types for the
 * person. In screen-reader mode xterm takes none of it (xtermjs/xterm.js#3469), since there the text of each key comes to
 * its text area as well, after it was sent; and else none while a key counts as down whose release went elsewhere. Here
 * a text is sent when no key has announced it, and xterm is not told.
 *
 * A composition is sent by xterm: all that the text area has beyond the length that it had before
 * (xtermjs/xterm.js#5698). In screen-reader mode the text area keeps what was typed, and arrows move in it; a composition in
 * its midst would send the wrong end of it. Its cursor is led to the end before one begins.
 */
export class TerminalTextInput implements Disposable {
  readonly #host: HTMLElement;
  readonly #terminal: Terminal;
  readonly #paste: (text: string) => void;
  /** The key that is down, of which text may come: xterm sends that, or has sent it; null once it has come. */
  #announcing: KeyboardEvent | null = null;
  /** What the text area had when a composition began in it. */
  #beforeComposition = '';
  readonly #listeners: readonly (readonly [type: string, listener: (event: Event) => void])[] = [
    ['keydown', (event) => this.#keyDown(event)],
    ['keyup', (event) => this.#keyUp(event)],
    ['keypress', (event) => this.#keyPress(event)],
    ['focusin', () => this.#forgetKey()],
    ['focusout', () => this.#forgetKey()],
    ['beforeinput', (event) => this.#beforeInput(event)],
    ['input', (event) => this.#input(event)],
    ['compositionstart', () => this.#composes()],
    ['compositionend', (event) => this.#composed(event)],
  ];

  /**
   * The terminal must be open in the host. `paste` is given a text that would do more than be text: one with an end of a line
   * or another control character.
   */
  constructor(host: HTMLElement, terminal: Terminal, paste: (text: string) => void) {
    this.#host = host;
    this.#terminal = terminal;
    this.#paste = paste;
    // Before those of the text area itself, since xterm stops some events there.
    for (const [type, listener] of this.#listeners) {
      host.addEventListener(type, listener, { capture: true });
    }
  }

  dispose(): void {
    for (const [type, listener] of this.#listeners) {
      this.#host.removeEventListener(type, listener, { capture: true });
    }
  }

  get #isReadAloud(): boolean {
    return this.#terminal.options.screenReaderMode === true;
  }

  /** A key that was prevented has no text any more. */
  get #isAnnounced(): boolean {
    return this.#announcing !== null && !this.#announcing.defaultPrevented;
  }

  #keyDown(event: Event): void {
    if (!(event instanceof KeyboardEvent) || MODIFIERS.has(event.key)) {
      return;
    }
    this.#announcing = canMakeText(event) ? event : null;
    // Within a composition its arrows move between its parts.
    // oxlint-disable-next-line typescript/no-deprecated -- `key` is the letter itself on macOS; only the code tells
    if (event.keyCode === TAKEN_BY_INPUT_METHOD && this.#isReadAloud && !event.isComposing) {
      const { textarea } = this.#terminal;
      textarea?.setSelectionRange(textarea.value.length, textarea.value.length);
    }
  }

  /** Who types fast has the next key down before the last one is up. */
  #keyUp(event: Event): void {
    if (event instanceof KeyboardEvent && event.code === this.#announcing?.code) {
      this.#forgetKey();
    }
  }

  #forgetKey(): void {
    this.#announcing = null;
  }

  /**
   * Text of a key that was never down: Alt and the digits of a number on Windows, the second character of a key that makes
   * two. xterm would send it, and we its `input` once more.
   */
  #keyPress(event: Event): void {
    if (!(event instanceof KeyboardEvent) || this.#isAnnounced || event.altKey || isShortcut(event)) {
      return;
    }
    // oxlint-disable-next-line typescript/no-deprecated -- no other field tells Enter and Ctrl+M from a text
    const text = String.fromCodePoint(event.charCode);
    if (!CONTROL_CHARACTER.test(text)) {
      event.preventDefault();
      event.stopPropagation();
      this.#terminal.input(text, true);
    }
  }

  /** Here a text is whole: of its lines each makes an `input` of its own, without their ends. */
  #beforeInput(event: Event): void {
    if (!(event instanceof InputEvent) || event.inputType !== 'insertText' || event.isComposing) {
      return;
    }
    // Of no key comes such a text but of one that an input method has taken.
    if (event.data !== null && CONTROL_CHARACTER.test(event.data)) {
      event.preventDefault();
      this.#announcing = null;
      this.#paste(event.data);
    }
  }

  #composes(): void {
    this.#beforeComposition = this.#terminal.textarea?.value ?? '';
  }

  /** A composition cannot be prevented. Chromium tells its end when it is in the text area: xterm, told after us, finds nothing new there. */
  #composed(event: Event): void {
    const { textarea } = this.#terminal;
    if (event instanceof CompositionEvent && textarea !== undefined && CONTROL_CHARACTER.test(event.data)) {
      textarea.value = this.#beforeComposition;
      this.#paste(event.data);
    }
  }

  #input(event: Event): void {
    if (!(event instanceof InputEvent) || event.inputType !== 'insertText') {
      return;
    }
    const isOfKey = this.#isAnnounced;
    this.#announcing = null;
    if (!isOfKey && !event.isComposing && event.data !== null && event.data !== '') {
      event.stopPropagation();
      this.#terminal.input(event.data, true);
    }
  }
}

/** Not of an arrow, Enter or a shortcut: held, they would be taken for the origin of what is dictated meanwhile. */
function canMakeText(event: KeyboardEvent): boolean {
  // oxlint-disable-next-line typescript/no-deprecated -- `key` is the letter itself on macOS; only the code tells
  if (event.keyCode === TAKEN_BY_INPUT_METHOD || event.key === 'Dead') {
    return true;
  }
  return Array.from(event.key).length === 1 && !isShortcut(event);
}

function isShortcut(event: KeyboardEvent): boolean {
  return event.metaKey || (event.ctrlKey && !event.getModifierState('AltGraph'));
}
