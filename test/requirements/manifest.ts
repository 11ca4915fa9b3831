import { citationsOf, type TestFile } from './citations.ts';

/** What the manifest says, and the tests it is held against. */
export interface Manifest {
  /** Every behaviour: id → what it is. */
  readonly behaviours: Readonly<Record<string, string>>;
  /** Ids that no test cites yet. */
  readonly open: readonly string[];
  readonly tests: readonly TestFile[];
}

/**
 * Says, one sentence each, where the behaviours and the tests disagree; empty when they agree. An id is either cited by
 * a test that runs or listed as open, and never both, so that the list of open ones can only shrink.
 */
export function problemsOf({ behaviours, open, tests }: Manifest): readonly string[] {
  const { citations, malformed } = citationsOf(tests);
  const cited = new Set(citations.flatMap(({ ids }) => ids));
  const listed = new Set(open);
  const known = (id: string): boolean => Object.hasOwn(behaviours, id);
  return [
    ...Object.keys(behaviours)
      .filter((id) => !cited.has(id) && !listed.has(id))
      .map((id) => `${id} is cited by no test that runs: ${behaviours[id] ?? ''}`),
    ...citations.flatMap(({ path, title, ids }) =>
      ids.filter((id) => !known(id)).map((id) => `${path} cites ${id}, which is no behaviour: "${title}"`),
    ),
    ...malformed.map(({ path, title }) => `${path}: a citation is written "A3: …" or "A3 S1: …", not "${title}"`),
    ...[...listed].filter((id) => cited.has(id)).map((id) => `${id} is cited by a test now: take it out of open.json`),
    ...[...listed].filter((id) => !known(id)).map((id) => `open.json lists ${id}, which is no behaviour`),
    ...open.filter((id, index) => open.indexOf(id) !== index).map((id) => `open.json lists ${id} twice`),
  ];
}
