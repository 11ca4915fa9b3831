import type { ExitStatus } from '../../shared/session.ts';

/** Why a sandbox is taken to be what a command failed by; null when nothing points to it. */
export type LikelyDenied = 'file-system' | 'network' | 'system-call' | null;

/** How much of the end of the output is looked at, in UTF-16 code units: errors come last, and output has no end. */
const LOOKED_AT = 64 * 1024;

/**
 * What the system says when a file cannot be written (EROFS, EPERM, EACCES, and EBUSY for a protected folder). EACCES is also what a program
 * gets that is no program (exit code 126).
 */
const FILE_SYSTEM =
  /read-only file ?system|\bEROFS\b|operation not permitted|\bEPERM\b|permission denied|\bEACCES\b|device or resource busy/i;

/** What programs say when there is no network: no route, no names; and of our proxy's answer, when that did not let them. */
const NETWORK =
  /network is unreachable|\bENETUNREACH\b|\bENETDOWN\b|could not resolve host|couldn't resolve host|temporary failure in name resolution|name or service not known|\bEAI_AGAIN\b|\bENOTFOUND\b|failed to lookup address|dns error|no address associated with hostname|unable to resolve host|refused by the sandbox|CONNECT tunnel failed, response 403|HTTP code 403 from proxy after CONNECT|statusCode=403|complete SOCKS5 connection to [^ ]+ \(2\)/i;

/** Of these, the ones that a sandbox does not cause. */
const OTHER_CAUSES = /permission denied \((publickey|password|keyboard-interactive|gssapi)[^)]*\)/gi;

/** SIGSYS, with which a filter of system calls kills; through a shell or bwrap 128 + 31. */
const SIGSYS_EXIT_CODE = 159;

/**
 * Did the sandbox likely make it fail (D5)? Pure, and a guess: from outside a refused write looks like any failure, and
 * a command that succeeded, or whose end is unknown, was not denied. `output` is the output of the child so far, or its end.
 */
export function likelyDenied({ exitCode, signal }: ExitStatus, output: string): LikelyDenied {
  if (signal === 'SIGSYS' || exitCode === SIGSYS_EXIT_CODE) {
    return 'system-call';
  }
  if (signal !== null || exitCode === null || exitCode === 0) {
    return null;
  }
  const end = output.slice(-LOOKED_AT).replaceAll(OTHER_CAUSES, '');
  // 126 and 127: the shell found no program, or none that it may run.
  if (exitCode !== 126 && exitCode !== 127 && FILE_SYSTEM.test(end)) {
    return 'file-system';
  }
  return exitCode !== 127 && NETWORK.test(end) ? 'network' : null;
}
