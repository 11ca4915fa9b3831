import { lstat, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import type { NetworkDoor } from './network-door.ts';
import { isIn, outermostFirst, type PlannedPath, type SandboxPlan } from './sandbox-plan.ts';
import type { FencePolicy } from './sandbox-policy.ts';

/** Settings of agents, by which one of them could give itself or another more than it was given. */
const SETTINGS_OF_AGENTS = ['.agents', '.claude', '.codex', '.mcp.json'];

/** What in a repository's own folder runs programs, or leads to another one that does (gitrepository-layout(5)). */
const STEERING_GIT = ['config', 'config.worktree', 'hooks', 'modules', 'worktrees', 'commondir'];

/** Variables that tell where a socket lies through which somebody outside does what is asked. */
const SOCKET_VARIABLES = ['SSH_AUTH_SOCK', 'DBUS_SESSION_BUS_ADDRESS', 'DOCKER_HOST', 'WAYLAND_DISPLAY'];

/** Sockets whose places are fixed. */
const SOCKET_PLACES = ['/tmp/.X11-unix', '/tmp/.ICE-unix', '/var/lib/docker.sock'];

export interface PlanRequest {
  readonly policy: FencePolicy;
  /** Absolute path. */
  readonly cwd: string;
  /** The child's environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** The way to the hosts that the policy lists; else there is none. */
  readonly door?: NetworkDoor;
}

/**
 * Looks up every path of a sandbox. Links are followed now, so that what they lead to later changes nothing. Rejects
 * with `invalid-argument` for a folder that is not there, and where a link stands in the place of what is protected: a
 * link can be replaced in a writable folder, and nothing can be mounted on it.
 */
export async function planSandbox({ policy, cwd, environment, door }: PlanRequest): Promise<SandboxPlan> {
  const directory = await canonicalFolder('cwd', cwd);
  const given = await Promise.all(policy.writable.map((path) => canonicalFolder('writable', path)));
  if (given.includes('/')) {
    throw new EngineError('invalid-argument', 'sandbox: with / writable there is no sandbox; ask for none');
  }
  const writable = [...new Set([...given, ...(policy.temp === 'host' ? await temporaryFolders(environment) : [])])];
  const inWritable = (path: string) => writable.some((folder) => isIn(path, folder));
  const protectedPaths = [
    ...(await Promise.all(given.map((folder) => selfProtecting(folder, policy.git)))).flat(),
    ...(await Promise.all(policy.readOnly.map(plannedPath))).filter(({ kind }) => kind !== 'missing'),
  ].filter(({ path }) => inWritable(path));
  const hidden = await Promise.all([...policy.hidden, ...SOCKET_PLACES, ...socketPaths(environment)].map(plannedPath));
  return {
    cwd: directory,
    visible: [directory],
    replaced: [
      // Through sockets in /run, somebody outside does what is asked.
      ...(await foldersThere(['/run'])).map((path) => ({ path, isWritable: false })),
      ...(policy.temp === 'private' ? await foldersThere(TEMPORARY) : []).map((path) => ({ path, isWritable: true })),
    ],
    writable: outermostFirst(writable.map((path) => ({ path }))).map(({ path }) => path),
    readOnly: outermostFirst(withoutInner(unique(protectedPaths))),
    // What is not there and cannot be made needs no hiding.
    hidden: outermostFirst(
      withoutInner(unique(hidden)).filter(({ kind, path }) => kind !== 'missing' || inWritable(path)),
    ),
    network: typeof policy.network === 'string' ? policy.network : (door ?? 'none'),
    temp: policy.temp,
  };
}

async function canonicalFolder(field: string, path: string): Promise<string> {
  if (!isAbsolute(path)) {
    throw new EngineError('invalid-argument', `sandbox: ${field}: ${path} is no absolute path`);
  }
  try {
    const canonical = await realpath(path);
    if ((await lstat(canonical)).isDirectory()) {
      return canonical;
    }
  } catch (error) {
    throw new EngineError('invalid-argument', `sandbox: ${field}: ${path} cannot be found`, { cause: error });
  }
  throw new EngineError('invalid-argument', `sandbox: ${field}: ${path} is no folder`);
}

const TEMPORARY = ['/tmp', '/var/tmp'];

async function temporaryFolders({ TMPDIR }: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return foldersThere([...TEMPORARY, ...(TMPDIR !== undefined && isAbsolute(TMPDIR) ? [TMPDIR] : [])]);
}

/** Of these folders the ones that are there, canonical, each once. */
async function foldersThere(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => canonicalFolder('temp', path).catch(() => '/')));
  return [...new Set(found)].filter((path) => path !== '/');
}

/** What nobody has to name: the repository's own folder, and agents' settings. */
async function selfProtecting(folder: string, git: FencePolicy['git']): Promise<readonly PlannedPath[]> {
  const settings = await Promise.all(SETTINGS_OF_AGENTS.map((name) => plannedPath(join(folder, name))));
  return [...settings.filter(({ kind }) => kind !== 'missing'), ...(await gitPaths(join(folder, '.git'), git))];
}

async function gitPaths(path: string, git: FencePolicy['git']): Promise<readonly PlannedPath[]> {
  const own = await plannedPath(path);
  if (own.kind === 'missing') {
    return [];
  }
  if (own.kind === 'file') {
    return [own, ...(await linkedGitFolder(path))];
  }
  if (git === 'read-only') {
    return [own];
  }
  const steering = await Promise.all(STEERING_GIT.map((name) => plannedPath(join(path, name))));
  // An empty folder of hooks is one like any other; an empty file in the place of the others would break the repository.
  return steering.filter(({ kind, path: steered }) => kind !== 'missing' || steered === join(path, 'hooks'));
}

/** The repository of a work tree or submodule, whose `.git` is a file that says where it is. */
async function linkedGitFolder(file: string): Promise<readonly PlannedPath[]> {
  const [, target] = /^gitdir: (.+)$/m.exec(await readFile(file, 'utf8')) ?? [];
  return target === undefined
    ? []
    : [await plannedPath(resolve(file, '..', target))].filter(({ kind }) => kind !== 'missing');
}

/** The paths of unix sockets that variables lead to: plain ones, `unix:path=…` (D-Bus) and `unix://…` (Docker). */
function socketPaths(environment: Readonly<Record<string, string>>): readonly string[] {
  return SOCKET_VARIABLES.flatMap((name) => {
    const [, path] = /^(?:unix:path=|unix:\/\/)?(\/[^,;]+)/.exec(environment[name] ?? '') ?? [];
    return path === undefined ? [] : [path];
  });
}

/** What lies there, its folder's links followed. Rejects where it is a link itself. */
async function plannedPath(path: string): Promise<PlannedPath> {
  const parent = await realpath(join(path, '..')).catch(() => null);
  const canonical = parent === null ? resolve(path) : join(parent, path.slice(path.lastIndexOf('/') + 1));
  try {
    const found = await lstat(canonical);
    if (found.isSymbolicLink()) {
      const target = await realpath(canonical).catch(() => 'nothing');
      throw new EngineError(
        'invalid-argument',
        `sandbox: ${canonical} is a link to ${target}, and cannot be protected; put the file itself there`,
      );
    }
    return { path: canonical, kind: found.isDirectory() ? 'folder' : 'file' };
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) {
      return { path: canonical, kind: 'missing' };
    }
    throw error;
  }
}

/** What lies in a hidden folder is hidden with it; on its place in there nothing can be mounted any more. */
function withoutInner(paths: readonly PlannedPath[]): readonly PlannedPath[] {
  return paths.filter(({ path }) => !paths.some((other) => other.path !== path && isIn(path, other.path)));
}

function unique(paths: readonly PlannedPath[]): readonly PlannedPath[] {
  return [...new Map(paths.map((planned) => [planned.path, planned])).values()];
}
