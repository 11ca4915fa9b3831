import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { letGo } from './ended-child.ts';
import type { ForkServer, WidePipe } from './fork-server.ts';
import { builtProgram, readingFromFourth } from './launcher.ts';

/** So many bytes, each time in so many milliseconds, are a flood: a listing or a build prints less, or is soon over. */
const FLOOD = { bytes: 1024 * 1024, ms: 250 } as const;

/** After a silence of so many milliseconds the flood is over, and the reader ends. */
const SILENCE_MS = 200;

/** Readers at a time, for all terminals: each is a process. The floods beyond are read in this one. */
const MAX_READERS = 8;

/** Tells a flood by what is read. */
export class FloodMeter {
  #bytes = 0;
  #sinceMs = performance.now();

  /** So much was read; answers true when it comes as fast as a flood does. */
  isFlood(byteCount: number): boolean {
    this.#bytes += byteCount;
    if (this.#bytes < FLOOD.bytes) {
      return false;
    }
    const nowMs = performance.now();
    const tookMs = nowMs - this.#sinceMs;
    this.#bytes = 0;
    this.#sinceMs = nowMs;
    return tookMs < FLOOD.ms;
  }
}

export interface FloodReaderEvents {
  /** It reads from now on: whoever reads as well stops in this call. */
  started(reader: FloodReader): void;
  output(bytes: Uint8Array): void;
  /** It has ended, and all that it read was told. Whatever the terminal holds is still there. */
  ended(): void;
}

let readers = 0;

/** Readers that were told of and shall go on, the next one first. */
const turns: (() => void)[] = [];

function nextTurn(): void {
  turns.shift()?.();
  if (turns.length > 0) {
    setImmediate(nextTurn);
  }
}

/**
 * A process that reads a terminal in a flood (`flood-reader.c`) and hands it on in pieces of up to 64 KiB. The kernel holds
 * some 12 KiB of a terminal's output: read in this process, which deals with each piece before it reads the next, writer
 * and reader wait for each other a third of the time. Between the reader and this process lies a pipe that holds 1 MiB, so
 * that these two do not wait for each other either: 74 to 80 MB/s, where a socket, which holds a fifth of it, gave 68 and
 * no reader 48 (two cores).
 *
 * It ends by itself when the flood has, and with this process, whose end it sees at its next piece.
 */
export class FloodReader {
  readonly #child: ChildProcess;
  readonly #pipe: Socket;
  readonly #events: FloodReaderEvents;
  #isPaused = false;
  #isStopped = false;
  #isOver = false;

  /**
   * Answers whether there is one: not for one reader too many, or when nothing can be started now. `findMaster` is asked for the
   * terminal once everything else is there, and answers null when it is not to be read by another any more.
   */
  static async start(server: ForkServer, findMaster: () => number | null, events: FloodReaderEvents): Promise<boolean> {
    const file = readers < MAX_READERS ? builtProgram('flood-reader') : null;
    if (file === null) {
      return false;
    }
    readers += 1;
    const pipe = await server.openWidePipe();
    const master = findMaster();
    if (pipe === null || master === null) {
      readers -= 1;
      [pipe?.read, pipe?.write].forEach((fd) => fd !== undefined && closeSync(fd));
      return false;
    }
    try {
      events.started(new FloodReader(startReader(file, master, pipe.write), pipe, events));
      return true;
    } catch {
      // Out of processes, or there is no launcher.
      readers -= 1;
      closeSync(pipe.read);
      return false;
    } finally {
      closeSync(pipe.write);
    }
  }

  private constructor(child: ChildProcess, { read }: WidePipe, events: FloodReaderEvents) {
    this.#child = child;
    this.#pipe = new Socket({ fd: read, readable: true, writable: false });
    this.#events = events;
    this.#pipe.on('data', (bytes: Buffer) => this.#onPiece(bytes));
    this.#pipe.on('error', () => {});
    // The reader holds the only other end.
    this.#pipe.on('close', () => this.#over());
    child.on('close', () => {
      letGo(child);
      child.on('error', () => {});
    });
    // It could not be started, which ends the pipe as well, and may be told later than its end.
    child.on('error', () => {});
  }

  /** Not once it was stopped: an exit waits for the little that is still to come. */
  pause(): void {
    if (!this.#isStopped) {
      this.#isPaused = true;
      this.#pipe.pause();
    }
  }

  resume(): void {
    this.#isPaused = false;
    this.#pipe.resume();
  }

  /** It hands on what it has read and ends. */
  stop(): void {
    this.#isStopped = true;
    this.resume();
    this.#child.kill('SIGTERM');
  }

  /** It ends at once, and nothing more is told. */
  dispose(): void {
    this.#child.kill('SIGKILL');
    this.#pipe.destroy();
    this.#over();
  }

  /** One piece of all readers in a turn of the loop: what else this process has to do is not to wait for more of them. */
  #onPiece(bytes: Buffer): void {
    this.#events.output(bytes);
    this.#pipe.pause();
    turns.push(() => {
      if (!this.#isPaused) {
        this.#pipe.resume();
      }
    });
    if (turns.length === 1) {
      setImmediate(nextTurn);
    }
  }

  #over(): void {
    if (!this.#isOver) {
      this.#isOver = true;
      readers -= 1;
      this.#events.ended();
    }
  }
}

function startReader(file: string, master: number, into: number): ChildProcess {
  const program = readingFromFourth(file, [String(SILENCE_MS)]);
  // A session of its own: a Ctrl-C that ends this process must not end it before its last piece.
  return spawn(program.file, program.args, {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', into, 'ignore', master],
  });
}
