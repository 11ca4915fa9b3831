import { EngineError } from '../../shared/errors.ts';
import type { KeyboardHold, SessionId, TerminalSize } from '../../shared/session.ts';

/** Time without a key after which a person has let go of the keyboard of an agent's session, in milliseconds. */
const HANDED_BACK_AFTER_MS = 30_000;

/** What Ctrl-C sends to a terminal. */
const INTERRUPT = 0x03;

export interface KeyboardOptions {
  readonly id: SessionId;
  /** Whose session it is: of a person's own nobody else takes the keyboard. */
  readonly owner: 'person' | 'agent';
  readonly handBackAfterMs?: number;
  readonly onTaken: () => void;
  /** With the size of the terminal to restore; null when the person left it. */
  readonly onHandedBack: (why: 'asked' | 'idle', size: TerminalSize | null) => void;
}

/**
 * Who may type into a session. A person can at any time, and then holds the keyboard: what an agent writes meanwhile is
 * refused whole. It goes back when the person says so, or has not typed for a while.
 */
export class Keyboard {
  readonly #options: KeyboardOptions;
  #held: { readonly sinceMs: number; readonly fromOffset: number; sizeBefore: TerminalSize | null } | null = null;
  #idle: NodeJS.Timeout | null = null;
  #last: KeyboardHold | null = null;

  constructor(options: KeyboardOptions) {
    this.#options = options;
  }

  get holder(): 'person' | 'agent' {
    return this.#held === null ? this.#options.owner : 'person';
  }

  /** The last time that a person held it and let go, for the agent to look at; null when there was none. */
  get last(): KeyboardHold | null {
    return this.#last;
  }

  /** The person types, or sizes the terminal. */
  taken(offset: number): void {
    if (this.#options.owner === 'person') {
      return;
    }
    if (this.#idle !== null) {
      clearTimeout(this.#idle);
    }
    this.#idle = setTimeout(() => this.#letGo('idle'), this.#options.handBackAfterMs ?? HANDED_BACK_AFTER_MS);
    this.#idle.unref();
    if (this.#held === null) {
      this.#held = { sinceMs: Date.now(), fromOffset: offset, sizeBefore: null };
      this.#options.onTaken();
    }
  }

  /** The size before the person's own; to be restored. */
  sizedFrom(size: TerminalSize): void {
    if (this.#held !== null) {
      this.#held.sizeBefore ??= size;
    }
  }

  /** Throws `human-in-control` for what an agent may not write now; an interrupt it always may. */
  checkAgent(bytes: Uint8Array): void {
    const isInterrupt = bytes.length > 0 && bytes.every((byte) => byte === INTERRUPT);
    if (this.holder === 'person' && !isInterrupt) {
      throw new EngineError(
        'human-in-control',
        `human_in_control: a person holds the keyboard of session ${this.#options.id}, and nothing was typed; ` +
          'wait until it is handed back, or send Ctrl-C alone',
      );
    }
  }

  /** Gives it back. Nothing happens when the person does not hold it. */
  handBack(): void {
    this.#letGo('asked');
  }

  dispose(): void {
    if (this.#idle !== null) {
      clearTimeout(this.#idle);
      this.#idle = null;
    }
  }

  #letGo(why: 'asked' | 'idle'): void {
    const held = this.#held;
    this.dispose();
    if (held !== null) {
      this.#held = null;
      this.#last = { sinceMs: held.sinceMs, untilMs: Date.now(), fromOffset: held.fromOffset };
      this.#options.onHandedBack(why, held.sizeBefore);
    }
  }
}
