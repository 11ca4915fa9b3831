import { findRuns } from './find-runs.ts';
import { isHarmlessVariable } from './harmless-variables.ts';
import { systemProgram, textOf, textWord, UNKNOWN, type Doubt, type JudgedWord } from './plain-command.ts';

/** What a program like `env`, `xargs` or `sh -c` runs by its arguments. */
export interface Carried {
  /** Does the program do nothing but run these? Then it is as safe as they are. */
  readonly isTransparent: boolean;
  /** Words of each command that it runs. */
  readonly commands: readonly (readonly JudgedWord[])[];
  /** Texts that a shell reads. */
  readonly texts: readonly string[];
  readonly doubts: readonly Doubt[];
}

type Words = readonly JudgedWord[];
type Carrier = (args: Words, name: string) => Carried;

const NOTHING: Carried = { isTransparent: false, commands: [], texts: [], doubts: [] };

/** What a command carries; nothing for a program that runs no others by its arguments, as far as is known. */
export function carriedBy(words: Words): Carried {
  const name = systemProgram(words[0]);
  const carrier = name === null ? undefined : CARRIERS.get(name);
  return carrier === undefined || name === null ? NOTHING : carrier(words.slice(1), name);
}

function odd(name: string, option: JudgedWord | undefined): Carried {
  return {
    ...NOTHING,
    doubts: [{ code: 'odd-option', why: `\`${name} ${textOf(option) ?? '…'}\` is not known here` }],
  };
}

/** Options before the command that is carried: those that stand alone, and those with a value in the next word. */
interface Options {
  readonly alone: RegExp;
  readonly withValue: RegExp;
}

/** Index of the first word that is no option; null when an option is not known. */
function afterOptions(args: Words, { alone, withValue }: Options): number | null {
  let at = 0;
  while (at < args.length) {
    const word = textOf(args[at]);
    if (word === null) {
      // What is not known could be an option.
      return args[at]?.kind === 'operand' ? at : null;
    }
    if (word === '--') {
      return at + 1;
    }
    if (!word.startsWith('-') || word === '-') {
      return at;
    }
    if (withValue.test(word)) {
      at += 2;
    } else if (alone.test(word)) {
      at += 1;
    } else {
      return null;
    }
  }
  return at;
}

const NEVER = /^(?!)/;

/** A program that runs the rest of its words, after its options and a number of operands of its own. */
function prefixProgram(
  options: Options,
  settings: { readonly operands?: number; readonly moreRights?: boolean } = {},
): Carrier {
  return (args, name) => {
    const start = afterOptions(args, options);
    if (start === null) {
      return odd(name, args[0]);
    }
    const rest = args.slice(start + (settings.operands ?? 0));
    return {
      ...NOTHING,
      isTransparent: settings.moreRights !== true && rest.length > 0,
      commands: rest.length === 0 ? [] : [rest],
    };
  };
}

const env: Carrier = (args, name) => {
  let start = afterOptions(args, {
    alone: /^(-i|-0|-v|--ignore-environment|--null|--debug)$|^--unset=/,
    withValue: /^(-u|--unset)$/,
  });
  if (start === null) {
    return odd(name, args[0]);
  }
  const doubts: Doubt[] = [];
  for (let word = textOf(args[start]); word !== null && /^[^=]+=/.test(word); word = textOf(args[start])) {
    const variable = word.slice(0, word.indexOf('='));
    if (!isHarmlessVariable(variable)) {
      doubts.push({ code: 'environment', why: `sets ${variable}, which may change what the program does` });
    }
    start += 1;
  }
  const rest = args.slice(start);
  return { ...NOTHING, isTransparent: rest.length > 0, commands: rest.length === 0 ? [] : [rest], doubts };
};

/** Shells whose language the parser knows. */
const KNOWN_SHELLS = ['sh', 'bash', 'dash', 'ash'];
/** Shells with a language of their own: zsh runs code from file patterns and words like `=ls`. */
const OTHER_SHELLS = ['zsh', 'ksh', 'mksh', 'fish', 'csh', 'tcsh', 'yash', 'elvish', 'nu', 'xonsh', 'pwsh', 'rbash'];
/** A text that means the same to every shell with quotes, `&&`, `;` and `|`. */
const COMMON_LANGUAGE = /^[\w \t\n./:,@%+\-'"&|;]*$/;

const shell: Carrier = (args, name) => {
  const at = args.findIndex((word) => /^-[a-z]*c$/.test(textOf(word) ?? ''));
  if (at < 0) {
    return NOTHING;
  }
  const options = args.slice(0, at + 1);
  if (!options.every((word) => /^(-[lceu]+|--login|--norc|--noprofile|--posix)$/.test(textOf(word) ?? ''))) {
    return odd(name, options[0]);
  }
  const text = textOf(args[at + 1]);
  if (text === null) {
    return {
      ...NOTHING,
      doubts: [{ code: 'computed-text', why: `what ${name} is given to run shows only when it runs` }],
    };
  }
  const doubts: Doubt[] = isReadLikeBash(name, text)
    ? []
    : [{ code: 'other-shell', why: `${name} has a language of its own, which is not read here` }];
  return { isTransparent: true, commands: [], texts: [text], doubts };
};

const evaluate: Carrier = (args, name) => {
  const texts = args.map(textOf);
  return texts.every((text) => text !== null)
    ? { ...NOTHING, isTransparent: texts.length > 0, texts: [texts.join(' ')] }
    : { ...NOTHING, doubts: [{ code: 'computed-text', why: `what \`${name}\` runs shows only when it runs` }] };
};

const command: Carrier = (args, name) => {
  // `command -v ls` only says where it is.
  if (/^-[vV]+$/.test(textOf(args[0]) ?? '')) {
    return NOTHING;
  }
  return prefixProgram({ alone: /^-p$/, withValue: NEVER })(args, name);
};

const xargs: Carrier = (args, name) => {
  const start = afterOptions(args, {
    alone:
      /^(-0|-r|-t|-x|-p|--null|--no-run-if-empty|--verbose|-[nPLsd]\S+|-I\S+|--(max-args|max-procs|delimiter)=.*)$/,
    withValue: /^-[nPLsdIEa]$/,
  });
  if (start === null) {
    return odd(name, args[0]);
  }
  const inner = args.slice(start);
  const place = replacedText(args.slice(0, start));
  // What comes on its input can be any word, also an option. With -I it stands wherever its place is written.
  const words = place === null ? inner : inner.map((word, index) => (index > 0 || holds(word, place) ? UNKNOWN : word));
  return {
    ...NOTHING,
    isTransparent: true,
    commands: [[...(words.length === 0 ? [textWord('echo')] : words), UNKNOWN]],
  };
};

/** The text that xargs -I replaces; null without the option, empty where it is not known. */
function replacedText(options: Words): string | null {
  const at = options.findIndex((word) => textOf(word)?.startsWith('-I') === true);
  const attached = (textOf(options[at]) ?? '').slice('-I'.length);
  return at < 0 ? null : attached === '' ? (textOf(options[at + 1]) ?? '') : attached;
}

function holds(word: JudgedWord, text: string): boolean {
  return textOf(word)?.includes(text) ?? true;
}

/** The commands of `-exec` and its kin. `find` itself is judged by its other words; see `known-safe`. */
const find: Carrier = (args) => ({
  ...NOTHING,
  commands: findRuns(args)
    .map(({ command: words }) => words.map((word) => ((textOf(word) ?? '').includes('{}') ? UNKNOWN : word)))
    .filter((words) => words.length > 0),
});

const trap: Carrier = (args) => {
  const [action] = args;
  const text = textOf(action);
  return text === null || text === '-' || text === '' || text.startsWith('-') ? NOTHING : { ...NOTHING, texts: [text] };
};

const CARRIERS: ReadonlyMap<string, Carrier> = new Map<string, Carrier>([
  ['env', env],
  ['nohup', prefixProgram({ alone: NEVER, withValue: NEVER })],
  ['setsid', prefixProgram({ alone: /^(-[cfw]|--wait|--fork|--ctty)$/, withValue: NEVER })],
  ['nice', prefixProgram({ alone: /^(-n\d+|-\d+|--adjustment=-?\d+)$/, withValue: /^-n$/ })],
  ['ionice', prefixProgram({ alone: /^(-t|-[cn]\d)$/, withValue: /^-[cn]$/ })],
  ['stdbuf', prefixProgram({ alone: /^-[ioe]\S+$/, withValue: /^-[ioe]$/ })],
  [
    'timeout',
    prefixProgram(
      {
        alone: /^(-v|-s\S+|-k\S+|--preserve-status|--foreground|--verbose|--(signal|kill-after)=\S+)$/,
        withValue: /^-[sk]$/,
      },
      { operands: 1 },
    ),
  ],
  ['time', prefixProgram({ alone: /^-[pv]$/, withValue: NEVER })],
  ['command', command],
  ['builtin', prefixProgram({ alone: NEVER, withValue: NEVER })],
  ['exec', prefixProgram({ alone: /^-[cl]+$/, withValue: /^-a$/ })],
  ['eval', evaluate],
  ['xargs', xargs],
  ['find', find],
  ['trap', trap],
  ['busybox', prefixProgram({ alone: NEVER, withValue: NEVER }, { moreRights: true })],
  ['toybox', prefixProgram({ alone: NEVER, withValue: NEVER }, { moreRights: true })],
  ['sudo', prefixProgram({ alone: /^-[AbEHnPSis]+$/, withValue: /^-[CDghpRrtTuU]$/ }, { moreRights: true })],
  ['doas', prefixProgram({ alone: /^-[ns]+$/, withValue: /^-[uC]$/ }, { moreRights: true })],
  ['pkexec', prefixProgram({ alone: NEVER, withValue: /^--user$/ }, { moreRights: true })],
  ...[...KNOWN_SHELLS, ...OTHER_SHELLS].map((name): [string, Carrier] => [name, shell]),
]);

/** Is this a shell by its name, wherever it lies? */
export function isShellName(name: string): boolean {
  return KNOWN_SHELLS.includes(name) || OTHER_SHELLS.includes(name);
}

/** Does the text mean to this shell what it means to bash? Null for a shell that is not known. */
export function isReadLikeBash(shell: string | null, text: string): boolean {
  return (shell !== null && KNOWN_SHELLS.includes(shell)) || COMMON_LANGUAGE.test(text);
}
