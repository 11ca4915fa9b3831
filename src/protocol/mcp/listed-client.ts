import type { McpClientEntry, McpClients } from './mcp-clients.ts';
import { UseTimer } from './use-timer.ts';

/** A client over HTTP among those that are connected: from its first request until it has made none for a while. */
export class ListedClient {
  readonly #clients: McpClients | undefined;
  readonly #name: string;
  readonly #timer: UseTimer;
  #entry: McpClientEntry | null = null;

  /** `leftAfterMs`: it is listed for so many milliseconds after its last request. */
  constructor(clients: McpClients | undefined, name: string, leftAfterMs: number) {
    this.#clients = clients;
    this.#name = name;
    this.#timer = new UseTimer(leftAfterMs, () => this.#unlist());
  }

  /** One request or stream begins. */
  enter(): void {
    this.#timer.enter();
    if (this.#entry === null) {
      this.#entry = this.#clients?.enter(false) ?? null;
      this.#entry?.named(this.#name);
    }
  }

  /** And ends. */
  leave(): void {
    this.#timer.leave();
  }

  dispose(): void {
    this.#timer.dispose();
    this.#unlist();
  }

  #unlist(): void {
    this.#entry?.leave();
    this.#entry = null;
  }
}
