import { isLive, type ProgramProgress, type SessionId, type SessionInfo } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';

export interface AppProgressOptions {
  /** Called only when it changes; null: there is none to show. */
  readonly show: (progress: ProgramProgress | null) => void;
}

/**
 * The progress on the app's icon: that of the person's own sessions, which she waits for. What agents run is none of it;
 * it is at their tabs.
 */
export class AppProgress {
  readonly #options: AppProgressOptions;
  readonly #known = new TurnoverMap<SessionId, ProgramProgress>();
  #shown: ProgramProgress | null = null;

  constructor(options: AppProgressOptions) {
    this.#options = options;
  }

  sessionChanged({ id, origin, state, progress }: SessionInfo): void {
    if (origin.kind === 'person' && isLive(state) && progress !== null) {
      this.#known.set(id, progress);
      this.#update();
    } else {
      this.sessionRemoved(id);
    }
  }

  sessionRemoved(id: SessionId): void {
    if (this.#known.delete(id)) {
      this.#update();
    }
  }

  #update(): void {
    const progress = joinedProgress([...this.#known.values()]);
    if (progress?.kind !== this.#shown?.kind || progress?.percent !== this.#shown?.percent) {
      this.#shown = progress;
      this.#options.show(progress);
    }
  }
}

/**
 * One progress for several: an error where one has it, else paused where all are, and the mean of those that know how far
 * they are. Null for none.
 */
export function joinedProgress(all: readonly ProgramProgress[]): ProgramProgress | null {
  if (all.length === 0) {
    return null;
  }
  const known = all.flatMap(({ percent }) => percent ?? []);
  const percent = known.length === 0 ? null : Math.round(known.reduce((sum, one) => sum + one, 0) / known.length);
  if (all.some(({ kind }) => kind === 'error')) {
    return { kind: 'error', percent };
  }
  if (all.every(({ kind }) => kind === 'paused')) {
    return { kind: 'paused', percent };
  }
  return { kind: percent === null ? 'indeterminate' : 'normal', percent };
}
