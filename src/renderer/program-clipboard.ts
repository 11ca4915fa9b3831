import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../shared/disposable.ts';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import type { WindowSettings } from '../shared/settings-schema.ts';
import { MAX_CLIPBOARD_PAYLOAD, readClipboardRequest } from './clipboard-request.ts';
import { bytesText } from './text/quantity-text.ts';
import { sessionTitle } from './text/session-text.ts';

/**
 * Milliseconds between two texts of a session that the person is shown: a program that copies all the time is not to
 * have the window drawn all the time.
 */
const SHOWN_EVERY_MS = 250;

/** Milliseconds for which a refusal counts on: a program that tries again and again means the same by it. */
const REFUSAL_HOLDS_MS = 5_000;

/** A text that a session's program wants on the clipboard, and that the person has not decided about. */
export interface ClipboardWish {
  readonly text: string;
  /** Another text has another one: what she answers is meant for the text that she saw. */
  readonly number: number;
}

/** What the window knows of a session whose program wanted the clipboard. */
interface Standing {
  isAllowed: boolean;
  /** Up to when a refusal counts, in `performance.now()`. */
  refusedUntilMs: number;
  /** Set for a moment after its question has changed; what comes meanwhile is shown then. */
  timer: ReturnType<typeof setTimeout> | null;
  newest: string | null;
  isToldTooLarge: boolean;
}

/** `once`: this text. `session`: this and all that comes from the session, as long as this page lives. */
export type ClipboardAnswer = 'once' | 'session' | 'refuse';

export interface ProgramClipboardOptions {
  /** What the settings say now. */
  readonly rule: () => WindowSettings['terminal']['programClipboard'];
  /** Whether somebody can see the session's pane. */
  readonly isInView: (id: SessionId) => boolean;
  /** Puts a text on the system's clipboard. */
  readonly copy: (text: string) => Promise<unknown>;
  /** Brings the keyboard to the session's terminal. */
  readonly toPane: (id: SessionId) => void;
  /** Tells the person of what was not done. */
  readonly notify: (sentence: string) => void;
}

/**
 * The clipboard as far as programs have a say in it (`OSC 52`): they may set it when the person lets them, and can never
 * read it. Only what a program of a pane in view writes now counts: of a hidden tab and of a replay nothing is copied,
 * nothing is asked, and nothing is asked later.
 *
 * There is one question for a session at most, about the newest text.
 */
export class ProgramClipboard implements Disposable {
  readonly wishes: StoreApi<ReadonlyMap<SessionId, ClipboardWish>> = createStore<ReadonlyMap<SessionId, ClipboardWish>>(
    () => new Map(),
  );
  readonly #options: ProgramClipboardOptions;
  readonly #standings = new Map<SessionId, Standing>();
  #lastNumber = 0;
  #isCopying = false;
  #nextCopy: string | null = null;

  constructor(options: ProgramClipboardOptions) {
    this.#options = options;
  }

  /** A program of the session wrote `OSC 52`, not in a replay. `payload`: what stands after `52;`. */
  requested(session: SessionInfo, payload: string): void {
    const { id } = session;
    const rule = this.#options.rule();
    if (rule === 'never' || !this.#options.isInView(id)) {
      return;
    }
    const request = readClipboardRequest(payload);
    if (request.kind === 'too-large') {
      this.#tellTooLarge(session, request.bytes);
    } else if (request.kind === 'write') {
      const standing = this.#standing(id);
      if (rule === 'allow' || standing.isAllowed) {
        this.#copy(request.text);
      } else if (!isRefused(standing)) {
        this.#ask(id, request.text);
      }
    }
  }

  /** The person's answer about the text of that number; for another one than the session's now it changes nothing. */
  answer(id: SessionId, number: number, answer: ClipboardAnswer): void {
    const wish = this.wishes.getState().get(id);
    if (wish?.number !== number) {
      return;
    }
    if (answer === 'refuse') {
      this.#standing(id).refusedUntilMs = performance.now() + REFUSAL_HOLDS_MS;
    } else {
      this.#standing(id).isAllowed = answer === 'session';
      this.#copy(wish.text);
    }
    this.#withdraw(id);
    this.#options.toPane(id);
  }

  /** The settings changed: what may never be done need not be asked. */
  ruleChanged(): void {
    if (this.#options.rule() === 'never') {
      for (const id of this.wishes.getState().keys()) {
        this.#withdraw(id);
      }
    }
  }

  /** Forgets the sessions that are gone. */
  keepOnly(isPresent: (id: SessionId) => boolean): void {
    for (const id of this.#standings.keys()) {
      if (!isPresent(id)) {
        this.#withdraw(id);
        this.#standings.delete(id);
      }
    }
  }

  dispose(): void {
    this.keepOnly(() => false);
  }

  #standing(id: SessionId): Standing {
    const standing = this.#standings.get(id) ?? {
      isAllowed: false,
      refusedUntilMs: 0,
      timer: null,
      newest: null,
      isToldTooLarge: false,
    };
    this.#standings.set(id, standing);
    return standing;
  }

  #ask(id: SessionId, text: string): void {
    const standing = this.#standing(id);
    if (standing.timer !== null) {
      standing.newest = text;
      return;
    }
    if (this.wishes.getState().get(id)?.text === text) {
      return;
    }
    this.#lastNumber += 1;
    this.wishes.setState(new Map(this.wishes.getState()).set(id, { text, number: this.#lastNumber }), true);
    standing.timer = setTimeout(() => {
      const { newest } = standing;
      standing.timer = null;
      standing.newest = null;
      if (newest !== null) {
        this.#ask(id, newest);
      }
    }, SHOWN_EVERY_MS);
  }

  #withdraw(id: SessionId): void {
    const standing = this.#standing(id);
    clearTimeout(standing.timer ?? undefined);
    standing.timer = null;
    standing.newest = null;
    const wishes = new Map(this.wishes.getState());
    if (wishes.delete(id)) {
      this.wishes.setState(wishes, true);
    }
  }

  /** One at a time; of what comes meanwhile the newest. */
  #copy(text: string): void {
    if (this.#isCopying) {
      this.#nextCopy = text;
      return;
    }
    this.#isCopying = true;
    void this.#options.copy(text).finally(() => {
      this.#isCopying = false;
      const next = this.#nextCopy;
      this.#nextCopy = null;
      if (next !== null) {
        this.#copy(next);
      }
    });
  }

  /** Once for each session: the next one would say the same. */
  #tellTooLarge(session: SessionInfo, bytes: number): void {
    const standing = this.#standing(session.id);
    if (standing.isToldTooLarge) {
      return;
    }
    standing.isToldTooLarge = true;
    const most = bytesText((MAX_CLIPBOARD_PAYLOAD * 3) / 4);
    this.#options.notify(
      `${sessionTitle(session)} wanted ${bytesText(bytes)} on the clipboard. A program may copy ${most} at most; nothing was copied.`,
    );
  }
}

/** Each try while a refusal counts makes it count on. */
function isRefused(standing: Standing): boolean {
  const now = performance.now();
  if (standing.refusedUntilMs <= now) {
    return false;
  }
  standing.refusedUntilMs = now + REFUSAL_HOLDS_MS;
  return true;
}
