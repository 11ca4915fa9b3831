import type { NetworkDoor } from './network-door.ts';

/**
 * A sandbox with every path looked up: canonical, existing, and said what it is. Made by `planSandbox`, turned into
 * arguments by `bubblewrapArguments` and `seatbeltArguments`, which look at nothing.
 */
export interface SandboxPlan {
  /** Canonical absolute path of the directory that the child starts in. */
  readonly cwd: string;
  /** Folders that can be read though they lie in a replaced one: the workspace in a private /tmp. */
  readonly visible: readonly string[];
  /** Folders that are empty inside, and in memory: /run, and with a private one the temporary ones. */
  readonly replaced: readonly { readonly path: string; readonly isWritable: boolean }[];
  readonly writable: readonly string[];
  /** In the writable ones, outermost first. `missing` ones are kept from being made. */
  readonly readOnly: readonly PlannedPath[];
  readonly hidden: readonly PlannedPath[];
  readonly network: 'none' | 'host' | NetworkDoor;
  readonly temp: 'private' | 'host';
}

export interface PlannedPath {
  readonly path: string;
  readonly kind: 'folder' | 'file' | 'missing';
}

/** Does the path lie in the folder, or is it that? Both canonical. */
export function isIn(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

/** Outer folders before those in them, so that a later mount lies on an earlier one. */
export function outermostFirst<T extends { readonly path: string }>(paths: readonly T[]): readonly T[] {
  return paths.toSorted((one, other) => depth(one.path) - depth(other.path) || (one.path < other.path ? -1 : 1));
}

function depth(path: string): number {
  return path.split('/').length;
}
