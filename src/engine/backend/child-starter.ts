import type { TerminalSize } from '../../shared/session.ts';
import type { ChildEvents, ChildProcess, SpawnRequest } from './backend.ts';
import { withNiceness } from './child-niceness.ts';
import { ForkServer } from './fork-server.ts';
import { startPipes, startPipesBy, type PipeOptions } from './pipe-backend.ts';
import { startPty, startPtyBy } from './pty-backend.ts';

/** Starts children: by a fork server where there is one, which is started with the first of them, else in this process. */
export class ChildStarter {
  readonly #niceness: number | null;
  #server: ForkServer | null = null;

  /** `niceness`: of the children; null: the host's. */
  constructor(niceness: number | null) {
    this.#niceness = niceness;
  }

  /** Rejects with `spawn-failed`. */
  async startPty(request: SpawnRequest, size: TerminalSize, events: ChildEvents): Promise<ChildProcess> {
    const server = this.#findServer();
    return server === null
      ? withNiceness(this.#niceness, () => startPty(request, size, events))
      : startPtyBy(server, request, size, events);
  }

  /** Rejects with `spawn-failed`. */
  async startPipes(request: SpawnRequest, options: PipeOptions, events: ChildEvents): Promise<ChildProcess> {
    const server = this.#findServer();
    return server === null
      ? withNiceness(this.#niceness, () => startPipes(request, options, events))
      : startPipesBy(server, request, options, events);
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
