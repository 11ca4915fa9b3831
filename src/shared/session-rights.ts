/** What agents were allowed for longer than once, and what their children were given. Plain data, and no value of a variable. */

/** An answer that is remembered, as it is shown. */
export interface ShownGrant {
  readonly id: string;
  readonly client: string;
  /** `session`: until the client leaves. */
  readonly holds: 'session' | 'for-good';
  /** The client's name of the one conversation that it holds for; null when it named none. */
  readonly conversation: string | null;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The sandbox that it holds in, in words. */
  readonly sandbox: string;
  /** Who answered: `window`, `command line`. */
  readonly by: string;
  /** Unix time in milliseconds. */
  readonly atMs: number;
}

/** Whose variable it is: the host's own, the request's rules, the client's for this child, or ours. */
export type VariableSource = 'host' | 'rule' | 'client' | 'shellscope';

/** A child's environment by names. */
export interface ShownEnvironment {
  /** Sorted by name. */
  readonly given: readonly { readonly name: string; readonly source: VariableSource }[];
  /** Variables of the host that look like credentials, and that it was not given; sorted. */
  readonly secretsKeptOut: readonly string[];
  /** The others of the host's that it was not given; sorted. */
  readonly notGiven: readonly string[];
}
