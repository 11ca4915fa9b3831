import type { ReactNode } from 'react';

/** The blocks whose characters are written from the right (UAX 9, table 4, and DerivedBidiClass.txt), digits in them too. */
const FROM_THE_RIGHT = /([\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]+)/u;

/** Above this no element is made for each run. */
const MAX_RUNS = 1_000;

/**
 * A command or a path in the order of its characters. What stands between two words that are written from the right would
 * otherwise change places with them (UAX 9): `/א/ב` reads as if ב had א in it. Each such word is read in its own direction.
 */
export function InOrder({ text }: { readonly text: string }): ReactNode {
  const runs = text.split(FROM_THE_RIGHT);
  if (runs.length > MAX_RUNS) {
    return <bdo dir="ltr">{text}</bdo>;
  }
  return runs.map((run, index) => (index % 2 === 1 ? <bdi key={index}>{run}</bdi> : run));
}
