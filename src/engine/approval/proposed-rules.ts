import { isShellName } from './carried-commands.ts';
import type { JudgedInput } from './decide.ts';
import { systemProgram, textOf, type Doubt } from './plain-command.ts';
import type { ApprovalRule } from './policy.ts';
import type { CommandTree } from './read-argv.ts';

/** Programs whose second word says what they do: a rule about `git push` is one, a rule about `git` is none. */
const WITH_SUBCOMMANDS = new Set([
  ...[
    'git',
    'npm',
    'npx',
    'pnpm',
    'yarn',
    'cargo',
    'go',
    'make',
    'docker',
    'podman',
    'kubectl',
    'gh',
    'pip',
    'pip3',
    'uv',
  ],
  ...['poetry', 'bundle', 'gem', 'mvn', 'gradle', 'dotnet', 'apt-get', 'apt', 'brew', 'systemctl', 'terraform'],
]);

/** Subcommands that run whatever follows: only the whole line is a rule. */
const RUNS_ANYTHING = new Set(['exec', 'x', 'run', 'npx', 'dlx', 'config', '-c']);

/**
 * The rules that "always" would write, to be shown before it is chosen. One per command that nothing allows: a prefix
 * of program and subcommand where that means something, else the whole command. A line that is not plain gives a rule
 * about exactly this line, and one that is typed into a shell none.
 */
export function proposedRules(
  commands: readonly CommandTree[],
  { input, doubts }: { readonly input: JudgedInput; readonly doubts: readonly Doubt[] },
): readonly ApprovalRule[] {
  const rules = commands.map(ruleFor);
  if (doubts.length === 0 && commands.length > 0 && rules.every((rule) => rule !== null)) {
    return rules;
  }
  const isExactPossible =
    input.kind === 'argv' &&
    !doubts.some(({ code }) => code === 'environment' || code === 'hidden-characters') &&
    !input.argv.some((word) => /[*?]/.test(word) || word === '' || word.length > 4096);
  return isExactPossible ? [allow(input.argv, 'whole')] : [];
}

function ruleFor({ words }: CommandTree): ApprovalRule | null {
  const texts = words.map(textOf);
  if (!texts.every((text) => text !== null && text !== '' && !/[*?]/.test(text))) {
    return null;
  }
  const known = texts.filter((text) => text !== null);
  const [first, second] = known;
  const name = systemProgram(words[0]);
  if (first === undefined || (name !== null && isShellName(name) && known.some((word) => /^-\w*c$/.test(word)))) {
    return null;
  }
  const isSubcommand =
    name !== null &&
    WITH_SUBCOMMANDS.has(name) &&
    second !== undefined &&
    /^[a-z][\w:-]*$/.test(second) &&
    !RUNS_ANYTHING.has(second);
  return isSubcommand ? allow([name, second], 'prefix') : allow(known, 'whole');
}

function allow(words: readonly string[], match: ApprovalRule['match']): ApprovalRule {
  return { decision: 'allow', words: [...words], match, reason: 'a person allowed it for always' };
}
