import { matchesWildcard } from '../../shared/wildcard.ts';

/** Variables of a process, by name. */
export type Environment = Readonly<Record<string, string>>;

/** What a child's environment is made of. */
export type EnvironmentRequest =
  | { readonly kind: 'exact'; readonly variables: Environment }
  | {
      readonly kind: 'inherit';
      /** `all`, the few that every program expects (`core`), or `none` of the host's variables. */
      readonly from: 'all' | 'core' | 'none';
      /** Also leave out what looks like a credential by its name. */
      readonly excludeCredentials: boolean;
      /** Wildcard patterns (`*`, `?`, case-insensitive) of names to leave out. */
      readonly exclude: readonly string[];
      readonly set: Environment;
      /** When not empty, only names that match one of these patterns stay. */
      readonly includeOnly: readonly string[];
      /** Wins over everything before it. */
      readonly overlay: Environment;
    };

/** What `from: 'core'` inherits. */
const CORE_NAMES = new Set([
  'HOME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TEMP',
  'TMP',
  'TMPDIR',
  'TZ',
  'USER',
  'USERNAME',
]);

/** Names that hold credentials more often than not. */
const CREDENTIAL_PATTERNS = ['*KEY*', '*SECRET*', '*TOKEN*', '*PASSWORD*', '*CREDENTIAL*'];

/**
 * Variables of the host that never reach a child by inheritance. With `ELECTRON_RUN_AS_NODE` a child could start no
 * Electron app; `NODE_OPTIONS` of the host would load our flags into every Node program.
 */
const HOST_ONLY = [
  'ELECTRON_RUN_AS_NODE',
  'ELECTRON_NO_ATTACH_CONSOLE',
  'ELECTRON_OVERRIDE_DIST_PATH',
  'NODE_OPTIONS',
  'SHELLSCOPE_*',
];

/**
 * Where a variable of a child came from: the host's own, the request's rules, what the client gave for this child, or
 * Shellscope itself (its mark, by which the child's processes are found again).
 */
export type VariableOrigin = 'host' | 'rule' | 'client' | 'shellscope';

/** A child's environment, and how it came about; the names may be shown, the values not. */
export interface ChildEnvironment {
  readonly variables: Environment;
  /** By name, as `variables`. */
  readonly origins: Readonly<Record<string, VariableOrigin>>;
  /** Names of the host's variables that the child was not given, sorted. */
  readonly leftOut: readonly string[];
}

/**
 * The whole environment of a child. Rules apply in this order: inherit, exclude, set, include only, overlay.
 * `host` is the environment of the process that hosts the engine.
 */
export function childEnvironment(request: EnvironmentRequest, host: Readonly<NodeJS.ProcessEnv>): ChildEnvironment {
  const hostNames = Object.keys(host).filter((name) => host[name] !== undefined);
  const entries = request.kind === 'exact' ? entriesOf(request.variables, 'client') : ruledEntries(request, host);
  const variables = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
  return {
    variables,
    origins: Object.fromEntries(entries.map(({ name, origin }) => [name, origin])),
    leftOut: hostNames.filter((name) => !Object.hasOwn(variables, name)).toSorted(),
  };
}

interface Entry {
  readonly name: string;
  readonly value: string;
  readonly origin: VariableOrigin;
}

function entriesOf(variables: Environment, origin: VariableOrigin): readonly Entry[] {
  return Object.entries(variables).map(([name, value]) => ({ name, value, origin }));
}

function ruledEntries(
  request: Extract<EnvironmentRequest, { kind: 'inherit' }>,
  host: Readonly<NodeJS.ProcessEnv>,
): readonly Entry[] {
  const excluded = matcher([
    ...HOST_ONLY,
    ...request.exclude,
    ...(request.excludeCredentials ? CREDENTIAL_PATTERNS : []),
  ]);
  const inherited = Object.entries(host).flatMap(([name, value]): Entry[] =>
    value !== undefined &&
    (request.from === 'all' || (request.from === 'core' && CORE_NAMES.has(name))) &&
    !excluded(name)
      ? [{ name, value, origin: 'host' }]
      : [],
  );
  const kept = request.includeOnly.length === 0 ? () => true : matcher(request.includeOnly);
  return [
    ...[...inherited, ...entriesOf(request.set, 'rule')].filter(({ name }) => kept(name)),
    ...entriesOf(request.overlay, 'client'),
  ];
}

/** Answers whether a name fits one of these wildcard patterns, whatever its case. */
export function matcher(patterns: readonly string[]): (name: string) => boolean {
  const lower = patterns.map((pattern) => pattern.toLowerCase());
  return (name) => lower.some((pattern) => matchesWildcard(pattern, name.toLowerCase()));
}
