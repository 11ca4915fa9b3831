import { closeSync, existsSync, openSync, readFileSync, readSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { statFields } from './process-table.ts';

/** A process of a child's tree, as it is shown to a person. */
export interface ShownProcess {
  readonly pid: number;
  /** The kernel's name for it, at most 15 bytes: usually the program's. */
  readonly program: string;
}

/** A process as /proc/PID/stat tells it. */
export interface GroupMember extends ShownProcess {
  readonly state: string;
  readonly group: number;
  readonly session: number;
  /** Device number of its controlling terminal; 0 without one. */
  readonly terminal: number;
  /** Process group that the keyboard of its terminal belongs to; -1 without a terminal. */
  readonly foregroundGroup: number;
  readonly startTime: string;
}

/** The file that a child takes its input from, as fstat(2) knows it. */
export interface InputFile {
  readonly kind: 'terminal' | 'stream';
  readonly device: number;
  readonly inode: number;
  /** Of a terminal: its number, comparable with `GroupMember.terminal`. */
  readonly terminal: number;
}

/**
 * What the kernel says about one process: it is blocked until there is input, by that descriptor (0 is its stdin); not
 * so; or not told.
 */
export type InputLook = { readonly kind: 'waits'; readonly fd: number } | { readonly kind: 'not' | 'hidden' };

/** Device number of /dev/tty, "my controlling terminal" (tty(4)): major 5, minor 0. */
const CONTROLLING_TERMINAL_DEVICE = 5 << 8;

/** Most bytes of a program's own list of descriptors that are read: 4,096 entries of poll(2). */
const MAX_LIST_BYTES = 32 * 1024;

/** An epoll may hold an epoll, five deep at most (epoll_ctl(2), ELOOP). */
const MAX_EPOLL_DEPTH = 5;

/** Events of poll(2) and epoll(7) that ask for input. */
const POLLIN = 0x001;

type CallKind = 'read' | 'poll' | 'select' | 'epoll' | 'restart' | 'hidden';

/**
 * Numbers of the system calls in which a thread can wait for input (arch/x86/entry/syscalls/syscall_64.tbl and
 * include/uapi/asm-generic/unistd.h of Linux). `read` stands for every call whose first argument is the descriptor it
 * reads; an io_uring does not show what it waits for.
 */
const CALLS: Readonly<Partial<Record<NodeJS.Architecture, ReadonlyMap<number, CallKind>>>> = {
  x64: new Map<number, CallKind>([
    [0, 'read'],
    [19, 'read'], // readv
    [45, 'read'], // recvfrom
    [47, 'read'], // recvmsg
    [275, 'read'], // splice
    [7, 'poll'],
    [271, 'poll'], // ppoll
    [23, 'select'],
    [270, 'select'], // pselect6
    [232, 'epoll'], // epoll_wait
    [281, 'epoll'], // epoll_pwait
    [441, 'epoll'], // epoll_pwait2
    [219, 'restart'], // restart_syscall
    [426, 'hidden'], // io_uring_enter
  ]),
  arm64: new Map<number, CallKind>([
    [63, 'read'],
    [65, 'read'], // readv
    [207, 'read'], // recvfrom
    [212, 'read'], // recvmsg
    [76, 'read'], // splice
    [73, 'poll'], // ppoll
    [72, 'select'], // pselect6
    [22, 'epoll'], // epoll_pwait
    [441, 'epoll'], // epoll_pwait2
    [128, 'restart'], // restart_syscall
    [426, 'hidden'], // io_uring_enter
  ]),
};

/**
 * The file behind a path, which may be a /proc/PID/fd/N. Null when nothing can be waited for there (another kind of
 * file, or none); `hidden` when the kernel refuses the look.
 */
export function inputFile(path: string): InputFile | 'hidden' | null {
  try {
    const file = statSync(path);
    const isTerminal = file.isCharacterDevice() && isPtySlave(file.rdev);
    return isTerminal || file.isFIFO() || file.isSocket()
      ? { kind: isTerminal ? 'terminal' : 'stream', device: file.dev, inode: file.ino, terminal: file.rdev }
      : null;
  } catch (error) {
    return isRefusal(error) ? 'hidden' : null;
  }
}

/** One process, or null when it has ended. */
export function lookAtMember(pid: number): GroupMember | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  const [state, , group, session, terminal, foregroundGroup, ...rest] = statFields(stat ?? '');
  const startTime = rest[22 - 9];
  if (stat === null || state === undefined || startTime === undefined) {
    return null;
  }
  return {
    pid,
    program: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
    state,
    group: Number(group),
    session: Number(session),
    terminal: Number(terminal),
    foregroundGroup: Number(foregroundGroup),
    startTime,
  };
}

/**
 * The members that belong to what is asked for, found among the leader and its descendants: some microseconds each.
 * Only where nothing is found there (all of them were re-parented), or the kernel does not list children, the whole
 * table is gone through, which costs about a millisecond per hundred processes.
 */
export function membersOf(leader: GroupMember, belongs: (member: GroupMember) => boolean): readonly GroupMember[] {
  // Needs CONFIG_PROC_CHILDREN, which distributions have.
  const listsChildren = existsSync(`/proc/${leader.pid}/task/${leader.pid}/children`);
  const found = listsChildren ? descendants(leader).filter(belongs) : [];
  return found.length > 0 ? found : allMembers().filter(belongs);
}

/**
 * Whether a thread of the process is blocked until there is input on the file: in a read of it, or in a poll, select
 * or epoll that asks for its input. From /proc/PID/task/TID/syscall, the list of descriptors that the thread handed to
 * the kernel (/proc/PID/mem), and /proc/PID/fdinfo. Nothing else of the process's memory is read. `hidden` when the
 * kernel refuses that (another user's process, see "ptrace access mode" in ptrace(2)) or cannot tell it.
 */
export function lookForInput(pid: number, input: InputFile): InputLook {
  let hidden = false;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const descriptors = waitedFor(pid, thread);
      hidden ||= descriptors === null;
      const fd = descriptors
        ?.flatMap((candidate) => withEpollMembers(pid, candidate))
        .find((candidate) => isInput(pid, candidate, input));
      if (fd !== undefined) {
        return { kind: 'waits', fd };
      }
    }
  } catch (error) {
    // Anything else: it ended, or went on, between two of the looks.
    hidden ||= isRefusal(error);
  }
  return { kind: hidden ? 'hidden' : 'not' };
}

function allMembers(): readonly GroupMember[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => lookAtMember(Number(pid)) ?? []);
}

function descendants(leader: GroupMember): readonly GroupMember[] {
  const found = [leader];
  const seen = new Set([leader.pid]);
  for (const { pid } of found) {
    for (const child of childrenOf(pid)) {
      const member = seen.has(child) ? null : lookAtMember(child);
      if (member !== null) {
        seen.add(child);
        found.push(member);
      }
    }
  }
  return found;
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      (readOrNull(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    // It ended since it was seen.
    return [];
  }
}

/**
 * Descriptors on which the thread is blocked until there is input; null when the kernel does not tell. The text of
 * /proc/PID/task/TID/syscall is `running`, or the call's number, its six arguments, the stack pointer and the program
 * counter; a number of -1 means blocked outside a call (proc(5)).
 */
function waitedFor(pid: number, thread: string): readonly number[] | null {
  const folder = `/proc/${pid}/task/${thread}`;
  let text: string;
  try {
    text = readFileSync(`${folder}/syscall`, 'utf8');
  } catch {
    // Refused, not offered by this kernel, or the thread is gone.
    return existsSync(folder) ? null : [];
  }
  if (text.startsWith('running') || text.startsWith('-1')) {
    return [];
  }
  const calls = CALLS[process.arch];
  const [number, ...words] = text.trim().split(' ');
  const [first = 0n, second = 0n, , , , , stackPointer = 0n] = words.map(BigInt);
  // A 32-bit program has other numbers; its stack lies below 4 GiB.
  if (calls === undefined || stackPointer < 2n ** 32n) {
    return null;
  }
  switch (calls.get(Number(number))) {
    case undefined:
      return [];
    case 'hidden':
      return null;
    case 'read':
    case 'epoll':
      return [Number(first)];
    case 'select':
      return selected(pid, Number(first), second);
    case 'poll':
      return polled(pid, first, Number(second));
    case 'restart':
      // After a stop and a continue a poll goes on as this. So does a sleep, which the wait channel tells apart.
      return readOrNull(`${folder}/wchan`)?.startsWith('poll_schedule_timeout') === true
        ? polled(pid, first, Number(second))
        : [];
  }
}

/** Descriptors of a list of `struct pollfd` (poll(2): int fd, short events, short revents) that ask for input. */
function polled(pid: number, address: bigint, count: number): readonly number[] {
  const list = readMemory(pid, address, count * 8);
  return Array.from({ length: Math.floor(list.length / 8) }, (_, index) => index * 8)
    .filter((at) => (list.readInt16LE(at + 4) & POLLIN) !== 0)
    .map((at) => list.readInt32LE(at));
}

/** Members of a set of select(2): bit n of it is descriptor n. The set holds whole longs of 8 bytes. */
function selected(pid: number, count: number, address: bigint): readonly number[] {
  const set = readMemory(pid, address, Math.ceil(count / 64) * 8);
  return Array.from({ length: Math.min(count, set.length * 8) }, (_, fd) => fd).filter(
    (fd) => ((set[fd >> 3] ?? 0) & (1 << (fd & 7))) !== 0,
  );
}

/** The descriptor; where it is an epoll, also those that the epoll asks for input of (proc(5), /proc/PID/fdinfo). */
function withEpollMembers(pid: number, fd: number, depth = 0): readonly number[] {
  if (depth > MAX_EPOLL_DEPTH || linkOrNull(`/proc/${pid}/fd/${fd}`) !== 'anon_inode:[eventpoll]') {
    return [fd];
  }
  const lines = (readOrNull(`/proc/${pid}/fdinfo/${fd}`) ?? '').matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)/gm);
  return [...lines]
    .filter(([, , events = '0']) => (Number.parseInt(events, 16) & POLLIN) !== 0)
    .flatMap(([, member]) => withEpollMembers(pid, Number(member), depth + 1));
}

function isInput(pid: number, fd: number, input: InputFile): boolean {
  let file;
  try {
    file = statSync(`/proc/${pid}/fd/${fd}`);
  } catch (error) {
    if (isRefusal(error)) {
      throw error;
    }
    return false;
  }
  return (
    (file.dev === input.device && file.ino === input.inode) ||
    (input.kind === 'terminal' && file.isCharacterDevice() && file.rdev === CONTROLLING_TERMINAL_DEVICE)
  );
}

/** Bytes of another process, fewer where it has none at the address. Throws when the kernel refuses. */
function readMemory(pid: number, address: bigint, length: number): Buffer {
  const bytes = Buffer.alloc(Math.min(length, MAX_LIST_BYTES));
  if (address === 0n || bytes.length === 0) {
    return Buffer.alloc(0);
  }
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    return bytes.subarray(0, readSync(memory, bytes, 0, bytes.length, address));
  } finally {
    closeSync(memory);
  }
}

function isRefusal(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}

/** Major numbers 136 to 143, which stand in bits 8 to 19 (Documentation/admin-guide/devices.txt of Linux). */
function isPtySlave(device: number): boolean {
  const major = (device >> 8) & 0xfff;
  return major >= 136 && major <= 143;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended, or the kernel has no such file or refuses it: not told.
    return null;
  }
}

function linkOrNull(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // Closed meanwhile, or refused: `isInput` says which.
    return null;
  }
}
