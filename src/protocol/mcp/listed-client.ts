import type { McpClientEntry, McpClients } from './mcp-clients.ts';
import { UseTimer } from './use-timer.ts';

/**
 * How long a client is listed after its last request, in milliseconds: over HTTP nobody need say goodbye, and an agent that
 * thinks for a while has not gone.
 */
const LISTED_AFTER_REQUEST_MS = 5 * 60_000;

/** A client over HTTP among those that are connected: from its first request until it has made none for a while. */
export class ListedClient {
  readonly #clients: McpClients | undefined;
  readonly #name: string;
  readonly #timer = new UseTimer(LISTED_AFTER_REQUEST_MS, () => this.#unlist());
  #entry: McpClientEntry | null = null;

  constructor(clients: McpClients | undefined, name: string) {
    this.#clients = clients;
    this.#name = name;
  }

  /** One request or stream begins. */
  enter(): void {
    this.#timer.enter();
    if (this.#entry === null) {
      this.#entry = this.#clients?.enter() ?? null;
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
