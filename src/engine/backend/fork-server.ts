import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { getSystemErrorName } from 'node:util';
import { EngineError } from '../../shared/errors.ts';
import type { ExitStatus } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import type { SpawnRequest } from './backend.ts';
import { withNiceness } from './child-niceness.ts';
import { lookAtMember } from './input-waiter.ts';
import { builtProgram, withoutInheritedDescriptors } from './launcher.ts';
import { signalName } from './signal-names.ts';

/** What a child is to have as its three streams. */
export type ForkPlace =
  | { readonly kind: 'pty'; readonly slavePath: string }
  | { readonly kind: 'pipe'; readonly stdin: boolean };

export interface ForkedChild {
  readonly pid: number;
  /** Our ends of a pipe child's streams, non-blocking; the caller owns them. -1: there is none. */
  readonly stdin: number;
  readonly stdout: number;
  readonly stderr: number;
}

/** A pipe of this process; the caller owns both ends. */
export interface WidePipe {
  /** Non-blocking. */
  readonly read: number;
  /** Blocking: for another process. */
  readonly write: number;
}

/** What was asked for and is not answered yet. */
interface Asked {
  /** The server gives no answer any more when it is over. */
  readonly patience: NodeJS.Timeout;
  readonly done: (numbers: readonly number[]) => void;
  /** `why`: the name of a system error, or words. */
  readonly failed: (why: string) => void;
}

/** A descriptor of the server, and how this process opens what is behind it. -1: there is none. */
type Taken = readonly [fd: number, flags: number];

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

/** Of a pipe between this process and a helper of its own, in bytes: the most that the system grants without asking (pipe(7)). */
const WIDE_PIPE_BYTES = 1024 * 1024;

/** A fork takes a millisecond, on a machine without memory a second; whatever takes longer is stopped or hangs. */
const ANSWER_MS = 10_000;

const ENDED = 'the fork server has ended';

/** Between two looks whether a child has ended that nobody reaps for us any more, in milliseconds. */
const ORPHAN_LOOK_MS = 50;

/**
 * A process that forks the children (`fork-server.c`), since a fork of this one takes the longer the more memory it holds, and
 * holds up its loop meanwhile: 3 ms and more for each 100 MB. It has none of our descriptors, and tells
 * each exit. Ends with this process, whatever ends that one; one that gives no answer is killed. Only on Linux.
 */
export class ForkServer {
  readonly #server: ChildProcess;
  readonly #requests: Writable;
  readonly #answers: Readable;
  readonly #ended: Promise<void>;
  /** In the order of their requests. */
  readonly #asked: Asked[] = [];
  readonly #children = new TurnoverMap<number, (exit: ExitStatus) => void>();
  readonly #lines: string[] = [];
  #begun = '';
  #isWaitingForTurn = false;
  #onOver: () => void = () => {};
  /** It has ended; what it said before may still have to be dealt with. */
  #hasEnded = false;
  #isOver = false;
  #canPipe = true;
  readonly #answerMs: number;

  /** Null where there is none: elsewhere than on Linux, before `npm run build`, or when nothing can be started now. */
  static start(niceness: number | null, answerMs: number = ANSWER_MS): ForkServer | null {
    const file = process.platform === 'linux' ? builtProgram('launch') : null;
    if (file === null) {
      return null;
    }
    try {
      const program = withoutInheritedDescriptors({
        program: file,
        file,
        arg0: file,
        args: ['--serve'],
        cwd: '/',
        env: {},
      });
      const server = withNiceness(niceness, () =>
        spawn(program.file, program.args, {
          cwd: '/',
          env: {},
          // A session of its own: what ends this process from the keyboard must not end it first.
          detached: true,
          stdio: ['pipe', 'pipe', 'ignore'],
        }),
      );
      server.on('error', () => {});
      const { pid, stdin, stdout } = server as {
        readonly pid?: number;
        readonly stdin?: Writable | null;
        readonly stdout?: Readable | null;
      };
      return pid !== undefined && stdin && stdout ? new ForkServer(server, stdin, stdout, answerMs) : null;
    } catch {
      // Out of processes or descriptors: this process tries by itself, and says why it cannot.
      return null;
    }
  }

  private constructor(server: ChildProcess, requests: Writable, answers: Readable, answerMs: number) {
    this.#answerMs = answerMs;
    this.#server = server;
    this.#requests = requests;
    this.#answers = answers;
    requests.on('error', () => {});
    answers.on('error', () => {});
    answers.setEncoding('latin1').on('data', (text: string) => this.#receive(text));
    this.#ended = new Promise((resolve) => {
      server.on('close', () => {
        this.#hasEnded = true;
        this.#onOver = resolve;
        this.#dealUnlessWaiting();
      });
    });
    server.unref();
    this.#keepAlive();
  }

  /** It has ended, and forks nothing more. */
  get isOver(): boolean {
    return this.#hasEnded;
  }

  /** False where its pipes cannot be opened, e.g. since /proc is not to be looked into. */
  get canPipe(): boolean {
    return this.#canPipe;
  }

  /**
   * Forks a child. `onReaped` is told in a later turn of the loop; of a child whose server was killed, with
   * nothing known about how it ended. Rejects with `spawn-failed`.
   */
  fork(request: SpawnRequest, place: ForkPlace, onReaped: (exit: ExitStatus) => void): Promise<ForkedChild> {
    return new Promise((resolve, reject) => {
      this.#ask(
        [
          'start',
          place.kind === 'pty' ? place.slavePath : place.stdin ? 'pipes' : 'pipes-without-stdin',
          request.cwd,
          request.file,
          String(request.args.length + 1),
          request.arg0,
          ...request.args,
          ...Object.entries(request.env).map(([name, value]) => `${name}=${value}`),
        ],
        ([pid = 0, ...theirs]) => {
          try {
            resolve(this.#takeChild(pid, theirs, onReaped));
          } catch (error) {
            reject(spawnFailed(request, whyNotTaken(error)));
          }
        },
        (why) => reject(spawnFailed(request, why)),
      );
    });
  }

  /** A pipe that holds 1 MiB where the system lets it. Null when there is none to be had. */
  openWidePipe(): Promise<WidePipe | null> {
    return new Promise((resolve) => {
      this.#ask(
        ['pipe', String(WIDE_PIPE_BYTES)],
        ([theirRead = -1, theirWrite = -1]) => {
          try {
            const [read = -1, write = -1] = this.#take([
              [theirRead, O_RDONLY | O_NONBLOCK],
              [theirWrite, O_WRONLY],
            ]);
            resolve({ read, write });
          } catch {
            resolve(null);
          }
        },
        () => resolve(null),
      );
    });
  }

  /** Lets a pipe of ours hold more, where the system lets us: its writer and this process wait less for each other. */
  widen(pipe: number): void {
    this.#requests.write(requestOf(['widen', `/proc/${process.pid}/fd/${pipe}`]));
  }

  /** Ends it; children that still run live on. */
  dispose(): Promise<void> {
    this.#server.ref();
    this.#server.kill('SIGKILL');
    return this.#ended;
  }

  #ask(request: readonly string[], done: Asked['done'], failed: Asked['failed']): void {
    if (this.#hasEnded) {
      failed(ENDED);
      return;
    }
    // Where this process stood still, e.g. stopped, an answer may lie there that was not read yet.
    const patience = setTimeout(() => setImmediate(() => this.#giveUp(asked)), this.#answerMs);
    const asked = { patience, done, failed };
    this.#asked.push(asked);
    this.#keepAlive();
    this.#requests.write(requestOf(request));
  }

  #giveUp(asked: Asked): void {
    if (!this.#asked.includes(asked)) {
      return;
    }
    if (this.#lines.length > 0) {
      asked.patience.refresh();
    } else {
      this.#server.kill('SIGKILL');
    }
  }

  #receive(text: string): void {
    const lines = (this.#begun + text).split('\n');
    this.#begun = lines.pop() ?? '';
    this.#lines.push(...lines);
    this.#dealUnlessWaiting();
  }

  #dealUnlessWaiting(): void {
    if (!this.#isWaitingForTurn) {
      this.#deal();
    }
  }

  /** Whoever asked for a child hears of it before its exit is dealt with, which may have come with the same piece. */
  #deal(): void {
    this.#isWaitingForTurn = false;
    for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) {
      const [word = '', ...numbers] = line.split(' ');
      this.#answer(word, numbers.map(Number));
      if (word === 'forked' && this.#lines.length > 0) {
        this.#isWaitingForTurn = true;
        setImmediate(() => this.#deal());
        return;
      }
    }
    if (this.#hasEnded && !this.#isOver) {
      this.#over();
      this.#onOver();
    }
  }

  #answer(word: string, numbers: readonly number[]): void {
    const [first = 0, second] = numbers;
    switch (word) {
      case 'forked':
      case 'piped':
        this.#nextAsked()?.done(numbers);
        break;
      case 'failed':
        this.#nextAsked()?.failed(getSystemErrorName(-first));
        break;
      case 'exited':
        this.#onReaped(first, { exitCode: second ?? null, signal: null });
        break;
      case 'killed':
        this.#onReaped(first, { exitCode: null, signal: signalName(second ?? 0) });
        break;
    }
    this.#keepAlive();
  }

  #nextAsked(): Asked | undefined {
    const asked = this.#asked.shift();
    clearTimeout(asked?.patience);
    return asked;
  }

  /** Throws when its streams cannot be opened; it is killed then. */
  #takeChild(pid: number, theirs: readonly number[], onReaped: (exit: ExitStatus) => void): ForkedChild {
    try {
      const [stdin = -1, stdout = -1, stderr = -1] = this.#take(
        theirs.map((fd, stream) => [fd, (stream === 0 ? O_WRONLY : O_RDONLY) | O_NONBLOCK]),
      );
      this.#children.set(pid, onReaped);
      return { pid, stdin, stdout, stderr };
    } catch (error) {
      this.#canPipe &&= this.#hasEnded || isOurLack(error);
      this.#killUnwatched(pid);
      throw error;
    }
  }

  /** Nobody could watch this child to its end. */
  #killUnwatched(pid: number): void {
    if (this.#lines.some((line) => line.startsWith(`exited ${pid} `) || line.startsWith(`killed ${pid} `))) {
      return;
    }
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }

  /** Opens what the server has opened for us, which then closes its own. */
  #take(theirs: readonly Taken[]): readonly number[] {
    const ours: number[] = [];
    try {
      for (const [fd, flags] of theirs) {
        ours.push(fd < 0 ? -1 : openSync(`/proc/${this.#server.pid}/fd/${fd}`, flags));
      }
      return ours;
    } catch (error) {
      ours.filter((fd) => fd >= 0).forEach((fd) => closeSync(fd));
      throw error;
    } finally {
      if (theirs.length > 0 && !this.#hasEnded) {
        const taken = theirs.map(([fd]) => fd).filter((fd) => fd >= 0);
        this.#requests.write(requestOf(['taken', ...taken.map(String)]));
      }
    }
  }

  #onReaped(pid: number, exit: ExitStatus): void {
    const onReaped = this.#children.get(pid);
    this.#children.delete(pid);
    onReaped?.(exit);
  }

  #over(): void {
    this.#isOver = true;
    for (let asked = this.#nextAsked(); asked !== undefined; asked = this.#nextAsked()) {
      asked.failed(ENDED);
    }
    for (const [pid, onReaped] of [...this.#children.entries()]) {
      watchOrphan(pid, () => onReaped({ exitCode: null, signal: null }));
    }
    this.#children.clear();
  }

  /** This process lives on as long as there is somebody to be told something. */
  #keepAlive(): void {
    if (this.#hasEnded) {
      return;
    }
    const streams = [this.#requests, this.#answers] as unknown as readonly { ref(): void; unref(): void }[];
    const isNeeded = this.#asked.length > 0 || this.#children.size > 0;
    streams.forEach((stream) => (isNeeded ? stream.ref() : stream.unref()));
  }
}

function isOurLack(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE';
}

/** Why a stream of a child could not be opened. */
function whyNotTaken(error: unknown): string {
  const { code = String(error) } = error as NodeJS.ErrnoException;
  return isOurLack(error) ? code : `its streams cannot be opened (${code})`;
}

function spawnFailed({ program }: SpawnRequest, why: string): EngineError {
  return new EngineError('spawn-failed', `cannot start \`${program}\`: ${why}`, {
    ...(/^E[A-Z0-9]+$/.test(why) ? { systemCode: why } : {}),
  });
}

/** A request to the server: its length in bytes and its strings, each with a NUL at its end. */
function requestOf(strings: readonly string[]): Buffer {
  const text = `${strings.join('\0')}\0`;
  const length = Buffer.byteLength(text);
  const request = Buffer.allocUnsafe(4 + length);
  request.writeUInt32LE(length);
  request.write(text, 4);
  return request;
}

/** Calls back once a process has ended that is nobody's child but the system's. */
function watchOrphan(pid: number, onEnded: () => void): void {
  const startTime = lookAtMember(pid)?.startTime;
  const timer = setInterval(() => {
    const now = lookAtMember(pid);
    if (now === null || now.state === 'Z' || now.startTime !== startTime) {
      clearInterval(timer);
      onEnded();
    }
  }, ORPHAN_LOOK_MS);
}
