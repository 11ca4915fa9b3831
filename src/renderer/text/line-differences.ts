/** Characters of a difference: it stands beside the name. */
const MAX_DIFFERENCE = 24;

/** Of those, how many may stand before the first character that differs, so that a word is seen from its begin. */
const MAX_BEFORE = 12;

/** Characters of a line that are compared. Lines that differ only after that are told apart by a number. */
const MAX_COMPARED = 4_096;

/** How many characters two texts have alike at their begin. */
export function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) {
    length += 1;
  }
  return length;
}

interface Told {
  readonly lines: readonly string[];
  readonly differences: readonly (string | null)[];
}

/** A line, and where it stands among those of its name. */
interface Placed {
  readonly line: string;
  readonly begin: string;
  readonly places: readonly number[];
}

/** Tells lines of one name apart; anew only when other lines have that name. */
export class LineDifferences {
  readonly #commonLength: typeof commonLength;
  #told: ReadonlyMap<string, Told> = new Map();

  /** Compares the begins of two lines, less often than there are lines. */
  constructor(compare: typeof commonLength = commonLength) {
    this.#commonLength = compare;
  }

  /**
   * Of each line of those that share a name, in their order: where it differs; null where all are the same. Names that are
   * not among these are forgotten.
   */
  of(linesByName: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly (string | null)[]> {
    const told = new Map<string, Told>();
    for (const [name, lines] of linesByName) {
      const before = this.#told.get(name);
      const isKnown = before?.lines.length === lines.length && lines.every((line, at) => line === before.lines[at]);
      told.set(name, isKnown ? before : { lines, differences: this.#differences(lines) });
    }
    this.#told = told;
    return new Map([...told].map(([name, { differences }]) => [name, differences]));
  }

  #differences(lines: readonly string[]): readonly (string | null)[] {
    const sorted = sortedLines(lines);
    const differences = lines.map((): string | null => null);
    if (sorted.length < 2) {
      return differences;
    }
    const words: string[] = [];
    let withPrevious = 0;
    for (const [index, { line, begin, places }] of sorted.entries()) {
      const next = sorted[index + 1];
      const withNext = next === undefined ? 0 : this.#commonLength(begin, next.begin);
      const alike = Math.max(withPrevious, withNext);
      words[places[0] ?? 0] = alike >= MAX_COMPARED ? '' : wordAt(line, alike);
      withPrevious = withNext;
    }
    const told = numbered(words);
    for (const { places } of sorted) {
      for (const place of places) {
        differences[place] = told.get(places[0] ?? 0) ?? '';
      }
    }
    return differences;
  }
}

/** Words by their places, with a number where several are the same. */
function numbered(words: readonly string[]): ReadonlyMap<number, string> {
  const counts = new Map<string, number>();
  words.forEach((word) => counts.set(word, (counts.get(word) ?? 0) + 1));
  const numbers = new Map<string, number>();
  const told = new Map<number, string>();
  words.forEach((word, place) => {
    const number = (numbers.get(word) ?? 0) + 1;
    numbers.set(word, number);
    told.set(place, counts.get(word) === 1 ? word : `${word} ${number}`.trim());
  });
  return told;
}

/**
 * Each line once, so that those stand side by side whose begins are most alike. Sorted and not in a map: an engine may tell
 * the keys of one by their lengths alone where they are long, and compare each with all.
 */
function sortedLines(lines: readonly string[]): readonly Placed[] {
  const all = lines.map((line, place) => ({ line, begin: line.slice(0, MAX_COMPARED), place }));
  all.sort(
    (one, other) =>
      inOrder(one.begin, other.begin) || one.line.length - other.line.length || inOrder(one.line, other.line),
  );
  const sorted: (Placed & { readonly places: number[] })[] = [];
  for (const { line, begin, place } of all) {
    const last = sorted.at(-1);
    if (last?.line === line) {
      last.places.push(place);
    } else {
      sorted.push({ line, begin, places: [place] });
    }
  }
  return sorted;
}

function inOrder(one: string, other: string): number {
  if (one === other) {
    return 0;
  }
  return one < other ? -1 : 1;
}

/** The word of a line around a place, as much of it as tells. */
function wordAt(line: string, place: number): string {
  const before =
    line
      .slice(Math.max(0, place - MAX_BEFORE), place)
      .split(' ')
      .at(-1) ?? '';
  const isCut = before.length === MAX_BEFORE;
  const after = line.slice(place, place + MAX_DIFFERENCE + 1).split(' ', 1)[0] ?? '';
  const word = `${isCut ? '…' : ''}${before}${after}`.replace(/^…?[\udc00-\udfff]/, '…');
  return word.length <= MAX_DIFFERENCE ? word : `${word.slice(0, MAX_DIFFERENCE).replace(/[\ud800-\udbff]$/, '')}…`;
}
