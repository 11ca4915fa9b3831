import { basename } from 'node:path';
import { isSteeringVariable } from './harmless-variables.ts';
import { isKnownSafe } from './known-safe.ts';
import { textWord, type Doubt, type DoubtCode } from './plain-command.ts';
import type { ApprovalMode, ApprovalPolicy, ApprovalRule } from './policy.ts';
import { proposedRules } from './proposed-rules.ts';
import { readArgv, readText, type ArgvReading, type CommandTree } from './read-argv.ts';
import { isExact, matchRule } from './rule-match.ts';
import type { SecondOpinion } from './shell-text.ts';

/** What shall run: a program with its arguments, or a text that is typed into a shell. */
export type JudgedInput =
  | { readonly kind: 'argv'; readonly argv: readonly string[] }
  | { readonly kind: 'text'; readonly text: string };

export interface JudgedRequest {
  readonly input: JudgedInput;
  /** What the program sees as its own name, where that was asked for. */
  readonly arg0?: string | undefined;
  /** Canonical absolute path of the folder that the client works in; null when it has none. */
  readonly workspace: string | null;
  /** Variables that the child gets otherwise than the host has them, by name. */
  readonly changedVariables: Readonly<Record<string, string>>;
  /** Is there a sandbox around it? */
  readonly isSandboxed: boolean;
  /** Does it ask to run with more rights than its sandbox gives? */
  readonly asksMoreRights: boolean;
}

/** Who decided. */
export type DecidedBy =
  | { readonly kind: 'rule'; readonly rule: ApprovalRule; readonly command: string }
  | { readonly kind: 'known-safe' }
  | { readonly kind: 'doubt'; readonly doubt: Doubt }
  | { readonly kind: 'mode'; readonly mode: ApprovalMode };

export interface Decision {
  readonly verdict: 'allow' | 'ask' | 'forbid';
  readonly decidedBy: DecidedBy;
  /** A sentence for a person. */
  readonly why: string;
  /** Everything about the command that is not plain. */
  readonly doubts: readonly Doubt[];
  /** The commands that nothing is known of, as written. */
  readonly unknown: readonly string[];
  /** Rules that an answer "always" would write; empty when it must be asked every time. */
  readonly proposedRules: readonly ApprovalRule[];
}

/** What rules and knowledge say of a command. `none`: nothing, and that is never a yes. */
interface Opinion {
  readonly verdict: 'allow' | 'ask' | 'forbid' | 'none';
  readonly by: DecidedBy | null;
  readonly why: string;
  /** Does a rule allow it without a sandbox, too? */
  readonly coversMoreRights: boolean;
}

/** Doubts for which no list of commands can be trusted to be whole. */
const HIDING: ReadonlySet<DoubtCode> = new Set(['unparsed', 'parsers-differ', 'hidden-characters']);

/**
 * May it run? Pure. First what rules and knowledge say, the strictest first: a rule that forbids, a rule that asks, a
 * line that cannot be read, rules and knowledge that allow *every* command in it. Where they say nothing, the mode says
 * what that means.
 */
export function decide(request: JudgedRequest, policy: ApprovalPolicy, secondOpinion: SecondOpinion): Decision {
  const { input } = request;
  const reading = input.kind === 'argv' ? readArgv(input.argv, secondOpinion) : readText(input.text, secondOpinion);
  const doubts = [...reading.doubts, ...unwrittenDoubts(request)];
  const judged: Judged = { request, policy, reading: { ...reading, doubts } };
  const { verdict, by, why } = byMode(opinionOn(judged), judged);
  const unknown = unallowed(reading.commands, judged).map(({ source }) => source);
  return {
    verdict,
    decidedBy: by ?? { kind: 'mode', mode: policy.mode },
    why,
    doubts,
    unknown,
    proposedRules: verdict === 'ask' ? proposedRules(unallowed(reading.commands, judged), { input, doubts }) : [],
  };
}

interface Judged {
  readonly request: JudgedRequest;
  readonly policy: ApprovalPolicy;
  readonly reading: ArgvReading;
}

/** What decides about the command and does not stand in it. */
function unwrittenDoubts(request: JudgedRequest): readonly Doubt[] {
  return [...nameDoubts(request), ...environmentDoubts(request)];
}

/** Many a program does what its name says: busybox is `sh` under that name. */
function nameDoubts({ input, arg0 }: JudgedRequest): readonly Doubt[] {
  return input.kind === 'text' || !isOtherName(arg0, input.argv)
    ? []
    : [{ code: 'other-name', why: `is told that its name is \`${arg0}\`` }];
}

/** Does the program get another name than that which it is started by? A shell for logins has a `-` before it. */
export function isOtherName(arg0: string | undefined, [program = '']: readonly string[]): boolean {
  return arg0 !== undefined && basename(arg0.replace(/^-/, '')) !== basename(program);
}

function environmentDoubts({ changedVariables }: JudgedRequest): readonly Doubt[] {
  return Object.entries(changedVariables)
    .filter(([name, value]) => isSteeringVariable(name, value))
    .map(([name]) => ({ code: 'environment', why: `its ${name} differs from the host’s` }));
}

function opinionOn(judged: Judged): Opinion {
  const { request, policy, reading } = judged;
  const refusal = strictRule(judged);
  if (refusal !== null) {
    return refusal;
  }
  const { input } = request;
  const exact =
    input.kind === 'argv'
      ? policy.rules.find(
          (rule) => rule.decision === 'allow' && isExact(rule) && matchRule(rule, input.argv.map(textWord)) === 'yes',
        )
      : undefined;
  if (exact !== undefined && unwrittenDoubts(request).length === 0) {
    return byRule('allow', exact, reading.commands[0]?.source ?? '');
  }
  const hiding = reading.doubts.find(({ code }) => HIDING.has(code));
  if (hiding !== undefined) {
    return { verdict: 'ask', by: { kind: 'doubt', doubt: hiding }, why: hiding.why, coversMoreRights: false };
  }
  const [doubt] = reading.doubts;
  const [unknown] = unallowed(reading.commands, judged);
  if (doubt !== undefined || unknown !== undefined || reading.commands.length === 0) {
    const what =
      doubt?.why ?? (unknown === undefined ? 'it runs nothing that is known' : `no rule allows \`${unknown.source}\``);
    return { verdict: 'none', by: null, why: what, coversMoreRights: false };
  }
  return allowedBy(judged);
}

/** The strictest rule that fits any of the commands; null when none forbids or asks. */
function strictRule({ policy, reading }: Judged): Opinion | null {
  const all = reading.commands.flatMap(withCarried);
  for (const [decision, match] of [
    ['forbid', 'yes'],
    ['forbid', 'maybe'],
    ['ask', 'yes'],
    ['ask', 'maybe'],
  ] as const) {
    for (const rule of policy.rules.filter((candidate) => candidate.decision === decision)) {
      const command = all.find(({ words }) => matchRule(rule, words) === match);
      if (command !== undefined) {
        const opinion = byRule(match === 'maybe' ? 'ask' : decision, rule, command.source);
        return match === 'maybe'
          ? { ...opinion, why: `\`${command.source}\` may be what a rule is about: ${rule.reason}` }
          : opinion;
      }
    }
  }
  return null;
}

function allowedBy(judged: Judged): Opinion {
  const used = judged.reading.commands.flatMap(withCarried).flatMap((command) => {
    const rule = command.isTransparent ? undefined : allowRule(command, judged);
    return rule === undefined ? [] : [{ rule, command }];
  });
  const coversMoreRights = judged.reading.commands
    .flatMap(withCarried)
    .filter(({ isTransparent }) => !isTransparent)
    .every((command) => used.some((use) => use.command === command && use.rule.withoutSandbox === true));
  const [first] = used;
  return first === undefined
    ? {
        verdict: 'allow',
        by: { kind: 'known-safe' },
        why: 'it only reads, and runs nothing else',
        coversMoreRights: false,
      }
    : { ...byRule('allow', first.rule, first.command.source), coversMoreRights };
}

function byRule(verdict: 'allow' | 'ask' | 'forbid', rule: ApprovalRule, command: string): Opinion {
  return {
    verdict,
    by: { kind: 'rule', rule, command },
    why: rule.reason,
    coversMoreRights: rule.withoutSandbox === true,
  };
}

/** A command and all that it runs. */
function withCarried(command: CommandTree): readonly CommandTree[] {
  return [command, ...command.carries.flatMap(withCarried)];
}

/** Those that neither a rule allows nor are known to be safe. Who only runs others is as good as they are. */
function unallowed(commands: readonly CommandTree[], judged: Judged): readonly CommandTree[] {
  return commands.flatMap((command) => {
    const carried = unallowed(command.carries, judged);
    if (command.isTransparent) {
      // With nothing carried there is nothing to be as good as.
      return command.carries.length === 0 ? [command] : carried;
    }
    const isAllowed = allowRule(command, judged) !== undefined || isKnownSafe(command.words, judged.request.workspace);
    return isAllowed ? carried : [command, ...carried];
  });
}

function allowRule({ words }: CommandTree, { policy }: Judged): ApprovalRule | undefined {
  const fitting = policy.rules.filter((rule) => rule.decision === 'allow' && matchRule(rule, words) === 'yes');
  return fitting.find(({ withoutSandbox }) => withoutSandbox === true) ?? fitting[0];
}

/** What an opinion comes to in a mode. */
function byMode(
  opinion: Opinion,
  { request, policy }: Judged,
): Pick<Opinion, 'by' | 'why'> & Pick<Decision, 'verdict'> {
  const { mode } = policy;
  const { verdict, by, why, coversMoreRights } = opinion;
  if (verdict === 'forbid') {
    return { verdict, by, why };
  }
  if (verdict === 'allow' && (!request.asksMoreRights || coversMoreRights)) {
    return { verdict, by, why };
  }
  const isRuleToAsk = verdict === 'ask' && by?.kind === 'rule';
  if (mode === 'never-ask') {
    // A line that cannot be read hides nothing where no rule looks for anything.
    const mustAsk =
      isRuleToAsk ||
      request.asksMoreRights ||
      (verdict === 'ask' && policy.rules.some(({ decision }) => decision !== 'allow'));
    return mustAsk
      ? { verdict: 'forbid', by, why: `it would have to be asked, and nobody is: ${askingFor(request, why)}` }
      : { verdict: 'allow', by: { kind: 'mode', mode }, why: 'nothing is asked here, and no rule forbids it' };
  }
  if (verdict === 'none' && mode !== 'ask-unless-known-safe' && request.isSandboxed && !request.asksMoreRights) {
    return { verdict: 'allow', by: { kind: 'mode', mode }, why: 'its sandbox is around it' };
  }
  return { verdict: 'ask', by, why: askingFor(request, why) };
}

function askingFor({ asksMoreRights }: JudgedRequest, why: string): string {
  return asksMoreRights ? `it asks to run without its sandbox; ${why}` : why;
}
