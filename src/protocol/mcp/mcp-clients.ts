/** One client, from its first word until it is gone. */
export interface McpClientEntry {
  /** It said what it calls itself. */
  named(name: string): void;
  leave(): void;
}

/** Who is connected by MCP, over whatever road: for a person who wants to see that it worked. */
export class McpClients {
  readonly #entries = new Set<{ name: string }>();
  readonly #onChanged: () => void;

  /** `onChanged` is told whenever `names` answers something else. */
  constructor(onChanged: () => void = () => {}) {
    this.#onChanged = onChanged;
  }

  /** What they call themselves, each once, the first to come first; without those that have not said it. */
  names(): readonly string[] {
    return [...new Set([...this.#entries].map(({ name }) => name))].filter((name) => name !== '');
  }

  enter(): McpClientEntry {
    const entry = { name: '' };
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
