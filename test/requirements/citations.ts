import { constantText, isSyntaxNode, parseModule, templateStart, type SyntaxNode } from '../boundaries/syntax-tree.ts';

/** The text of a file with tests. */
export interface TestFile {
  readonly path: string;
  readonly text: string;
}

/** A test, or a group of tests, whose title cites behaviours. */
export interface Citation {
  readonly path: string;
  readonly title: string;
  readonly ids: readonly string[];
}

/** What the titles of some tests cite. */
export interface Citations {
  readonly citations: readonly Citation[];
  /** Titles that begin like a citation and are none, e.g. `A3 is capped` or `A3,S1: …`. */
  readonly malformed: readonly Omit<Citation, 'ids'>[];
}

const CITATION = /^(?<ids>[A-Z]\d+(?: [A-Z]\d+)*): \S/;
const LIKE_A_CITATION = /^[A-Z]\d+(?!\w)/;

/** A test that does not run shows nothing. `skipIf` and `runIf` do count: they run somewhere. */
const NOT_RUN = new Set(['skip', 'todo', 'fixme']);

/**
 * Reads what the tests of these files cite: titles `A3: …` or `A3 S1: …` of `test`, `it` and `describe`, also in forms
 * like `test.each(rows)('A3: …')` and `test.describe`. A group counts when a test runs in it.
 *
 * @throws when a file cannot be parsed; the message names it.
 */
export function citationsOf(files: readonly TestFile[]): Citations {
  const citations: Citation[] = [];
  const malformed: Omit<Citation, 'ids'>[] = [];
  for (const { path, text } of files) {
    for (const title of runningTitles(parseModule(path, text)).titles) {
      const ids = CITATION.exec(title)?.groups?.['ids'];
      if (ids !== undefined) {
        citations.push({ path, title, ids: ids.split(' ') });
      } else if (LIKE_A_CITATION.test(title)) {
        malformed.push({ path, title });
      }
    }
  }
  return { citations, malformed };
}

interface Found {
  readonly titles: readonly string[];
  /** Whether a test, and not only a group, is in there. */
  readonly runs: boolean;
}

/** The titles of the tests that run, and of the groups around them. */
function runningTitles(node: unknown): Found {
  if (Array.isArray(node)) {
    return join(node.map(runningTitles));
  }
  if (!isSyntaxNode(node)) {
    return { titles: [], runs: false };
  }
  const call = testCallOf(node);
  if (call?.runs === false) {
    return { titles: [], runs: false };
  }
  const inside = join(Object.values(node).map(runningTitles));
  if (call === null) {
    return inside;
  }
  if (call.kind === 'test') {
    return { titles: [call.title, ...inside.titles], runs: true };
  }
  return inside.runs ? { titles: [call.title, ...inside.titles], runs: true } : inside;
}

function join(parts: readonly Found[]): Found {
  return { titles: parts.flatMap(({ titles }) => titles), runs: parts.some(({ runs }) => runs) };
}

interface TestCall {
  readonly kind: 'test' | 'group';
  readonly title: string;
  readonly runs: boolean;
}

/** Reads `test('…')`, `test.only('…')`, `describe.each(rows)('…')`, `test.describe('…')`; null for all else. */
function testCallOf(node: SyntaxNode): TestCall | null {
  if (node.type !== 'CallExpression' || !Array.isArray(node['arguments'])) {
    return null;
  }
  const title = titleOf(node['arguments'][0]);
  if (title === null) {
    return null;
  }
  const words = calleeWords(node['callee']);
  const [name = '', ...modifiers] = words;
  if (!['test', 'it', 'describe'].includes(name) || modifiers.includes('step')) {
    return null;
  }
  return {
    kind: words.includes('describe') ? 'group' : 'test',
    title,
    runs: !modifiers.some((modifier) => NOT_RUN.has(modifier)),
  };
}

/** `test.each(rows)` → `['test', 'each']`; empty for what is not made of names. */
function calleeWords(callee: unknown): readonly string[] {
  if (!isSyntaxNode(callee)) {
    return [];
  }
  switch (callee.type) {
    case 'Identifier':
      return [String(callee['name'])];
    case 'MemberExpression': {
      const words = calleeWords(callee['object']);
      return words.length === 0 ? [] : [...words, ...calleeWords(callee['property'])];
    }
    case 'CallExpression':
      return calleeWords(callee['callee']);
    case 'TaggedTemplateExpression':
      return calleeWords(callee['tag']);
    default:
      return [];
  }
}

/** A title as written; where it is a template with values, its start, and `…` for what follows. */
function titleOf(node: unknown): string | null {
  const text = constantText(node);
  if (text !== null || !isSyntaxNode(node) || node.type !== 'TemplateLiteral') {
    return text;
  }
  return `${templateStart(node)}…`;
}
