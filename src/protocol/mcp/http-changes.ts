import { InMemoryServerEventBus, type ServerEvent, type ServerEventBus } from '@modelcontextprotocol/server';
import type { Engine } from '../../engine/engine.ts';
import type { OwnSessions } from './own-sessions.ts';
import { ResourceChanges } from './resource-changes.ts';

/** Tells who listens over HTTP what changes; output is followed while somebody does. */
export class HttpChanges implements ServerEventBus {
  readonly #bus = new InMemoryServerEventBus();
  readonly #changes: ResourceChanges;

  constructor(what: { readonly engine: Engine; readonly own: OwnSessions }) {
    this.#changes = new ResourceChanges(what, {
      listChanged: () => this.publish({ kind: 'resources_list_changed' }),
      updated: (uri) => this.publish({ kind: 'resource_updated', uri }),
    });
  }

  publish(event: ServerEvent): void {
    this.#bus.publish(event);
  }

  /** One stream of one client. */
  subscribe(listener: (event: ServerEvent) => void): () => void {
    const unsubscribe = this.onEvent(listener);
    const unfollow = this.followOutput();
    return () => {
      unsubscribe();
      unfollow();
    };
  }

  /** What is noticed anyway; of output only while somebody follows it. Answers the function that stops it. */
  onEvent(listener: (event: ServerEvent) => void): () => void {
    return this.#bus.subscribe(listener);
  }

  followOutput(): () => void {
    return this.#changes.followOutput();
  }

  dispose(): void {
    this.#changes.dispose();
  }
}
