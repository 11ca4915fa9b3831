import type { TerminalSize } from '../../shared/session.ts';
import type { ChildEvents, ChildProcess, SpawnRequest } from './backend.ts';
import { withNiceness } from './child-niceness.ts';
import { ForkServer } from './fork-server.ts';
import { startPipes, startPipesBy, type PipeOptions } from './pipe-backend.ts';
import { startPty, startPtyBy } from './pty-backend.ts';

export interface StartedChild {
  readonly child: ChildProcess;
  /** Its directory may be let go of. */
  readonly hasDirectory: boolean;
}

/** Starts children: by a fork server where there is one, which is started with the first of them, else in this process. */
export class ChildStarter {
  readonly #niceness: number | null;
  #server: ForkServer | null = null;

  /** `niceness`: of the children; null: the host's. */
  constructor(niceness: number | null) {
    this.#niceness = niceness;
  }

  /** Rejects with `spawn-failed`. */
  async startPty(request: SpawnRequest, size: TerminalSize, events: ChildEvents): Promise<StartedChild> {
    const server = this.#findServer();
    return server === null
      ? { child: withNiceness(this.#niceness, () => startPty(request, size, events)), hasDirectory: false }
      : { child: await startPtyBy(server, request, size, events), hasDirectory: true };
  }

  /** Rejects with `spawn-failed`. */
  async startPipes(request: SpawnRequest, options: PipeOptions, events: ChildEvents): Promise<StartedChild> {
    const server = this.#findServer();
    const child = await (server?.canPipe === true
      ? startPipesBy(server, request, options, events)
      : withNiceness(this.#niceness, () => startPipes(request, options, events)));
    return { child, hasDirectory: true };
  }

  /** No child is started any more. Those that run live on. */
  async dispose(): Promise<void> {
    await this.#server?.dispose();
  }

  /** One that was killed is replaced. */
  #findServer(): ForkServer | null {
    if (this.#server === null || this.#server.isOver) {
      this.#server = ForkServer.start(this.#niceness);
    }
    return this.#server;
  }
}
