import {
  forEachChild,
  parse,
  type Command,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { isHarmlessVariable } from './harmless-variables.ts';
import { hiddenCharacter } from './hidden-characters.ts';
import { textOf, type Doubt, type PlainCommand, type Reading } from './plain-command.ts';
import { expansionDoubt } from './shell-expansions.ts';
import { judgedWord } from './shell-words.ts';

/** What a second, independent parser sees in a text; see `openSecondOpinion`. */
export type SecondOpinion = (text: string) => SecondReading;

/** Raw texts of each simple command's words, in any order; or why it cannot say. */
export type SecondReading =
  | { readonly kind: 'commands'; readonly commands: readonly (readonly string[])[] }
  | { readonly kind: 'unreadable'; readonly why: string };

/**
 * Longest text that is looked at, in UTF-16 code units. Both parsers are linear in practice and need milliseconds for
 * it; a longer one is a program, which a person shall see.
 */
const MAX_TEXT_LENGTH = 64 * 1024;

/** Builtins that tree-sitter-bash has nodes of their own for. They are never safe, so that nothing hangs on them. */
const DECLARATIONS = new Set(['export', 'declare', 'typeset', 'readonly', 'local', 'unset', 'unsetenv']);

/**
 * Every simple command that a shell could run for a text, however deep it stands: in lists, pipes, loops, substitutions,
 * here-documents. What makes them less plain than they look is told as doubts. Bash's language; see `other-shell`.
 */
export function readShellText(text: string, secondOpinion: SecondOpinion): Reading {
  if (text.length > MAX_TEXT_LENGTH) {
    return unreadable(`it has ${text.length} characters; up to ${MAX_TEXT_LENGTH} are looked at`);
  }
  const hidden = hiddenCharacter(text);
  if (hidden !== null) {
    return {
      commands: [],
      doubts: [{ code: 'hidden-characters', why: `it holds the character ${hidden}, which does not show as itself` }],
    };
  }
  const found: Found = { commands: [], raw: [], doubts: [] };
  try {
    visit(parse(text), text, found);
  } catch (error) {
    // A parser that gives up has no opinion.
    return unreadable(`the parser failed: ${String(error)}`);
  }
  return { commands: found.commands, doubts: [...found.doubts, ...differences(found.raw, secondOpinion(text))] };
}

interface Found {
  readonly commands: PlainCommand[];
  /** Raw words of each command, as the second opinion gives them. */
  readonly raw: (readonly string[])[];
  readonly doubts: Doubt[];
}

function unreadable(why: string): Reading {
  return { commands: [], doubts: [{ code: 'unparsed', why: `the command line cannot be read: ${why}` }] };
}

function visit(node: SyntaxNode, source: string, found: Found): void {
  const text = node.type === 'Script' && node.source !== undefined ? node.source : source;
  found.doubts.push(...doubtsOf(node, text));
  if (node.type === 'Command') {
    addCommand(node, text, found);
  }
  forEachChild(node, (child) => visit(child, text, found));
}

function addCommand(command: Command, source: string, found: Found): void {
  const assigned = command.prefix.flatMap((prefix) => (prefix.type === 'Assignment' ? [prefix] : []));
  if (command.name === undefined) {
    const names = assigned.map(({ name }) => name).join(', ');
    if (names !== '') {
      found.doubts.push({ code: 'environment', why: `sets ${names} for what follows` });
    }
    return;
  }
  for (const { name } of assigned.filter((assignment) => !isHarmlessVariable(assignment.name))) {
    found.doubts.push({ code: 'environment', why: `sets ${name}, which may change what the program does` });
  }
  const name = judgedWord(command.name);
  if (textOf(name) === null) {
    found.doubts.push({
      code: 'computed-name',
      why: `which program \`${command.name.text}\` is shows only when it runs`,
    });
  }
  const args = command.args.map((argument) =>
    argument.type === 'Word' ? judgedWord(argument) : ({ kind: 'text', value: argument.text } as const),
  );
  found.commands.push({ words: [name, ...args], source: source.slice(command.pos, command.end) });
  if (!DECLARATIONS.has(command.name.text)) {
    found.raw.push([command.name.text, ...command.args.map((argument) => argument.text)]);
  }
}

function doubtsOf(node: SyntaxNode, source: string): readonly Doubt[] {
  if (node.type === 'Script') {
    return scriptErrors(node);
  }
  if (node.type === 'Function') {
    return [{ code: 'redefines', why: `defines \`${node.name.text}\`, which may stand for a program then` }];
  }
  if (node.type === 'Coproc') {
    return [{ code: 'redefines', why: 'starts a coprocess' }];
  }
  if (node.type === 'For' || node.type === 'Select') {
    return /^[a-z][a-z0-9_]*$/.test(node.name.text)
      ? []
      : [{ code: 'environment', why: `sets ${node.name.text}, which may change what programs do` }];
  }
  if (node.type === 'Redirect' || node.type === 'HereString' || node.type === 'HereDoc') {
    return redirectionDoubts(node);
  }
  if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') {
    return node.script === undefined ? unparsed(node.text) : [];
  }
  return KNOWN_NODES.has(node.type) ? expansionDoubt(node, source) : unparsed(source.slice(node.pos, node.end));
}

/** Nodes that are nothing but what they hold, or whose doubts are told elsewhere. What a later parser adds is not read. */
const KNOWN_NODES: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  ...(['Statement', 'CompoundList', 'Command', 'Pipeline', 'AndOr', 'Redirected', 'Subshell', 'BraceGroup'] as const),
  ...([
    'If',
    'Elif',
    'While',
    'Case',
    'CaseItem',
    'Time',
    'Negation',
    'Assignment',
    'Word',
    'Literal',
    'Glob',
  ] as const),
  ...(['SingleQuoted', 'DoubleQuoted', 'AnsiCQuoted', 'LocaleString', 'SimpleExpansion', 'ExtendedGlob'] as const),
  ...(['BraceExpansion', 'FileDescriptor', 'FileDescriptorVariable', 'HereDocDelimiter', 'HereDocBody'] as const),
  ...([
    'ParameterExpansion',
    'Default',
    'Remove',
    'Replace',
    'Slice',
    'CaseModification',
    'Transform',
    'Names',
  ] as const),
  ...(['ArithmeticExpansion', 'ArithmeticBinary', 'ArithmeticUnary', 'ArithmeticTernary', 'ArithmeticGroup'] as const),
  ...(['ArithmeticWord', 'ArithmeticCommandExpansion', 'ArithmeticCommand', 'ArithmeticFor', 'ArrayValue'] as const),
  ...(['TestCommand', 'TestUnary', 'TestBinary', 'TestLogical', 'TestNot', 'TestGroup'] as const),
]);

function scriptErrors({ errors }: ParsedScript): readonly Doubt[] {
  return (errors ?? []).map(({ message }) => ({
    code: 'unparsed',
    why: `the command line cannot be read: ${message}`,
  }));
}

function unparsed(text: string): readonly Doubt[] {
  return [{ code: 'unparsed', why: `\`${text}\` cannot be read` }];
}

/** Where writing leaves nothing behind. */
const SINKS = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty']);

function redirectionDoubts(redirection: Redirection): readonly Doubt[] {
  if (redirection.descriptor?.type === 'FileDescriptorVariable') {
    return [{ code: 'environment', why: `sets ${redirection.descriptor.name}` }];
  }
  if (redirection.type === 'HereDoc') {
    return redirection.closing === undefined ? unparsed('a here-document without its end') : [];
  }
  if (redirection.type === 'HereString') {
    return redirection.target === undefined ? unparsed('<<<') : [];
  }
  const { operator, target } = redirection;
  const to = targetText(target);
  if (to === null) {
    return [{ code: 'writes-file', why: `where \`${operator} ${target?.text ?? ''}\` leads shows only when it runs` }];
  }
  if (/^\/dev\/(tcp|udp)\//.test(to)) {
    return [{ code: 'network', why: `connects to ${to}` }];
  }
  if (operator === '<' || ((operator === '<&' || operator === '>&') && /^(\d+-?|-)$/.test(to)) || SINKS.has(to)) {
    return [];
  }
  return [{ code: 'writes-file', why: `writes to ${to}` }];
}

function targetText(target: Word | undefined): string | null {
  return target === undefined ? null : textOf(judgedWord(target));
}

function differences(mine: readonly (readonly string[])[], second: SecondReading): readonly Doubt[] {
  if (second.kind === 'unreadable') {
    return [{ code: 'unparsed', why: `the second parser cannot read it: ${second.why}` }];
  }
  const sorted = (commands: readonly (readonly string[])[]) =>
    JSON.stringify(commands.map((words) => words.join('\u0000')).toSorted());
  return sorted(mine) === sorted(second.commands)
    ? []
    : [{ code: 'parsers-differ', why: 'two parsers disagree about which commands it runs' }];
}
