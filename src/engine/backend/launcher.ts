import { accessSync, constants } from 'node:fs';
import { EngineError } from '../../shared/errors.ts';
import type { SpawnRequest } from './backend.ts';

/** A program and its arguments, ready for exec(3), and what it is to have of the child's environment. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where bash is looked for: what runs before a child must not depend on that child's PATH. */
const BASH_PATHS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

/**
 * `-p` (privileged): bash reads no start-up file and imports no functions from the child's environment.
 * Variables that bash sets for itself are taken out again where the child's environment does not have them.
 */
const EXEC_SCRIPT = 'unset -v $1; shift; exec -a "$0" -- "$@"';

/**
 * Closes everything above stderr first. Only bash can close descriptors above 9. Nothing may be redirected meanwhile:
 * bash keeps what a redirection hides in a descriptor above 9, which this would close.
 */
const CLOSE_AND_EXEC_SCRIPT =
  'exec 2>&3; for f in /proc/self/fd/*; do f=${f##*/}; if ((f > 2)); then eval "exec $f>&-"; fi; done; ' + EXEC_SCRIPT;

/**
 * Variables that bash puts into the environment of what it starts. `SHLVL=0` cannot be kept out: `exec` sets it last;
 * to a shell it means the same as none. A PWD that is not the working directory is corrected on the way.
 */
const SET_BY_BASH = ['OLDPWD', 'PWD'];

/**
 * Variables that bash (5.2) does not hand on as it was given them: found by giving it each of its own names. They go
 * past it, as arguments of env(1), which everybody may read for the moment until the program takes its place; none is a
 * secret's name.
 */
const CHANGED_BY_BASH: ReadonlySet<string> = new Set(
  (
    'BASH BASHOPTS BASHPID BASH_ARGV0 BASH_COMMAND BASH_EXECUTION_STRING BASH_SUBSHELL BASH_VERSINFO BASH_VERSION ' +
    'COMP_WORDBREAKS EPOCHREALTIME EPOCHSECONDS HISTCMD IFS LINENO OPTERR OPTIND PPID PS1 PS2 PS4 RANDOM SHELLOPTS SRANDOM'
  ).split(' '),
);

const ENV_PATHS = ['/usr/bin/env', '/bin/env'];

/**
 * Enters a control group first: `0` stands for whoever writes it. Where that fails the program runs outside of it, and
 * whoever made the group sees that it has no members.
 */
const JOIN_AND_EXEC_SCRIPT = '{ echo 0 > "$2"; } 2>/dev/null; unset -v $1; shift 2; exec -a "$0" -- "$@"';

/**
 * The same child, which enters a control group before it becomes its program (`SessionCgroup.procsFile`): nothing that
 * it starts can be outside. Moved by the host after its start it could have forked before. Costs a bash: about 1 ms.
 */
export function joiningCgroup(request: SpawnRequest, procsFile: string): SpawnRequest {
  const { file, args, env } = throughBash(request, JOIN_AND_EXEC_SCRIPT, [procsFile]);
  return { program: file, file, arg0: file, args, cwd: request.cwd, env };
}

/** The program under the name it shall see as its own; where that is not what it is started by, bash's `exec -a` sets it. */
export function withArg0(request: SpawnRequest): Launch {
  return request.arg0 === request.program
    ? { file: request.program, args: request.args, env: request.env }
    : throughBash(request, EXEC_SCRIPT);
}

/** Descriptor on which a program of `withoutInheritedDescriptors` expects the child's stderr. */
export const LAUNCHER_STDERR = process.platform === 'linux' ? 3 : 2;

/**
 * The program with no open descriptor but its three streams. `child_process` hands every descriptor without
 * close-on-exec to the child, and pty masters have none (node-pty), nor do some forty of Chromium's: through a master
 * a child could type into another session. On macOS libuv closes them itself.
 *
 * The child's stderr is given as descriptor `LAUNCHER_STDERR` and moved to its place: what bash itself complains of at
 * its start, such as a locale that is not installed, is not the child's.
 */
export function withoutInheritedDescriptors(request: SpawnRequest): Launch {
  return process.platform === 'linux' ? throughBash(request, CLOSE_AND_EXEC_SCRIPT) : withArg0(request);
}

function throughBash(request: SpawnRequest, script: string, more: readonly string[] = []): Launch {
  const bash = BASH_PATHS.find(isExecutable);
  if (bash === undefined) {
    throw new EngineError('spawn-failed', `cannot start \`${request.arg0}\`: bash is needed and is not installed`, {
      systemCode: 'ENOENT',
    });
  }
  const unwanted = SET_BY_BASH.filter((name) => request.env[name] === undefined).join(' ');
  const { arg0, file, args, env } = pastBash(request);
  return { file: bash, args: ['-p', '-c', script, arg0, unwanted, ...more, file, ...args], env };
}

/**
 * The same child started through env(1), where its environment has what bash would change. env(1) names a program as it
 * finds it: for a child with a name of its own those variables are left to bash.
 */
function pastBash(request: SpawnRequest): SpawnRequest {
  const past = Object.entries(request.env).filter(([name]) => CHANGED_BY_BASH.has(name));
  const envProgram = past.length === 0 ? undefined : ENV_PATHS.find(isExecutable);
  if (envProgram === undefined || request.arg0 !== request.program) {
    return request;
  }
  const program = request.program.includes('/') ? request.file : request.program;
  return {
    ...request,
    arg0: envProgram,
    file: envProgram,
    args: [...past.map(([name, value]) => `${name}=${value}`), program, ...request.args],
    env: Object.fromEntries(Object.entries(request.env).filter(([name]) => !CHANGED_BY_BASH.has(name))),
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there or not ours to run: the next place is tried.
    return false;
  }
}
