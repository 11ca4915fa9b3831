import { NON_WORD_CHARACTERS, type FindQuery } from '../../shared/output-search.ts';

/** Matches of one terminal that are counted and coloured; more of them slow down the typing of the query. */
export const MAX_MATCHES = 1_000;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

const WORD = `[^${escaped(NON_WORD_CHARACTERS)}]`;

/** A regular expression that finds a text as a whole word, and nothing but it. */
export function wordPattern(text: string): string {
  return `(?<!${WORD})${escaped(text)}(?!${WORD})`;
}

/** Finds a text anywhere in another, again and again. */
export function findPattern({ text, matchCase, wholeWord }: FindQuery): RegExp {
  return new RegExp(wholeWord ? wordPattern(text) : escaped(text), matchCase ? 'g' : 'gi');
}

/** How often a text is in another, without overlaps. */
export function countMatches(text: string, query: FindQuery): number {
  return [...text.matchAll(findPattern(query))].length;
}
