import type { McpServer, ServerEvent } from '@modelcontextprotocol/server';
import { TurnoverSet } from '../../shared/turnover.ts';
import type { HttpChanges } from './http-changes.ts';
import type { ToldChanges } from './mcp-server.ts';

/** Tells the client of one session over HTTP what changes, by the stream that it holds open for that. */
export class SessionChanges implements ToldChanges {
  readonly #changes: HttpChanges;
  readonly #subscribed = new TurnoverSet<string>();
  #server: McpServer | null = null;
  #unheed: (() => void) | null = null;
  #unfollow: (() => void) | null = null;

  constructor(changes: HttpChanges) {
    this.#changes = changes;
  }

  /** To be called once. */
  serve(server: McpServer): void {
    this.#server = server;
    this.#unheed = this.#changes.onEvent((event) => this.#tell(event));
  }

  subscribe(uri: string): void {
    this.#subscribed.add(uri);
    this.#unfollow ??= this.#changes.followOutput();
  }

  unsubscribe(uri: string): void {
    this.#subscribed.delete(uri);
    if (this.#subscribed.size === 0) {
      this.#stopFollowing();
    }
  }

  dispose(): void {
    this.#unheed?.();
    this.#stopFollowing();
  }

  #tell(event: ServerEvent): void {
    // Whoever is gone, or holds no stream open, needs not be told.
    if (event.kind === 'resources_list_changed') {
      void this.#server?.server.sendResourceListChanged().catch(() => {});
    } else if (event.kind === 'resource_updated' && this.#subscribed.has(event.uri)) {
      void this.#server?.server.sendResourceUpdated({ uri: event.uri }).catch(() => {});
    }
  }

  #stopFollowing(): void {
    this.#unfollow?.();
    this.#unfollow = null;
  }
}
