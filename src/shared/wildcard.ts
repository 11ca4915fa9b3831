/**
 * Does the pattern with `*` and `?` match the whole text? In time pattern × text at most: patterns come from clients and
 * settings, and a regular expression made of one can run for ages.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  let at = 0;
  let from = 0;
  /** The last star, and how much of the text it has taken so far. */
  let star = -1;
  let taken = 0;
  while (from < text.length) {
    if (pattern[at] === '*') {
      star = at;
      taken = from;
      at += 1;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[from])) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      taken += 1;
      from = taken;
      at = star + 1;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}
