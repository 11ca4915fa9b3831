import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { constantText, isSyntaxNode, parseModule, type SyntaxNode } from './syntax-tree.ts';

/** An import that leaves the bundle, e.g. of `node:fs`. */
export interface OutsideImport {
  /** Absolute path of the chunk that has it. */
  readonly chunk: string;
  /** What is imported, as written; null when it is not written as a text and so cannot be known before it runs. */
  readonly module: string | null;
}

/**
 * Walks a built entry and every chunk that it reaches, and answers what they import from outside: by `import`,
 * `export … from`, `import()`, and `require()` whichever way the name `require` came about.
 *
 * @throws when the entry or one of its chunks is not there or cannot be parsed.
 */
export async function outsideImports(entry: string): Promise<readonly OutsideImport[]> {
  const outside: OutsideImport[] = [];
  const waiting = [resolve(entry)];
  const seen = new Set(waiting);
  for (let chunk = waiting.pop(); chunk !== undefined; chunk = waiting.pop()) {
    for (const module of importsOf(chunk, await readFile(chunk, 'utf8'))) {
      if (module?.startsWith('.') !== true) {
        outside.push({ chunk, module });
        continue;
      }
      const next = resolve(dirname(chunk), module);
      if (!seen.has(next)) {
        seen.add(next);
        waiting.push(next);
      }
    }
  }
  return outside;
}

/** What a module's text imports; null for what is computed. */
function importsOf(path: string, text: string): readonly (string | null)[] {
  const found: (string | null)[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const item of node) {
        visit(item);
      }
    } else if (isSyntaxNode(node)) {
      const source = sourceOf(node);
      if (source !== undefined) {
        found.push(source);
      }
      for (const child of Object.values(node)) {
        visit(child);
      }
    }
  };
  visit(parseModule(path, text));
  return found;
}

/** The module that a node imports, null when it is computed, undefined when it is no import. */
function sourceOf(node: SyntaxNode): string | null | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return constantText(node['source']);
    case 'ExportNamedDeclaration':
      return node['source'] === null ? undefined : constantText(node['source']);
    case 'CallExpression': {
      // Bundlers rename: require, __require, require$1, require_1.
      const { callee, arguments: given } = node;
      if (!isSyntaxNode(callee) || callee.type !== 'Identifier' || !Array.isArray(given)) {
        return undefined;
      }
      return /^_*require(?:[$_]\d+)?$/.test(String(callee['name'])) ? constantText(given[0]) : undefined;
    }
    default:
      return undefined;
  }
}
