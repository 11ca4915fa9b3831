import type { Logger } from '../../shared/logger.ts';
import type { SessionId } from '../../shared/session.ts';
import type { ListeningPort } from '../backend/listening-sockets.ts';
import { listeningPortsOf, survivorsOf, type ProcessFacts } from '../backend/process-facts.ts';
import type { ProcessIdentity } from '../backend/process-table.ts';
import { ProcessTree, type AdoptedProcess, type Leader } from '../backend/process-tree.ts';
import {
  stopProcesses,
  terminateTree,
  type TerminateOptions,
  type TerminateWitness,
} from '../backend/terminate-tree.ts';

/**
 * What outlived a child is looked for at the next multiple of this time, in milliseconds: commands that follow one
 * another closely, and a hundred sessions that end, share a look, which costs as much as 1 ms per 100 processes.
 */
const LOOK_FOR_SURVIVORS_MS = 100;

export interface SessionTreeOptions {
  readonly id: SessionId;
  readonly leader: Leader;
  readonly mark: string;
  /** See `TreeTraits.terminal`. */
  readonly terminal: () => number | null;
  readonly log: Logger;
  /** What is known of the tree's end has changed. */
  readonly onChange: () => void;
}

/** Everything that was started in one session, while its child runs and after that. */
export class SessionTree {
  readonly #options: SessionTreeOptions;
  readonly #tree: ProcessTree;
  readonly #adopted: AdoptedProcess[] = [];
  #isClosed = false;
  /** Ends the wait for what outlived the child; null while nothing waits. Node keeps each till the whole heap is collected. */
  #waiting: AbortController | null = null;
  #timer: NodeJS.Timeout | null = null;
  #leaderEnded = false;
  /** The whole tree was ended before the leader's exit was told. */
  #isEnded = false;
  #isEmpty: boolean | null = null;

  constructor(options: SessionTreeOptions) {
    const { leader, mark, terminal } = options;
    this.#options = options;
    this.#tree = new ProcessTree({ leader, mark, terminal, adopted: this.#adopted });
  }

  /** True when nothing is left; false when something outlived the child; null while it runs and when that is not known. */
  get isEmpty(): boolean | null {
    return this.#isEmpty;
  }

  /** All of it was ended by `terminate`. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** What the last look found. */
  get known(): readonly ProcessIdentity[] {
    return this.#tree.known;
  }

  /** What a person decided to keep. */
  get adopted(): readonly ProcessIdentity[] {
    return this.#adopted;
  }

  /** Whether anything of it runs at this moment; true where the system would not say. */
  async isRunning(): Promise<boolean> {
    try {
      return !(await this.#tree.look()).isEmpty;
    } catch {
      return true;
    }
  }

  /** The child ended: from now on it is kept account of what outlived it. */
  leaderEnded(): void {
    this.#leaderEnded = true;
    if (this.#isEnded) {
      this.#set(true);
    } else if (!this.#isClosed) {
      this.#timer = setTimeout(
        () => {
          this.#timer = null;
          void this.#awaitEnd();
        },
        LOOK_FOR_SURVIVORS_MS - (Date.now() % LOOK_FOR_SURVIVORS_MS),
      );
    }
  }

  /** Ends all of it; resolves when that is done, or cannot be. */
  async terminate(options: TerminateOptions & TerminateWitness): Promise<void> {
    const survivors = await terminateTree(this.#tree, options);
    for (const survivor of survivors) {
      this.#options.log.error('a process could not be ended', { session: this.#options.id, pid: survivor.pid });
    }
    this.#isEnded = survivors.length === 0;
    this.#set(this.#isEnded);
  }

  /** What still runs of it after the child ended; empty while that runs. */
  async survivors(): Promise<readonly ProcessFacts[]> {
    return this.#leaderEnded ? survivorsOf(this.#tree) : [];
  }

  /** Where its processes listen while the child runs; null where the system does not tell. */
  async listening(): Promise<readonly ListeningPort[] | null> {
    return this.#leaderEnded ? null : listeningPortsOf((await this.#tree.look()).members);
  }

  /** Lets a survivor and what it starts live on, also after the session and the host. Answers false for none of its own. */
  async adopt(pid: number): Promise<boolean> {
    const survivor = (await this.survivors()).find((process) => process.pid === pid);
    if (survivor === undefined) {
      return false;
    }
    const { startTime, command } = survivor;
    const sessionId = this.#options.id;
    this.#adopted.push({ pid, startTime, sessionId, command: command ?? '', adoptedAtMs: Date.now() });
    // From here on it counts no more; what waits for the tree's end goes by what the last look found.
    await this.#look();
    return true;
  }

  /**
   * Ends one survivor and what it starts, as the whole tree is ended; the others run on. Resolves when it is gone, or
   * cannot be ended. Answers false for none of its own.
   */
  async stop(pid: number, options: TerminateOptions): Promise<boolean> {
    const survivor = (await this.survivors()).find((process) => process.pid === pid);
    if (survivor === undefined) {
      return false;
    }
    for (const left of await stopProcesses([survivor], { ...options, adopted: this.#adopted })) {
      this.#options.log.error('a process could not be ended', { session: this.#options.id, pid: left.pid });
    }
    await this.#look();
    return true;
  }

  /** Looks no more. What runs is left as it is. */
  close(): void {
    this.#isClosed = true;
    this.#waiting?.abort();
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }

  async #awaitEnd(): Promise<void> {
    await this.#look();
    if (this.#isEmpty === true || this.#isClosed) {
      return;
    }
    this.#waiting = new AbortController();
    if (await this.#tree.ended(this.#waiting.signal)) {
      this.#set(true);
    }
  }

  async #look(): Promise<void> {
    try {
      const look = await this.#tree.look();
      if (look.isEmpty || look.members.length > 0) {
        this.#set(look.isEmpty);
      }
    } catch {
      // The system would not say what runs: then that is not known.
    }
  }

  #set(isEmpty: boolean): void {
    // Before the child's exit is told nothing can have outlived it; and what is empty stays so.
    if (this.#leaderEnded && this.#isEmpty !== isEmpty && this.#isEmpty !== true) {
      this.#isEmpty = isEmpty;
      this.#options.onChange();
    }
  }
}
