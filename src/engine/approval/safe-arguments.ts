import { textOf, type JudgedWord } from './plain-command.ts';

/** Are these arguments such that the program only reads what is there, and runs nothing? */
export type SafeArguments = (args: readonly JudgedWord[]) => boolean;

/** The program has no argument with which it writes a file, runs a program or changes anything. */
export const any: SafeArguments = () => true;

export const none: SafeArguments = (args) => args.length === 0;

/** No options but those listed. What is not known could be one; and so could what follows `--`, as the value of another. */
export function onlyOptions(allowed: RegExp): SafeArguments {
  return (args) => everyText(args, (text) => !isOption(text) || allowed.test(text));
}

/** Every option but those listed, and nothing unknown. For programs with many options of which few matter. */
export function without(refused: RegExp): SafeArguments {
  return (args) => everyText(args, (text) => !isOption(text) || !refused.test(text));
}

/** Is every word one that is known and fine, or at least no option? */
export function everyText(args: readonly JudgedWord[], isFine: (text: string) => boolean): boolean {
  return args.every((word) => {
    const text = textOf(word);
    return text === null ? word.kind === 'operand' : isFine(text);
  });
}

export function isOption(text: string): boolean {
  return text.length > 1 && text.startsWith('-');
}
