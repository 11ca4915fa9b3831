import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { EngineError } from '../../shared/errors.ts';

/** Where exec(3) looks when the environment has no PATH: confstr(_CS_PATH) of glibc. */
const DEFAULT_PATH = '/bin:/usr/bin';

export interface ProgramLookup {
  /** `argv[0]`: a name to look for on PATH, or a path (relative to `cwd`). */
  readonly program: string;
  /** Absolute. */
  readonly cwd: string;
  /** PATH of the child's environment; undefined when it has none. */
  readonly path: string | undefined;
}

/** Whether the directory decides which program is found: else it can be looked up before that one is known. */
export function dependsOnDirectory({ program, path }: Omit<ProgramLookup, 'cwd'>): boolean {
  const places = program.includes('/') ? [program] : (path ?? DEFAULT_PATH).split(delimiter);
  return !places.every(isAbsolute);
}

/**
 * The absolute path of the program that exec(3) would run. A pty's child can tell a failed exec only as text in the
 * terminal, so it is looked up here, before anything is spawned. Throws `spawn-failed` with ENOENT, EACCES or EISDIR.
 */
export async function findProgram({ program, cwd, path }: ProgramLookup): Promise<string> {
  if (program.includes('/')) {
    const file = resolve(cwd, program);
    const problem = await whyNotExecutable(file);
    if (problem !== null) {
      throw cannotStart(program, problem, explanation(problem, file));
    }
    return file;
  }
  const folders = (path ?? DEFAULT_PATH).split(delimiter);
  let forbidden: string | null = null;
  // All are looked at side by side and judged in their order: each look is a trip to another thread and back.
  const looks = folders.map((folder) => {
    // An empty entry of PATH is the current directory (exec(3)).
    const file = join(isAbsolute(folder) ? folder : resolve(cwd, folder), program);
    return { file, problem: whyNotExecutable(file) };
  });
  for (const { file, problem: look } of looks) {
    const problem = await look;
    if (problem === null) {
      return file;
    }
    if (problem === 'EACCES') {
      forbidden ??= file;
    }
  }
  if (forbidden !== null) {
    throw cannotStart(program, 'EACCES', explanation('EACCES', forbidden));
  }
  throw cannotStart(program, 'ENOENT', `no such program on PATH (${folders.join(delimiter)})`);
}

type Problem = 'ENOENT' | 'EACCES' | 'EISDIR';

/** Never rejects. */
async function whyNotExecutable(file: string): Promise<Problem | null> {
  const [stats, executable] = await Promise.allSettled([stat(file), access(file, constants.X_OK)]);
  if (stats.status === 'fulfilled' && stats.value.isDirectory()) {
    return 'EISDIR';
  }
  const failed = [stats, executable].find((settled) => settled.status === 'rejected');
  if (failed === undefined) {
    return null;
  }
  return (failed.reason as NodeJS.ErrnoException).code === 'EACCES' ? 'EACCES' : 'ENOENT';
}

function explanation(problem: Problem, file: string): string {
  switch (problem) {
    case 'ENOENT':
      return `${file} does not exist`;
    case 'EACCES':
      return `${file} may not be executed`;
    case 'EISDIR':
      return `${file} is a directory`;
  }
}

function cannotStart(program: string, systemCode: Problem, why: string): EngineError {
  return new EngineError('spawn-failed', `cannot start \`${program}\`: ${why}`, { systemCode });
}
