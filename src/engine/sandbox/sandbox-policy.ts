import type { ListedHosts } from '../../shared/host-pattern.ts';

/** What a command may do to the machine, as it was asked for. All paths are absolute. */
export type SandboxPolicy = { readonly kind: 'none' } | FencePolicy;

/**
 * A fence. Everything can be read but what is hidden; nothing can be written but what is listed.
 * `read-only` is the one that lists nothing.
 */
export interface FencePolicy {
  readonly kind: 'read-only' | 'workspace-write';
  /** Folders that may be written to; empty with `read-only`. */
  readonly writable: readonly string[];
  /**
   * Files and folders in them that may not, where they are there: a place that is empty is not held. What protects itself
   * (`.git` and agents' settings) need not be named.
   */
  readonly readOnly: readonly string[];
  /** Files, folders and sockets that are not there, e.g. our own state. */
  readonly hidden: readonly string[];
  /** `none`: no network, not even loopback. `host`: all of it. Else what is listed, by the host's proxy. */
  readonly network: 'none' | 'host' | ListedHosts;
  /** `private`: an empty /tmp in memory, gone with the session. `host`: the real one, which may be written to. */
  readonly temp: 'private' | 'host';
  /**
   * `read-only`: the repository's own folder cannot be written to, so that no commit can be made. `commits`: only hooks,
   * configuration and what leads to others are read-only; see docs/sandbox.md for what that leaves open.
   */
  readonly git: 'read-only' | 'commits';
}

/** The fence for working in a folder: it may be written to, and nothing else. */
export function workspaceWrite(workspace: string, more: Partial<Omit<FencePolicy, 'kind'>> = {}): FencePolicy {
  return { ...CLOSED, kind: 'workspace-write', writable: [workspace], ...more };
}

/** The fence for looking around. */
export function readOnly(more: Partial<Omit<FencePolicy, 'kind' | 'writable'>> = {}): FencePolicy {
  return { ...CLOSED, kind: 'read-only', ...more };
}

const CLOSED = {
  writable: [],
  readOnly: [],
  hidden: [],
  network: 'none',
  temp: 'private',
  git: 'read-only',
} as const satisfies Omit<FencePolicy, 'kind'>;

/** For a person: `workspace-write, no network`. */
export function sandboxText(policy: SandboxPolicy): string {
  return policy.kind === 'none' ? 'none' : `${policy.kind}, ${networkText(policy.network)}`;
}

/** Hosts that are named; of more it is told how many. */
const NAMED_HOSTS = 3;

function networkText(network: FencePolicy['network']): string {
  if (typeof network === 'string') {
    return network === 'none' ? 'no network' : 'with network';
  }
  const more = network.allowed.length - NAMED_HOSTS;
  return `network to ${network.allowed.slice(0, NAMED_HOSTS).join(' ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The same for the same sandbox, whatever order its lists are in: what an answer is remembered by (D2). */
export function sandboxKey(policy: SandboxPolicy): string {
  if (policy.kind === 'none') {
    return 'none';
  }
  const { kind, writable, readOnly: protectedPaths, hidden, network, temp, git } = policy;
  const reached = typeof network === 'string' ? network : [network.allowed.toSorted(), network.denied.toSorted()];
  return JSON.stringify([kind, writable.toSorted(), protectedPaths.toSorted(), hidden.toSorted(), reached, temp, git]);
}

/** The words for the sandbox that a key stands for. */
export function sandboxTextOfKey(key: string): string {
  if (key === 'none') {
    return 'none';
  }
  const [kind, , , , reached] = JSON.parse(key) as [FencePolicy['kind'], unknown, unknown, unknown, unknown];
  const network = Array.isArray(reached)
    ? { allowed: reached[0] as readonly string[], denied: reached[1] as readonly string[] }
    : reached === 'host'
      ? 'host'
      : 'none';
  return `${kind}, ${networkText(network)}`;
}
