/** The words for what agents were allowed, and for where variables came from. */
import type { ShownEnvironment, ShownGrant, VariableSource } from '../../shared/session-rights.ts';
import type { SessionInfo } from '../../shared/session.ts';
import { shownText } from '../../shared/shown-text.ts';
import { clockText } from './timeline-text.ts';

export function grantCount(count: number): string {
  if (count === 0) {
    return 'Nothing is allowed beyond single runs.';
  }
  return count === 1 ? 'One command is allowed.' : `${count} commands are allowed.`;
}

/** By client, in the order of their first grants. */
export function grantGroups(
  grants: readonly ShownGrant[],
): readonly { readonly client: string; readonly grants: readonly ShownGrant[] }[] {
  const clients = [...new Set(grants.map(({ client }) => client))];
  return clients.map((client) => ({ client, grants: grants.filter((grant) => grant.client === client) }));
}

/** Where it holds, how long, and who allowed it. */
export function grantFacts({ cwd, sandbox, holds, conversation, by, atMs }: ShownGrant): readonly string[] {
  const who = by === 'window' ? 'you' : by === 'command line' ? 'you, on the command line' : shownText(by);
  return [
    `in ${shownText(cwd)}`,
    sandbox === 'none' ? 'without a sandbox' : `in the sandbox ${shownText(sandbox)}`,
    ...(conversation === null ? [] : [`in the conversation ${shownText(conversation)}`]),
    holds === 'for-good' ? 'for good' : 'until it disconnects',
    `allowed by ${who} at ${clockText(atMs)}`,
  ];
}

export interface EnvironmentGroup {
  readonly kind: VariableSource | 'secrets' | 'not-given';
  readonly title: string;
  readonly about: string;
  readonly names: readonly string[];
  /** Shown at once; else behind its title, since there are many. */
  readonly isOpen: boolean;
}

const SOURCES: readonly (readonly [VariableSource, title: string, about: string])[] = [
  ['client', 'Given by the client', 'for this command'],
  ['rule', 'Set by the client’s rules', 'for all of its commands'],
  ['shellscope', 'Set by Shellscope', 'the session’s id, and the proxy of a sandbox'],
  ['host', 'Inherited', 'from the environment Shellscope was started in'],
];

/** Names beyond which a group is behind its title. */
const SHOWN_AT_ONCE = 24;

/** Why there is nothing to tell of a session's variables. */
export function noEnvironment({ state }: Pick<SessionInfo, 'state'>): string {
  if (state === 'starting') {
    return 'It does not run yet, and has been given nothing.';
  }
  return state === 'failed'
    ? 'It never ran, and was given nothing.'
    : 'It ran before Shellscope was started. What it was given then is not kept.';
}

/** What was kept out first; a group without names is left out. A shell of the person's own has no client. */
export function environmentGroups(
  { given, secretsKeptOut, notGiven }: ShownEnvironment,
  isOwnShell: boolean,
): readonly EnvironmentGroup[] {
  const groups: readonly Omit<EnvironmentGroup, 'isOpen'>[] = [
    {
      kind: 'secrets',
      title: 'Kept out',
      about: secretsKeptOut.length === 1 ? 'looks like a credential' : 'look like credentials',
      names: secretsKeptOut,
    },
    ...SOURCES.map(([kind, title, about]) => ({
      kind,
      ...(isOwnShell && kind === 'rule'
        ? { title: 'Set for your shells', about: 'for each of them' }
        : { title, about }),
      names: given.filter(({ source }) => source === kind).map(({ name }) => name),
    })),
    {
      kind: 'not-given',
      title: 'Not inherited',
      about: isOwnShell ? 'not meant for a shell' : 'the client did not ask for them',
      names: notGiven,
    },
  ];
  return groups
    .filter(({ names }) => names.length > 0)
    .map((group) => ({
      ...group,
      isOpen: group.kind !== 'not-given' && (group.kind === 'secrets' || group.names.length <= SHOWN_AT_ONCE),
    }));
}
