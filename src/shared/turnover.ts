/** What is left moves into a fresh table after as many deletions as this part of it, so that each costs the copying of four entries. */
const RENEWED_PART = 1 / 4;

/**
 * A Map of what comes and goes for as long as the host lives.
 *
 * V8 never shrinks or extends the table of a Map in place: each table, full of what it held by then, refers to the one
 * that follows it (for iterators that are under way). Once the collector has moved one to the old generation, that one
 * keeps alive all that follow, and everything that was ever in them, until the next collection of the whole heap: young
 * objects that were dead long ago are copied, and each such pause is several times as long. Here a table that was
 * moved leads to few others.
 *
 * What is walked through is what was there when the walk began.
 */
export class TurnoverMap<K, V> {
  #map: Map<K, V>;
  #deleted = 0;

  constructor(entries: Iterable<readonly [K, V]> = []) {
    this.#map = new Map(entries);
  }

  get size(): number {
    return this.#map.size;
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  set(key: K, value: V): this {
    this.#map.set(key, value);
    return this;
  }

  /** Answers whether it was there. */
  delete(key: K): boolean {
    if (!this.#map.delete(key)) {
      return false;
    }
    this.#deleted += 1;
    if (this.#deleted > this.#map.size * RENEWED_PART) {
      this.#deleted = 0;
      this.#map = new Map(this.#map);
    }
    return true;
  }

  clear(): void {
    this.#deleted = 0;
    this.#map = new Map();
  }

  /** Takes out what has been there longest, until there are at most so many. */
  keepNewest(count: number): void {
    for (const oldest of this.#map.keys()) {
      if (this.#map.size <= count) {
        return;
      }
      this.delete(oldest);
    }
  }

  keys(): readonly K[] {
    return [...this.#map.keys()];
  }

  values(): readonly V[] {
    return [...this.#map.values()];
  }

  entries(): readonly (readonly [K, V])[] {
    return [...this.#map];
  }

  [Symbol.iterator](): IterableIterator<readonly [K, V]> {
    return this.entries()[Symbol.iterator]();
  }
}

/** A Set of what comes and goes for as long as the host lives; see `TurnoverMap`. */
export class TurnoverSet<T> {
  readonly #members = new TurnoverMap<T, true>();

  get size(): number {
    return this.#members.size;
  }

  has(member: T): boolean {
    return this.#members.has(member);
  }

  add(member: T): this {
    this.#members.set(member, true);
    return this;
  }

  /** Answers whether it was in it. */
  delete(member: T): boolean {
    return this.#members.delete(member);
  }

  clear(): void {
    this.#members.clear();
  }

  /** Takes out what has been in it longest, until there are at most so many. */
  keepNewest(count: number): void {
    this.#members.keepNewest(count);
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#members.keys()[Symbol.iterator]() as IterableIterator<T>;
  }
}
