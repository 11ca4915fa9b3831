import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';

/** In the arguments of a process, which Chromium joins by spaces when it names it. */
const ZYGOTE = /\s--type=zygote\s/;

/**
 * The niceness with which the app was started; null when it still has it, or when it cannot be told.
 *
 * Chromium gives its main thread one of -8 before anything of ours runs, where it may: as root, that is. Its zygote was
 * forked before, and keeps what was inherited.
 */
export function inheritedNiceness(): number | null {
  if (process.platform !== 'linux' || getPriority() >= 0) {
    return null;
  }
  const zygote = childrenOf(process.pid).find((pid) => ZYGOTE.test(textOf(`/proc/${pid}/cmdline`)));
  try {
    return zygote === undefined ? null : getPriority(zygote);
  } catch {
    // It has just ended.
    return null;
  }
}

function childrenOf(pid: number): readonly number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Empty for what cannot be read: not every kernel lists children, and each may end. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
