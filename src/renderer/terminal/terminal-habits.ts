import type { Disposable } from '../../shared/disposable.ts';
import type { TerminalLook } from './terminal-appearance.ts';

/** How long the frame of a bell stays, in milliseconds; several bells in a row are one frame. */
const BELL_SHOWN_MS = 1_000;

/** Milliseconds between two sounds: a program that rings for each line must not make a siren. */
const SOUND_QUIET_MS = 500;

/** The part of xterm that is listened to. */
interface RingingTerminal {
  onBell(listener: () => void): Disposable;
  getSelection(): string;
}

interface TerminalHabitsOptions {
  readonly terminal: RingingTerminal;
  readonly host: HTMLElement;
  readonly look: Pick<TerminalLook, 'bell' | 'copyOnSelect'>;
  /** False while what was printed before is shown again: those bells have rung. */
  readonly isLive: () => boolean;
  readonly copy: (text: string) => void;
  readonly ring: () => void;
}

/** What one terminal does at a bell and after a selection, as the settings say. */
export class TerminalHabits implements Disposable {
  readonly #options: TerminalHabitsOptions;
  readonly #subscription: Disposable;
  readonly #onPress = (): void => this.#options.host.ownerDocument.addEventListener('mouseup', this.#onRelease);
  readonly #onRelease = (): void => this.#released();
  #look: Pick<TerminalLook, 'bell' | 'copyOnSelect'>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #rangAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: TerminalHabitsOptions) {
    this.#options = options;
    this.#look = options.look;
    this.#subscription = options.terminal.onBell(() => {
      if (options.isLive()) {
        this.bell();
      }
    });
    options.host.addEventListener('mousedown', this.#onPress);
  }

  setLook(look: Pick<TerminalLook, 'bell' | 'copyOnSelect'>): void {
    this.#look = look;
  }

  dispose(): void {
    const { host } = this.#options;
    clearTimeout(this.#timer);
    this.#subscription.dispose();
    host.removeEventListener('mousedown', this.#onPress);
    host.ownerDocument.removeEventListener('mouseup', this.#onRelease);
    delete host.dataset['bell'];
  }

  /** Whether a bell is heard, so that one out of view matters. */
  get isHeard(): boolean {
    return this.#look.bell === 'sound';
  }

  /** The program rings now. */
  bell(): void {
    const { host, ring } = this.#options;
    const now = performance.now();
    if (this.#look.bell === 'sound' && now - this.#rangAtMs >= SOUND_QUIET_MS) {
      this.#rangAtMs = now;
      ring();
    }
    if (this.#look.bell === 'visual') {
      host.dataset['bell'] = '';
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => delete host.dataset['bell'], BELL_SHOWN_MS);
    }
  }

  /** Of a drag that began in the terminal, wherever it ends. */
  #released(): void {
    const { host, terminal, copy } = this.#options;
    host.ownerDocument.removeEventListener('mouseup', this.#onRelease);
    const text = this.#look.copyOnSelect ? terminal.getSelection() : '';
    if (text !== '') {
      copy(text);
    }
  }
}
