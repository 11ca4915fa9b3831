import { matchesWildcard } from '../../shared/wildcard.ts';
import { systemProgram, textOf, type JudgedWord } from './plain-command.ts';
import type { ApprovalRule } from './policy.ts';

/** `maybe`: that depends on a word which only the shell will know. */
export type RuleMatch = 'yes' | 'no' | 'maybe';

/** Does a rule fit a command? For an `allow` a `maybe` is no yes; for the others it is a reason to ask. */
export function matchRule(rule: ApprovalRule, words: readonly JudgedWord[]): RuleMatch {
  for (const [index, wanted] of rule.words.entries()) {
    const word = words[index];
    if (word === undefined) {
      return 'no';
    }
    if (word.kind !== 'text') {
      // It may be several words, so that nothing is known of those after it.
      return 'maybe';
    }
    if (!fits(wanted, index === 0 ? namesOf(word, rule.decision) : [word.value])) {
      return 'no';
    }
  }
  if (rule.match === 'prefix') {
    return 'yes';
  }
  const rest = words.slice(rule.words.length);
  return rest.length === 0 ? 'yes' : rest.every((word) => word.kind !== 'text') ? 'maybe' : 'no';
}

function fits(wanted: string | readonly string[], texts: readonly string[]): boolean {
  const patterns = typeof wanted === 'string' ? [wanted] : wanted;
  return patterns.some((pattern) => texts.some((text) => matchesWildcard(pattern, text)));
}

/** The names that a program may be meant by. A program in the workspace that calls itself `git` must not get git's rights. */
function namesOf(word: JudgedWord, decision: ApprovalRule['decision']): readonly string[] {
  const text = textOf(word) ?? '';
  const name = decision === 'allow' ? systemProgram(word) : text.slice(text.lastIndexOf('/') + 1);
  return name === null ? [text] : [text, name];
}

/** Does the rule name one command, word by word, and nothing else? */
export function isExact({ match, words }: ApprovalRule): boolean {
  return match === 'whole' && words.every((word) => typeof word === 'string' && !/[*?]/.test(word));
}
