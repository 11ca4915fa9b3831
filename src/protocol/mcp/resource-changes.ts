import { setTimeout as passed } from 'node:timers/promises';
import type { Engine } from '../../engine/engine.ts';
import type { SessionId } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import type { OwnSessions } from './own-sessions.ts';
import { outputResource } from './session-facts.ts';

/** Time between two tellings of the same change, in milliseconds: a flood of output is told of twice a second. */
const TOLD_EVERY_MS = 500;

/** Who tells the client. Neither may throw. */
export interface ChangeTeller {
  /** Other sessions than before. */
  listChanged(): void;
  /** There is more output, or no more will come. */
  updated(uri: string): void;
}

/**
 * Notices what changes in the resources of one client: sessions that come and go, and their output while somebody wants to
 * be told of it. What comes often is told of together.
 */
export class ResourceChanges {
  readonly #engine: Engine;
  readonly #own: OwnSessions;
  readonly #teller: ChangeTeller;
  readonly #watched = new TurnoverMap<SessionId, AbortController>();
  readonly #unheed: () => void;
  #listTimer: NodeJS.Timeout | undefined;
  /** Who wants to be told of output. */
  #listeners = 0;

  constructor({ engine, own }: { readonly engine: Engine; readonly own: OwnSessions }, teller: ChangeTeller) {
    this.#engine = engine;
    this.#own = own;
    this.#teller = teller;
    this.#unheed = own.onChange(() => this.#sessionsChanged());
  }

  /** From now on output is told of, until the answered function is called. */
  followOutput(): () => void {
    this.#listeners += 1;
    this.#follow();
    let isOver = false;
    return () => {
      if (!isOver) {
        isOver = true;
        this.#listeners -= 1;
        this.#follow();
      }
    };
  }

  dispose(): void {
    this.#unheed();
    clearTimeout(this.#listTimer);
    this.#listeners = 0;
    this.#follow();
  }

  #sessionsChanged(): void {
    this.#follow();
    this.#listTimer ??= setTimeout(() => {
      this.#listTimer = undefined;
      this.#teller.listChanged();
    }, TOLD_EVERY_MS);
  }

  /** Watches those sessions that are to be watched now, and no others. */
  #follow(): void {
    const wanted = new Set(this.#listeners > 0 ? this.#own.all() : []);
    for (const [id, watching] of this.#watched) {
      if (!wanted.has(id)) {
        watching.abort();
        this.#watched.delete(id);
      }
    }
    for (const id of wanted) {
      if (!this.#watched.has(id)) {
        const watching = new AbortController();
        this.#watched.set(id, watching);
        this.#watch(id, watching.signal).catch(() => {
          // Aborted, or there is no such session, or not yet.
          if (this.#watched.get(id) === watching) {
            this.#watched.delete(id);
          }
        });
      }
    }
  }

  /** Ends when no more output will come. Rejects when the session is gone, and at the abort. */
  async #watch(id: SessionId, signal: AbortSignal): Promise<void> {
    let told = await this.#engine.nextActivity(id, -1, signal);
    for (;;) {
      const activity = await this.#engine.nextActivity(id, told, signal);
      if (signal.aborted || activity === told) {
        return;
      }
      told = activity;
      this.#teller.updated(outputResource(id));
      await passed(TOLD_EVERY_MS, undefined, { signal });
    }
  }
}
