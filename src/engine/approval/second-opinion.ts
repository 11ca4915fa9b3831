import { readFile } from 'node:fs/promises';
import bashGrammar from 'tree-sitter-bash/tree-sitter-bash.wasm?file';
import { Language, Parser, type Node } from 'web-tree-sitter';
import runtime from 'web-tree-sitter/web-tree-sitter.wasm?file';
import type { SecondOpinion } from './shell-text.ts';

/**
 * Loads tree-sitter-bash: another grammar, by other people, so that a mistake of the one parser is not the other's. It
 * takes about 20 ms, once. Rejects when its files cannot be read; `noSecondOpinion` then stands for it.
 */
export async function openSecondOpinion(): Promise<SecondOpinion> {
  await Parser.init({ wasmBinary: await readFile(runtime) });
  const parser = new Parser();
  parser.setLanguage(await Language.load(await readFile(bashGrammar)));
  return (text) => {
    const tree = parser.parse(text);
    if (tree === null) {
      return { kind: 'unreadable', why: 'it gave up' };
    }
    try {
      if (tree.rootNode.hasError) {
        return { kind: 'unreadable', why: 'it finds an error' };
      }
      return { kind: 'commands', commands: commandsIn(tree.rootNode) };
    } finally {
      tree.delete();
    }
  };
}

/** For a host on which it cannot be loaded: nothing is known to be safe then. */
export const noSecondOpinion: SecondOpinion = () => ({ kind: 'unreadable', why: 'it could not be loaded' });

function commandsIn(root: Node): readonly (readonly string[])[] {
  return root
    .descendantsOfType(['command', 'test_command'])
    .map((node) => (node.type === 'command' ? wordsOf(node) : testWords(node)))
    .filter((words) => words.length > 0);
}

/** Its name and arguments. `time` is a word of the grammar, and here a command like any other. */
function wordsOf(command: Node): readonly string[] {
  const words = command.namedChildren.filter((child) => !NO_WORDS.has(child.type)).map(({ text }) => text);
  if (words[0] !== 'time') {
    return words;
  }
  return words.slice(words[1] === '-p' ? 2 : 1);
}

/** Children of a command that are no words of it. */
const NO_WORDS = new Set([
  'variable_assignment',
  'file_redirect',
  'herestring_redirect',
  'heredoc_redirect',
  'comment',
]);

/** `[` is a program, `[[` is not. */
function testWords(test: Node): readonly string[] {
  return test.text.startsWith('[[') || test.text.startsWith('((') ? [] : test.text.trim().split(/\s+/);
}
