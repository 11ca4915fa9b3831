import { NON_WORD_CHARACTERS, type FindQuery } from '../../shared/output-search.ts';

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

const WORD = `[^${escaped(NON_WORD_CHARACTERS)}]`;

/** A regular expression that finds a text as a whole word, and nothing but it. */
export function wordPattern(text: string): string {
  return `(?<!${WORD})${escaped(text)}(?!${WORD})`;
}

/** How often a text is in another, without overlaps. */
export function countMatches(text: string, { text: wanted, matchCase, wholeWord }: FindQuery): number {
  const pattern = wholeWord ? wordPattern(wanted) : escaped(wanted);
  return [...text.matchAll(new RegExp(pattern, matchCase ? 'g' : 'gi'))].length;
}
