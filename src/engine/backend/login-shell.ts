import { userInfo } from 'node:os';
import { basename } from 'node:path';

/** Shells that take `-c` and `-l` and so can run what an agent wraps. */
const KNOWN_SHELLS = ['bash', 'zsh', 'sh', 'dash', 'ksh'];

const FALLBACK_SHELL = '/bin/sh';

/**
 * The user's own shell: `$SHELL`, else the account's. A shell that agents cannot wrap commands in (fish, nologin) is
 * passed over, down to /bin/sh.
 */
export function loginShell(environment: Readonly<NodeJS.ProcessEnv>): string {
  const candidates = [environment['SHELL'] ?? null, accountShell()];
  return candidates.find((path) => path !== null && KNOWN_SHELLS.includes(basename(path))) ?? FALLBACK_SHELL;
}

function accountShell(): string | null {
  try {
    return userInfo().shell;
  } catch {
    // A user id without an account, as containers have them.
    return null;
  }
}
