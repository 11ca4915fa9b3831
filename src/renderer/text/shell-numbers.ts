import { isShellAtPrompt } from '../../shared/session-words.ts';
import { isLive, type SessionId, type SessionInfo } from '../../shared/session.ts';
import { sessionTitle } from './session-text.ts';

interface NumberedName {
  readonly name: string;
  readonly number: number;
}

/**
 * Numbers the person's own live shells that are called alike, as those in one folder are: the one that was started
 * first has 1, the next 2. Each keeps its number while it runs and is called so, also when an earlier one has ended.
 */
export class ShellNumbers {
  #known: ReadonlyMap<SessionId, NumberedName> = new Map();

  /** The numbers above 1. */
  of(sessions: readonly SessionInfo[]): ReadonlyMap<SessionId, number> {
    const own = sessions.filter(
      ({ origin, title, state, folder, argv }) =>
        origin.kind === 'person' && title === null && folder !== null && isLive(state) && isShellAtPrompt(argv),
    );
    const taken = new Map<string, Set<number>>();
    const numbered = new Map<SessionId, NumberedName>();
    const give = (id: SessionId, name: string, number: number): void => {
      numbered.set(id, { name, number });
      const numbers = taken.get(name);
      if (numbers === undefined) {
        taken.set(name, new Set([number]));
      } else {
        numbers.add(number);
      }
    };
    const unnumbered: { readonly session: SessionInfo; readonly name: string }[] = [];
    for (const session of own) {
      const name = sessionTitle(session);
      const known = this.#known.get(session.id);
      if (known?.name === name) {
        give(session.id, name, known.number);
      } else {
        unnumbered.push({ session, name });
      }
    }
    for (const { session, name } of unnumbered.toSorted((a, b) => a.session.startedAtMs - b.session.startedAtMs)) {
      const numbers = taken.get(name);
      let number = 1;
      while (numbers?.has(number) === true) {
        number += 1;
      }
      give(session.id, name, number);
    }
    this.#known = numbered;
    return new Map([...numbered].filter(([, { number }]) => number > 1).map(([id, { number }]) => [id, number]));
  }
}
