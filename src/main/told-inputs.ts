import type { Engine } from '../engine/engine.ts';
import type { SessionId } from '../shared/session.ts';
import type { TimelineEntry } from '../shared/timeline.ts';

/** The spans of input of a session that a pane was told: each once, and again when it has grown. */
export class ToldInputs {
  readonly #engine: Engine;
  readonly #id: SessionId;
  /** An entry that has grown is another object. */
  readonly #told = new WeakSet<TimelineEntry>();
  /** Of the spans that the pane was told all of. */
  #revision = 0;
  #areAhead = false;

  constructor(engine: Engine, id: SessionId) {
    this.#engine = engine;
    this.#id = id;
  }

  /** Some of them stand in output that the pane has not been given. */
  get areAhead(): boolean {
    return this.#areAhead;
  }

  /** Those to be told with the output that begins at this offset. */
  at(offset: number): readonly TimelineEntry[] {
    return this.#news(this.#engine.inputsAt(this.#id, offset));
  }

  /** Those to be told of a pane that was given output up to here: what stands in output to come is told with it. */
  upTo(endOffset: number): readonly TimelineEntry[] {
    const { revision, entries } = this.#engine.inputsSince(this.#id, this.#revision);
    const reached = entries.filter(({ offset }) => offset <= endOffset);
    this.#areAhead = reached.length < entries.length;
    this.#revision = this.#areAhead ? this.#revision : revision;
    return this.#news(reached);
  }

  #news(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
    const news = entries.filter((entry) => !this.#told.has(entry));
    for (const entry of news) {
      this.#told.add(entry);
    }
    return news;
  }
}
