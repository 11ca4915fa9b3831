import { carriedBy } from './carried-commands.ts';
import { hiddenCharacter } from './hidden-characters.ts';
import { textOf, textWord, type Doubt, type JudgedWord, type PlainCommand } from './plain-command.ts';
import { readShellText, type SecondOpinion } from './shell-text.ts';

/** A command with what it runs: a tree, because `sudo sh -c 'env X=1 make'` is four commands. */
export interface CommandTree extends PlainCommand {
  readonly carries: readonly CommandTree[];
  /** Does it do nothing but run what it carries? */
  readonly isTransparent: boolean;
}

export interface ArgvReading {
  readonly commands: readonly CommandTree[];
  readonly doubts: readonly Doubt[];
}

/** How deep commands may carry one another. Real ones stand three deep. */
const MAX_DEPTH = 8;

/** Everything that an argv would run, as far as it shows. */
export function readArgv(argv: readonly string[], secondOpinion: SecondOpinion): ArgvReading {
  const [name, ...args] = argv;
  if (name === undefined) {
    return { commands: [], doubts: [{ code: 'unparsed', why: 'there is no command' }] };
  }
  const reader = new TreeReader(secondOpinion);
  const command = reader.tree({ words: [textWord(name), ...args.map(textWord)], source: quoted(argv) }, 0);
  // An argv holds whatever it likes in its arguments; its text for a shell is looked at where it is read.
  const hidden = hiddenCharacter(name);
  return {
    commands: [command],
    doubts: [
      ...(hidden === null
        ? []
        : [{ code: 'hidden-characters' as const, why: `its name holds the character ${hidden}` }]),
      ...reader.doubts,
    ],
  };
}

/** The same for a text that a shell reads. */
export function readText(text: string, secondOpinion: SecondOpinion): ArgvReading {
  const reader = new TreeReader(secondOpinion);
  const commands = reader.text(text, 0);
  return { commands, doubts: reader.doubts };
}

class TreeReader {
  readonly doubts: Doubt[] = [];
  readonly #secondOpinion: SecondOpinion;

  constructor(secondOpinion: SecondOpinion) {
    this.#secondOpinion = secondOpinion;
  }

  tree(command: PlainCommand, depth: number): CommandTree {
    if (depth > MAX_DEPTH) {
      this.doubts.push({ code: 'unparsed', why: `commands stand more than ${MAX_DEPTH} deep in one another` });
      return { ...command, carries: [], isTransparent: false };
    }
    const { commands, texts, doubts, isTransparent } = carriedBy(command.words);
    this.doubts.push(...doubts);
    const carries = [
      ...commands.flatMap((words) => this.#inner(words, command.source, depth)),
      ...texts.flatMap((text) => this.text(text, depth + 1)),
    ];
    return { ...command, carries, isTransparent };
  }

  text(text: string, depth: number): readonly CommandTree[] {
    const { commands, doubts } = readShellText(text, this.#secondOpinion);
    this.doubts.push(...doubts);
    return commands.map((command) => this.tree(command, depth + 1));
  }

  #inner(words: readonly JudgedWord[], source: string, depth: number): readonly CommandTree[] {
    const [name, ...args] = words;
    if (name === undefined) {
      return [];
    }
    if (textOf(name) === null) {
      this.doubts.push({ code: 'computed-name', why: `which program \`${source}\` runs shows only when it runs` });
    }
    return [this.tree({ words: [name, ...args], source: sourceOf(words) ?? source }, depth + 1)];
  }
}

function sourceOf(words: readonly JudgedWord[]): string | null {
  const texts = words.map(textOf);
  return texts.every((text) => text !== null) ? quoted(texts) : null;
}

/** Words as a person could type them. */
function quoted(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
