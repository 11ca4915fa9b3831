import type { McpServer } from '@modelcontextprotocol/server';
import type { Engine } from '../../engine/engine.ts';
import type { ToldChanges } from './mcp-server.ts';
import type { OwnSessions } from './own-sessions.ts';
import { ResourceChanges } from './resource-changes.ts';

/** Tells the client of one connection what changes. */
export class StdioChanges implements ToldChanges {
  readonly #changes: ResourceChanges;
  /** What a client of before has subscribed to; null for one of 2026, whose wishes the library knows. */
  #subscribed: Set<string> | null = null;
  #server: McpServer | null = null;
  #isFollowing = false;

  constructor(what: { readonly engine: Engine; readonly own: OwnSessions }) {
    this.#changes = new ResourceChanges(what, {
      // Whoever is gone needs not be told.
      listChanged: () => void this.#server?.server.sendResourceListChanged().catch(() => {}),
      updated: (uri) => {
        if (this.#subscribed === null || this.#subscribed.has(uri)) {
          void this.#server?.server.sendResourceUpdated({ uri }).catch(() => {});
        }
      },
    });
  }

  /** The server of the connection; a later one takes the place of one that only tried the client's revision. */
  serve(server: McpServer, era: 'legacy' | 'modern'): void {
    this.#server = server;
    this.#subscribed = era === 'legacy' ? new Set() : null;
  }

  /** The client asked for a stream of what changes. */
  listens(): void {
    if (!this.#isFollowing) {
      this.#isFollowing = true;
      this.#changes.followOutput();
    }
  }

  subscribe(uri: string): void {
    this.#subscribed?.add(uri);
    this.listens();
  }

  unsubscribe(uri: string): void {
    this.#subscribed?.delete(uri);
  }

  dispose(): void {
    this.#changes.dispose();
  }
}
