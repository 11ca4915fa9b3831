import { createHash } from 'node:crypto';

/** What was allowed: exactly this command, there, in this sandbox, with these variables changed. */
export interface GrantedCommand {
  /** As `canonicalArgv` answers it. */
  readonly argv: readonly string[];
  /** Another name that the program is told; null for its own. */
  readonly arg0: string | null;
  /** Canonical absolute path. */
  readonly cwd: string;
  /** Text of the sandbox that it runs in, the same for the same sandbox; `none` without one. */
  readonly sandbox: string;
  /** SHA-256 of the variables that the child gets otherwise than the host has them; see `variablesDigest`. */
  readonly variables: string;
}

/** Who asks: a client, and which of its conversations. */
export interface Asker {
  readonly client: string;
  /** The client's stay at this host, by an id that no other client has. */
  readonly session: string;
  /** The client's own name of one of several conversations in it; null when it has none. */
  readonly conversation: string | null;
}

/** Whom it was allowed: one conversation of a client, until the client leaves; or the client for good. */
export type GrantScope = ({ readonly kind: 'session' } & Asker) | { readonly kind: 'client'; readonly client: string };

/** An answer that is remembered, as it is listed and kept. */
export interface Grant extends GrantedCommand {
  readonly id: string;
  readonly scope: GrantScope;
  /** Who answered, for a person. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Where grants of clients are kept. What is for one session ends with it, and is not kept. */
export interface GrantStorage {
  save(grants: readonly Grant[]): void;
}

export interface GrantsOptions {
  /** From an earlier run of the host. */
  readonly kept?: readonly Grant[];
  readonly storage?: GrantStorage;
  readonly now: () => number;
}

/** Grants that are held; the oldest leaves. One is some hundred bytes, and no person says yes ten thousand times. */
const MAX_GRANTS = 10_000;

/** Answers that are remembered, by canonical argv, directory and sandbox (D2). Listed, and revocable at any time. */
export class Grants {
  readonly #grants = new Map<string, Grant>();
  readonly #options: GrantsOptions;
  #lastNumber = 0;

  constructor(options: GrantsOptions) {
    this.#options = options;
    for (const grant of options.kept ?? []) {
      this.#grants.set(grant.id, grant);
      this.#lastNumber = Math.max(this.#lastNumber, Number(/^grant-(\d+)$/.exec(grant.id)?.[1] ?? 0));
    }
  }

  /** Remembers an answer. The same one again is the same grant. */
  add(command: GrantedCommand, scope: GrantScope, by: string): Grant {
    const known = this.list().find((grant) => isSame(grant, command) && isSameScope(grant.scope, scope));
    if (known !== undefined) {
      return known;
    }
    this.#lastNumber += 1;
    const { argv, arg0, cwd, sandbox, variables } = command;
    const grant: Grant = {
      ...{ argv, arg0, cwd, sandbox, variables },
      ...{ id: `grant-${this.#lastNumber}`, scope, by, at: this.#options.now() },
    };
    this.#grants.set(grant.id, grant);
    const [oldest] = this.#grants.keys();
    if (this.#grants.size > MAX_GRANTS && oldest !== undefined) {
      this.#grants.delete(oldest);
    }
    this.#save(scope);
    return grant;
  }

  /** The grant that covers a command of who asks; null when none does. */
  find(command: GrantedCommand, asker: Asker): Grant | null {
    const covers = ({ scope }: Grant): boolean =>
      scope.kind === 'client' ? scope.client === asker.client : isSameAsker(scope, asker);
    return this.list().find((grant) => covers(grant) && isSame(grant, command)) ?? null;
  }

  /** All of them, oldest first. */
  list(): readonly Grant[] {
    return [...this.#grants.values()];
  }

  /** False when there is none by that id. What it let start runs on. */
  revoke(id: string): boolean {
    const grant = this.#grants.get(id);
    if (grant === undefined) {
      return false;
    }
    this.#grants.delete(id);
    this.#save(grant.scope);
    return true;
  }

  /** A client has left, and with it what was allowed for any conversation of that stay. */
  endSession(session: string): void {
    for (const { id, scope } of this.list()) {
      if (scope.kind === 'session' && scope.session === session) {
        this.#grants.delete(id);
      }
    }
  }

  #save(scope: GrantScope): void {
    if (scope.kind === 'client') {
      this.#options.storage?.save(this.list().filter((grant) => grant.scope.kind === 'client'));
    }
  }
}

/** Variables by what they hold, without holding it: their values are never kept. */
export function variablesDigest(variables: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(variables).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

function isSame(one: GrantedCommand, other: GrantedCommand): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf({ argv, arg0, cwd, sandbox, variables }: GrantedCommand): string {
  return JSON.stringify([argv, arg0, cwd, sandbox, variables]);
}

function isSameScope(one: GrantScope, other: GrantScope): boolean {
  return one.kind === 'session'
    ? other.kind === 'session' && isSameAsker(one, other)
    : other.kind === 'client' && one.client === other.client;
}

function isSameAsker(one: Asker, other: Asker): boolean {
  return one.client === other.client && one.session === other.session && one.conversation === other.conversation;
}
