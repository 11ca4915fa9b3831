import type { ExitStatus } from '../../shared/session.ts';
import type { ProcessIdentity } from '../backend/process-table.ts';

/** Signals that nobody can answer by an exit of his own: whoever gets them is killed, or stands still. */
const NEVER_HEARD: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGSTOP', 'SIGCONT'] as const);

/**
 * What was sent on account of a limit, to tell by the child's exit whether that ended it: at the moment of the hit the
 * child may be about to end by itself, and nobody can know.
 */
export class LimitAction {
  readonly #childPid: number;
  readonly #toChild = new Set<NodeJS.Signals>();
  #hasReachedOthers = false;

  constructor(childPid: number) {
    this.#childPid = childPid;
  }

  /** A signal is about to be sent to a process that lives. */
  readonly onSignal = ({ pid }: ProcessIdentity, signal: NodeJS.Signals): void => {
    if (pid === this.#childPid) {
      this.#toChild.add(signal);
    } else {
      this.#hasReachedOthers = true;
    }
  };

  /** It was also others' end than the child's. */
  get hasReachedOthers(): boolean {
    return this.#hasReachedOthers;
  }

  /** Whether a child that exited so was ended by what was sent: killed by it, or after a signal that it could hear. */
  explains({ exitCode, signal }: ExitStatus): boolean {
    if (signal !== null) {
      return (this.#toChild as ReadonlySet<string>).has(signal);
    }
    const wasAsked = [...this.#toChild].some((sent) => !NEVER_HEARD.has(sent));
    return exitCode === null ? this.#toChild.size > 0 : wasAsked;
  }
}
