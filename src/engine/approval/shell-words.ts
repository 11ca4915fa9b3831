import type { Word, WordPart } from 'unbash';
import { UNKNOWN, textWord, type JudgedWord } from './plain-command.ts';

/** What is known of a word before the shell expands it. */
export function judgedWord(word: Word): JudgedWord {
  if (word.parts === undefined) {
    return textWord(word.value);
  }
  const texts = word.parts.map(staticText);
  if (texts.every((text) => text !== null)) {
    return textWord(texts.join(''));
  }
  const [first] = texts;
  const isOneOperand =
    first !== undefined &&
    first !== null &&
    first !== '' &&
    !first.startsWith('-') &&
    word.parts.every((part, index) => texts[index] !== null || part.type === 'Glob');
  const isFileOfProcess = word.parts.length === 1 && word.parts[0]?.type === 'ProcessSubstitution';
  return isOneOperand || isFileOfProcess ? { kind: 'operand' } : UNKNOWN;
}

/**
 * The text that a part stands for; null when that is decided only when it runs. `$'…'` and `$"…"` count as that, though
 * they are fixed: nothing needs them to say something plain, and shells decode them differently.
 */
function staticText(part: WordPart): string | null {
  if (part.type === 'Literal' || part.type === 'SingleQuoted') {
    return part.value;
  }
  if (part.type !== 'DoubleQuoted') {
    return null;
  }
  const inner = part.parts.map((child) => (child.type === 'Literal' ? child.value : null));
  return inner.every((text) => text !== null) ? inner.join('') : null;
}
