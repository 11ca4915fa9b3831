import type { Disposable } from '../../shared/disposable.ts';
import type { SessionId } from '../../shared/session.ts';
import type { Want, WantsOf } from './person-wants.ts';

/** A notification that the system shows, as far as it is told of it. */
export interface ShownNotice {
  /** Takes it away, wherever the system has it by now. */
  withdraw(): void;
}

/** What shows notifications: the desktop, or a record of them in tests. */
export interface Notifier {
  show(notice: { readonly title: string; readonly body: string; readonly onClick: () => void }): ShownNotice;
}

export interface SystemNoticesOptions {
  readonly notifier: Notifier;
  /** Has one of our windows the keyboard? Then what happens is seen there. */
  readonly isFocused: () => boolean;
  /** Does the person want them at all? Asked each time. */
  readonly isOn: () => boolean;
  /** Brings the window to the person; null: to the questions of agents. */
  readonly onClick: (session: SessionId | null) => void;
}

interface Standing {
  readonly wantIds: ReadonlySet<string>;
  readonly shown: ShownNotice | null;
}

/**
 * Tells a person who is elsewhere what wants her: one notification per session, replaced when there is more, and withdrawn
 * when nothing of it stands any more. What she could see in a window when it came is never told later.
 */
export class SystemNotices implements Disposable {
  readonly #options: SystemNoticesOptions;
  readonly #standing = new Map<string, Standing>();
  readonly #failures = new Map<SessionId, ShownNotice>();

  constructor(options: SystemNoticesOptions) {
    this.#options = options;
  }

  /** All that is wanted now. */
  update(wants: readonly WantsOf[]): void {
    const subjects = new Set(wants.map(({ subject }) => subject));
    for (const [subject, { shown }] of this.#standing) {
      if (!subjects.has(subject)) {
        shown?.withdraw();
        this.#standing.delete(subject);
      }
    }
    for (const one of wants) {
      const before = this.#standing.get(one.subject);
      const wantIds = new Set(one.wants.map(({ id }) => id));
      const isNew = one.wants.some(({ id }) => before?.wantIds.has(id) !== true);
      const shown = isNew ? this.#replace(before?.shown ?? null, one) : (before?.shown ?? null);
      this.#standing.set(one.subject, { wantIds, shown });
    }
  }

  /** A session failed by itself. It takes the place of what the session wanted before. */
  failed(session: SessionId, { title, body }: Want): void {
    this.#failures.get(session)?.withdraw();
    const shown = this.#show({ title, body }, session);
    if (shown !== null) {
      this.#failures.set(session, shown);
    }
  }

  /** The person is at the window: what has failed is seen there. What waits for an answer still does. */
  windowFocused(): void {
    for (const shown of this.#failures.values()) {
      shown.withdraw();
    }
    this.#failures.clear();
  }

  dispose(): void {
    this.windowFocused();
    this.update([]);
  }

  #replace(before: ShownNotice | null, { session, wants }: WantsOf): ShownNotice | null {
    const [first] = wants;
    if (first === undefined) {
      return before;
    }
    const more = wants.slice(1).map(({ title, body }) => `${title}: ${body}`);
    const notice = { title: first.title, body: [first.body, ...more].join('\n') };
    const shown = this.#show(notice, session);
    if (shown !== null) {
      before?.withdraw();
    }
    return shown ?? before;
  }

  #show(notice: { readonly title: string; readonly body: string }, session: SessionId | null): ShownNotice | null {
    const { notifier, isFocused, isOn, onClick } = this.#options;
    return isFocused() || !isOn() ? null : notifier.show({ ...notice, onClick: () => onClick(session) });
  }
}
