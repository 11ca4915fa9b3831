import { posix } from 'node:path';

/** A document of the repository, by its path from the root. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

export interface Repository {
  /** Whether there is a file or folder of this path, from the root. */
  readonly has: (path: string) => boolean;
  /** Names of package.json's scripts. */
  readonly scripts: readonly string[];
}

/** Folders whose paths documents name in code. */
const NAMED_PATH = /`((?:bench|docs|e2e|scripts|src|test)\/[\w./-]+)`/g;
const LINK = /\]\(([^)\s]+)\)/g;
const NPM_RUN = /\bnpm run (?:--?[\w-]+ )*([\w:-]+)/g;

/** What documents point to that is not there: relative links and their headings, paths in code, `npm run` of no script. */
export function deadReferences(documents: readonly Document[], repository: Repository): readonly string[] {
  const headings = new Map(documents.map(({ path, text }) => [path, headingsOf(text)]));
  return documents.flatMap(({ path, text }) => [
    ...matches(text, LINK)
      .filter((link) => !/^[a-z]+:/.test(link))
      .flatMap((link) => {
        const [target = '', heading] = link.split('#');
        const file = target === '' ? path : posix.join(posix.dirname(path), target);
        if (!repository.has(file)) {
          return [`${path}: there is no ${link}`];
        }
        return heading === undefined || headings.get(file)?.has(heading) === true
          ? []
          : [`${path}: ${file} has no heading #${heading}`];
      }),
    ...matches(text, NAMED_PATH)
      .filter((named) => !repository.has(named))
      .map((named) => `${path}: there is no \`${named}\``),
    ...matches(text, NPM_RUN)
      .filter((script) => !repository.scripts.includes(script))
      .map((script) => `${path}: package.json has no script ${script}`),
  ]);
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

/** As web pages of the documents name them: lower case, without signs, with hyphens for spaces. */
function headingsOf(text: string): ReadonlySet<string> {
  const titles = matches(text, /^#+ (.+)$/gm);
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
