import type { ParameterExpansionPart, SyntaxNode } from 'unbash';
import type { Doubt } from './plain-command.ts';

/** Arithmetic of numbers only. A name in it is evaluated again by what it holds, and that can be `a[$(command)]`. */
const PLAIN_ARITHMETIC = /^\$?\(\([\d\s+\-*/%()]*\)\)$/;

/** Tests of [[ … ]] that only compare texts or look at files. `-v` and the number tests evaluate what they are given. */
const PLAIN_TESTS = new Set([
  ...['-a', '-b', '-c', '-d', '-e', '-f', '-g', '-h', '-k', '-n', '-p', '-r', '-s', '-u', '-w', '-x', '-z', '-G', '-L'],
  ...['-N', '-O', '-S', '=', '==', '!=', '=~', '<', '>', '-nt', '-ot', '-ef'],
]);

/**
 * What an expansion could do beside giving a text: run what a variable holds, or assign one (bash(1), "Shell Parameter
 * Expansion" and "Arithmetic Evaluation").
 */
export function expansionDoubt(node: SyntaxNode, source: string): readonly Doubt[] {
  if (node.type === 'ParameterExpansion') {
    return isPlainParameter(node) ? [] : evaluates(node.text);
  }
  if (node.type === 'ArithmeticExpansion') {
    return PLAIN_ARITHMETIC.test(node.text) ? [] : evaluates(node.text);
  }
  if (node.type === 'TestUnary' || node.type === 'TestBinary') {
    return PLAIN_TESTS.has(node.operator) ? [] : evaluates(source.slice(node.pos, node.end));
  }
  return ALWAYS_EVALUATED.has(node.type) ? evaluates(source.slice(node.pos, node.end)) : [];
}

const ALWAYS_EVALUATED: ReadonlySet<SyntaxNode['type']> = new Set(['ArithmeticCommand', 'ArithmeticFor', 'ArrayValue']);

function evaluates(text: string): readonly Doubt[] {
  return [{ code: 'evaluates', why: `\`${text}\` can run or assign something by what a variable holds` }];
}

function isPlainParameter({ prefix, index, operation }: ParameterExpansionPart): boolean {
  if (prefix === '!' || (index !== undefined && !/^(\d+|@|\*)$/.test(index.text))) {
    return false;
  }
  if (operation?.type === 'Default') {
    return operation.operator !== '=' && operation.operator !== ':=';
  }
  return operation === undefined || PLAIN_OPERATIONS.has(operation.type);
}

/** Not: slices (arithmetic), `@P` and its kin, lists of names, and what the parser does not know. */
const PLAIN_OPERATIONS: ReadonlySet<string> = new Set(['Remove', 'Replace', 'CaseModification']);
