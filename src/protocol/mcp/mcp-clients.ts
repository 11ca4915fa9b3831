/** One client, from its first word until it is gone. */
export interface McpClientEntry {
  /** It said what it calls itself. */
  named(name: string): void;
  leave(): void;
}

/** Who is connected by MCP, over whatever road: for a person who wants to see that it worked. */
export class McpClients {
  readonly #entries = new Set<{ name: string; readonly isConnection: boolean }>();
  readonly #onChanged: () => void;

  /** `onChanged` is told whenever `names` answers something else. */
  constructor(onChanged: () => void = () => {}) {
    this.#onChanged = onChanged;
  }

  /**
   * What they call themselves, one for each connection, the first to come first; without those that have not said it. Of
   * those without a connection, each name once: how many there are cannot be told.
   */
  names(): readonly string[] {
    const names: string[] = [];
    for (const { name, isConnection } of this.#entries) {
      if (name !== '' && (isConnection || !names.includes(name))) {
        names.push(name);
      }
    }
    return names;
  }

  /** `isConnection`: it is there until its connection ends. Otherwise it made a request a while ago and may be gone. */
  enter(isConnection: boolean): McpClientEntry {
    const entry = { name: '', isConnection };
    this.#entries.add(entry);
    return {
      named: (name) => this.#change(() => (entry.name = name)),
      leave: () => this.#change(() => this.#entries.delete(entry)),
    };
  }

  #change(change: () => unknown): void {
    const before = this.names().join('\n');
    change();
    if (this.names().join('\n') !== before) {
      this.#onChanged();
    }
  }
}
