import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

/** What `npm run build` leaves; the command line is tested as it is shipped. */
export const CLI = resolve('out/cli/main.js');

/** Runs `shellscope` beside the app under test, to its end. Rejects when it fails. */
export function runCli(
  stateFolder: string,
  ...args: readonly string[]
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(process.execPath, [CLI, ...args], {
    env: { ...process.env, SHELLSCOPE_STATE_DIR: stateFolder },
  });
}
