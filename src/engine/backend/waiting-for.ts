import type { WaitingFor, WaitingKind } from '../../shared/session.ts';
import {
  inputFile,
  lookAtMember,
  lookForInput,
  membersOf,
  type GroupMember,
  type InputFile,
  type ShownProcess,
} from './input-waiter.ts';
import { isInteractiveShell } from './process-table.ts';
import type { Leader } from './process-tree.ts';
import { readTerminalModes, type TerminalModes } from './terminal-modes.ts';

/** Where the child's input comes from. */
export type WaitingPlace =
  | {
      readonly kind: 'pty';
      /** Path of the slave, e.g. `/dev/pts/4`. */
      readonly slavePath: string;
      /** The screen that the child last chose (DECSET 1049, 1047 or 47); null when nobody has kept account. */
      readonly screen: 'alternate' | 'normal' | null;
    }
  | {
      readonly kind: 'pipe';
      /** Taken when the child was started: see `stdinOf`. */
      readonly stdin: ChildStdin;
    };

/** The file that a pipe child was given as its stdin. Plain data, but only to be handed to `whatIsWaitedFor`. */
export type ChildStdin = ReturnType<typeof inputFile>;

/** What was found, for `decideWaiting`. */
export interface WaitingFacts {
  /** The process that is blocked until there is input. */
  readonly waiter:
    | (ShownProcess & {
        /** The descriptor that it waits on; 0 is its stdin. */
        readonly fd: number;
        /** See `isInteractiveShell`. */
        readonly jobControl: boolean;
      })
    | null;
  /** A process that sleeps, and the kernel does not tell us what for. */
  readonly hidden: ShownProcess | null;
  /** The first process that could be asked for. */
  readonly first: ShownProcess | null;
  /** Null on pipes, and when they could not be had. */
  readonly modes: TerminalModes | null;
  readonly place: WaitingPlace;
}

const UNKNOWN: WaitingFor = { kind: 'unknown', pid: null, program: null, echo: null, canonical: null };

/**
 * The stdin of a pipe child, to be asked for as soon as it was started: later it may have put another file there, and
 * a read of that one waits for nothing of ours.
 */
export function stdinOf(pid: number): ChildStdin {
  return process.platform === 'linux' ? inputFile(`/proc/${pid}/fd/0`) : null;
}

/**
 * Tells what a running child waits for at this moment, from what the kernel says and nothing else: which processes
 * the keyboard belongs to, the system call that each of their threads is blocked in and on which descriptors, and the
 * modes of the terminal. What cannot be had is `unknown`, as it always is outside Linux; it does not reject.
 *
 * A look takes about 0.06 ms of this thread for a child with one thread, 0.04 ms more for each process of its tree and
 * 0.02 ms for each thread. Only when something waits on a terminal, stty(1) is started too, which takes 1.3 ms more of
 * this thread and answers within about 2 ms (see `readTerminalModes`). A leader that has been reaped is `unknown`.
 *
 * It tells what is so at the moment: a program between two reads is `busy`. Ask when the child has been silent.
 */
export async function whatIsWaitedFor(leader: Leader, place: WaitingPlace): Promise<WaitingFor> {
  if (process.platform !== 'linux') {
    return UNKNOWN;
  }
  let found: Found | null;
  try {
    found = place.kind === 'pty' ? lookOnPty(leader, place.slavePath) : lookOnPipes(leader, place.stdin);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) {
      throw error;
    }
    // Out of descriptors, or a /proc that hides other users' processes.
    return UNKNOWN;
  }
  if (found === null) {
    return UNKNOWN;
  }
  if (place.kind === 'pipe' || (found.waiter === null && found.hidden === null)) {
    return decideWaiting({ ...found, place, modes: null });
  }
  const modes = await readTerminalModes(place.slavePath);
  // With the leader the terminal may have gone, and its number to another one.
  return isStill(leader) ? decideWaiting({ ...found, place, modes }) : UNKNOWN;
}

/**
 * The rules. A program that reads the terminal without line mode is told by what else it changed:
 *
 * ```
 * waits by                    leaves the rest alone             takes over Enter, Ctrl-C or Ctrl-V
 * its stdin                   `keys`  (read -n1, top)           on the normal screen: `repl` (python, node, psql)
 * a descriptor of its own     `pager` (less, man, ls | more)    else:                 `keys` (vim, htop, fzf, emacs)
 * ```
 *
 * A line editor must tell Enter from Ctrl-J, so it takes Enter over; what only wants single keys need not. A pager's
 * stdin is what it shows, so it opens the terminal anew, also when it was given a file. A shell with job control is
 * at its prompt when it reads: whatever it starts gets the keyboard.
 */
export function decideWaiting({ waiter, hidden, first, modes, place }: WaitingFacts): WaitingFor {
  const asked = waiter ?? hidden ?? first;
  const answer = (kind: WaitingKind): WaitingFor => ({
    kind,
    pid: asked?.pid ?? null,
    program: asked?.program ?? null,
    echo: modes?.echo ?? null,
    canonical: modes?.canonical ?? null,
  });
  if (waiter === null) {
    // sudo and the like may not be looked into; a terminal that was told to hide a line says enough.
    const hidesLine = modes !== null && modes.canonical && !modes.echo;
    return answer(hidden === null ? 'busy' : hidesLine ? 'password' : 'unknown');
  }
  if (place.kind === 'pipe') {
    return answer('input');
  }
  if (modes === null) {
    return answer('unknown');
  }
  if (modes.canonical) {
    return answer(modes.echo ? 'line' : 'password');
  }
  if (waiter.jobControl) {
    return answer('repl');
  }
  if (modes.signals && modes.enterIsNewline && modes.extended) {
    return answer(waiter.fd === 0 ? 'keys' : 'pager');
  }
  return answer(place.screen === 'normal' ? 'repl' : 'keys');
}

type Found = Pick<WaitingFacts, 'waiter' | 'hidden' | 'first'>;

/** Looks at the group of processes that the keyboard belongs to; null when the leader or its terminal is not there. */
function lookOnPty(leader: Leader, slavePath: string): Found | null {
  const root = lookAtLeader(leader);
  const input = inputFile(slavePath);
  if (root === null || input === null || input === 'hidden' || input.terminal !== root.terminal) {
    return null;
  }
  const { foregroundGroup, terminal } = root;
  return lookAt(
    membersOf(root, (member) => member.group === foregroundGroup && member.terminal === terminal),
    input,
  );
}

/** Looks at all processes of the child's session: without a terminal each of them may read. */
function lookOnPipes(leader: Leader, stdin: ChildStdin): Found | null {
  const root = lookAtLeader(leader);
  if (root === null) {
    return null;
  }
  if (stdin === 'hidden') {
    return { waiter: null, hidden: root, first: root };
  }
  if (stdin?.kind !== 'stream') {
    // /dev/null or a file: nothing could be sent there.
    return { waiter: null, hidden: null, first: root };
  }
  return lookAt(
    membersOf(root, ({ session }) => session === root.pid),
    stdin,
  );
}

function lookAt(members: readonly GroupMember[], input: InputFile): Found {
  let hidden: GroupMember | null = null;
  for (const member of members) {
    // What was stopped in a read still has it as its system call, but takes nothing.
    const look = isStopped(member) ? ({ kind: 'not' } as const) : lookForInput(member.pid, input);
    if (look.kind === 'waits') {
      const { pid, program } = member;
      return { waiter: { pid, program, fd: look.fd, jobControl: isInteractiveShell(pid) }, hidden, first: member };
    }
    if (look.kind === 'hidden' && member.state === 'S') {
      hidden ??= member;
    }
  }
  return { waiter: null, hidden, first: members[0] ?? null };
}

function isStopped({ state }: GroupMember): boolean {
  return state === 'T' || state === 't';
}

function isStill(leader: Leader): boolean {
  return lookAtLeader(leader) !== null;
}

/** The leader while it has not been reaped. */
function lookAtLeader({ pid, startTime }: Leader): GroupMember | null {
  const member = lookAtMember(pid);
  return member === null || (startTime !== null && member.startTime !== startTime) ? null : member;
}
