import { parseSync } from 'vite';

/** A node of a syntax tree (ESTree). */
export interface SyntaxNode {
  readonly type: string;
  readonly [key: string]: unknown;
}

/**
 * Parses a module; the path's ending says in which language it is written.
 *
 * @throws when it cannot be parsed; the message names the path.
 */
export function parseModule(path: string, text: string): SyntaxNode {
  const { program, errors } = parseSync(path, text, { sourceType: 'module' });
  const [error] = errors;
  if (error !== undefined) {
    throw new Error(`${path} cannot be parsed: ${error.message}`);
  }
  if (!isSyntaxNode(program)) {
    throw new Error(`${path} was parsed to something that is no syntax tree`);
  }
  return program;
}

/** Tells a node from the other values that a node's fields hold. */
export function isSyntaxNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The text that a literal or a template without values stands for; null for all else. */
export function constantText(node: unknown): string | null {
  if (!isSyntaxNode(node)) {
    return null;
  }
  if (node.type === 'Literal') {
    return typeof node['value'] === 'string' ? node['value'] : null;
  }
  if (node.type !== 'TemplateLiteral' || templateValues(node).length > 0) {
    return null;
  }
  return templateStart(node);
}

/** The text of a template before its first value. */
export function templateStart(node: SyntaxNode): string {
  const [start] = node['quasis'] as readonly { readonly value: { readonly cooked: string | null } }[];
  return start?.value.cooked ?? '';
}

/** The values in a template, as nodes. */
function templateValues(node: SyntaxNode): readonly unknown[] {
  return node['expressions'] as readonly unknown[];
}
