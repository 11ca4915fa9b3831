import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import type { SpawnRequest } from './backend.ts';

/** A program and its arguments, ready for exec(3). */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/** Where `npm run build` leaves the programs that it makes of C: seen from a bundle in out/, and from this file. */
const BUILT_PLACES = ['../native', '../../../out/native'].map((path) => join(import.meta.dirname, path));

/**
 * The same child, which enters a control group before it becomes its program (`SessionCgroup.procsFile`): nothing that
 * it starts can be outside. Moved by the host after its start it could have forked before. Where it cannot enter, the
 * program runs outside of it, and whoever made the group sees that it has no members.
 */
export function joiningCgroup(request: SpawnRequest, procsFile: string): SpawnRequest {
  const { file, args } = launched(request, ['--cgroup', procsFile]);
  return { ...request, program: file, file, arg0: file, args };
}

/** The program under the name it shall see as its own. */
export function withArg0(request: SpawnRequest): Program {
  return request.arg0 === request.program ? { file: request.program, args: request.args } : launched(request);
}

/**
 * The program with no open descriptor but its three streams. `child_process` hands every descriptor without
 * close-on-exec to the child, and pty masters have none (node-pty), nor do some forty of Chromium's: through a master
 * a child could type into another session. On macOS libuv closes them itself.
 */
export function withoutInheritedDescriptors(request: SpawnRequest): Program {
  return process.platform === 'linux' ? launched(request) : withArg0(request);
}

/**
 * Starts one of our own programs with the open file of the host's that is its fourth, descriptor 3, as stdin. Handed over
 * as stdin by `child_process`, it would be made blocking, in the host, too.
 */
export function readingFromFourth(file: string, args: readonly string[]): Program {
  return launched({ file, arg0: file, args }, ['--stdin-from', '3']);
}

/** Path of a program that the build makes; null when it was not made. */
export function builtProgram(name: 'launch' | 'flood-reader'): string | null {
  return BUILT_PLACES.map((place) => join(place, name)).find((path) => existsSync(path)) ?? null;
}

function launched(request: Pick<SpawnRequest, 'file' | 'arg0' | 'args'>, options: readonly string[] = []): Program {
  const file = builtProgram('launch');
  if (file === null) {
    throw new EngineError('spawn-failed', `cannot start \`${request.arg0}\`: run \`npm run build\` first`, {
      systemCode: 'ENOENT',
    });
  }
  return { file, args: [...options, '--', request.arg0, request.file, ...request.args] };
}
