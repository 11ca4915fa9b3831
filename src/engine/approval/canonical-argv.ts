import { carriedBy } from './carried-commands.ts';
import { textOf, textWord } from './plain-command.ts';
import { readShellText, type SecondOpinion } from './shell-text.ts';

/**
 * The argv under which an answer is remembered (D2): a shell with one plain command is that command, however it is
 * quoted and spaced. Everything else stays as it is, so that an answer never covers more than was shown.
 */
export function canonicalArgv(argv: readonly string[], secondOpinion: SecondOpinion): readonly string[] {
  const { texts, doubts, commands } = carriedBy(argv.map(textWord));
  const [text, ...more] = texts;
  const isShell = /^-[a-z]*c$/.test(argv.at(-2) ?? '') && text === argv.at(-1);
  if (!isShell || text === undefined || more.length + doubts.length + commands.length > 0) {
    return argv;
  }
  const reading = readShellText(text, secondOpinion);
  const [command, ...others] = reading.commands;
  if (command === undefined || others.length + reading.doubts.length > 0) {
    return argv;
  }
  const words = command.words.map(textOf);
  return words.every((word) => word !== null) && isAllOf(command.source, text) ? words : argv;
}

/** Not `! ls`, `(ls)`, `ls > /dev/null` or `ls &`: they run the same command and mean another thing. */
function isAllOf(source: string, text: string): boolean {
  return source === text.trim() && !/[<>]/.test(source);
}
