import { DOOR_INSIDE, RELAY_WORDS } from './network-door.ts';
import { isIn, type PlannedPath, type SandboxPlan } from './sandbox-plan.ts';

/** What this bubblewrap can do. */
export interface BubblewrapAbilities {
  /** `--disable-userns`, from 0.8.0: what runs inside can make no user namespace, and so never gets rights in one. */
  readonly canDisableUserNamespaces: boolean;
}

/** Of /run, what programs need to run at all (NixOS), and to find hosts by name. */
const KEPT_OF_RUN = ['/run/current-system', '/run/wrappers', '/run/opengl-driver', '/run/booted-system'];
const KEPT_FOR_NETWORK = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager/resolv.conf', '/run/nscd'];

/**
 * Arguments for bwrap(1), up to the command; with a door the relay is what starts it. Pure.
 *
 * There is no `--new-session`: the child keeps its terminal, so that job control, Ctrl-C and resizing work as outside.
 * That is safe here because the terminal is the session's own, nothing outside reads from it, and no other descriptor is
 * open in the child. Nothing outside is seen: the process table, /dev and /run are its own. When bwrap or the host ends,
 * everything in it ends.
 *
 * Mounts lie on one another in the order of the arguments: the whole system read-only, the replaced folders, what is
 * writable, what is read-only in that, and what is hidden. Every folder between a writable one and what is protected in it is mounted
 * on itself: a folder that is a mount can be neither renamed nor removed, and so nothing is put in its place.
 */
export function bubblewrapArguments(
  plan: SandboxPlan,
  { canDisableUserNamespaces }: BubblewrapAbilities,
): readonly string[] {
  const { cwd, network, writable, visible } = plan;
  const replaced = plan.replaced.map(({ path }) => path);
  const lost = visible.filter(
    (path) => replaced.some((folder) => isIn(path, folder)) && !writable.some((folder) => isIn(path, folder)),
  );
  return [
    '--die-with-parent',
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network === 'host' ? [] : ['--unshare-net']),
    ...(canDisableUserNamespaces ? ['--disable-userns'] : []),
    ...['--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...plan.replaced.flatMap(({ path }) => ['--perms', '1777', '--tmpfs', path]),
    ...kept(network)
      .filter((path) => replaced.some((folder) => isIn(path, folder)))
      .flatMap((path) => ['--ro-bind-try', path, path]),
    ...doorMounts(network),
    ...lost.flatMap((path) => ['--ro-bind', path, path]),
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...plan.replaced.flatMap(({ path, isWritable }) => (isWritable ? [] : ['--remount-ro', path])),
    ...heldFolders(plan).flatMap((path) => ['--bind', path, path]),
    ...plan.readOnly.flatMap(readOnlyMount),
    ...plan.hidden.filter(({ path }) => !isGone(path, replaced, writable)).flatMap(hidingMount),
    ...['--chdir', cwd, '--'],
    ...(typeof network === 'string' ? [] : RELAY_WORDS),
  ];
}

/** In a folder that is in memory, and that nobody inside can write to afterwards. */
function doorMounts(network: SandboxPlan['network']): readonly string[] {
  return typeof network === 'string'
    ? []
    : ['--ro-bind', network.relay, DOOR_INSIDE.relay, '--ro-bind', network.socket, DOOR_INSIDE.socket];
}

function kept(network: SandboxPlan['network']): readonly string[] {
  return [...KEPT_OF_RUN, ...(network === 'host' ? KEPT_FOR_NETWORK : [])];
}

/** What lies in a folder that is replaced as a whole is not there to be hidden. */
function isGone(path: string, replaced: readonly string[], writable: readonly string[]): boolean {
  return replaced.some((folder) => isIn(path, folder)) && !writable.some((folder) => isIn(path, folder));
}

/** The folders between the writable ones and what is protected in them, outermost first. */
function heldFolders({ writable, readOnly, hidden }: SandboxPlan): readonly string[] {
  const held = [...readOnly, ...hidden].flatMap(({ path }) => {
    const folders: string[] = [];
    const root = writable.filter((folder) => isIn(path, folder) && folder !== path).at(-1);
    for (
      let folder = parentOf(path);
      root !== undefined && folder !== root && isIn(folder, root);
      folder = parentOf(folder)
    ) {
      folders.unshift(folder);
    }
    return folders;
  });
  return [...new Set(held)].toSorted((one, other) => one.split('/').length - other.split('/').length);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function readOnlyMount({ path, kind }: PlannedPath): readonly string[] {
  return kind === 'missing' ? hidingMount({ path, kind: 'folder' }) : ['--ro-bind', path, path];
}

/** An empty folder that stays empty, or an empty file. */
function hidingMount({ path, kind }: PlannedPath): readonly string[] {
  return kind === 'file' ? ['--ro-bind', '/dev/null', path] : ['--tmpfs', path, '--remount-ro', path];
}
