import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { letGo, pauseAgain } from './ended-child.ts';
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
 * and reader wait for each other a third of the time (48 MB/s; 72 with a reader, two cores).
 *
 * It ends by itself when the flood has, and with this process, whose end it sees at its next piece.
 */
export class FloodReader {
  readonly #child: ChildProcess;
  readonly #pipe: Readable;
  readonly #events: FloodReaderEvents;
  #isPaused = false;
  #isStopped = false;
  #isOver = false;

  /** Null where there is none: elsewhere than on Linux, for one reader too many, or when nothing can be started now. */
  static start(master: number, events: FloodReaderEvents): FloodReader | null {
    const file = process.platform === 'linux' && readers < MAX_READERS ? builtProgram('flood-reader') : null;
    if (file === null) {
      return null;
    }
    try {
      const program = readingFromFourth(file, [String(SILENCE_MS)]);
      // A session of its own: a Ctrl-C that ends this process must not end it before its last piece.
      const child = spawn(program.file, program.args, {
        cwd: '/',
        env: {},
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore', master],
      });
      // Told in a later turn, also where there is nobody else to hear it.
      child.on('error', () => {});
      // Without descriptors Node makes no streams at all, whatever the types say.
      const pipe = child.stdout as Readable | null | undefined;
      return pipe ? new FloodReader(child, pipe, events) : null;
    } catch {
      // Out of processes, or there is no launcher.
      return null;
    }
  }

  private constructor(child: ChildProcess, pipe: Readable, events: FloodReaderEvents) {
    this.#child = child;
    this.#pipe = pipe;
    this.#events = events;
    pipe.on('data', (bytes: Buffer) => this.#onPiece(bytes));
    pipe.on('error', () => {});
    child.on('exit', () => pauseAgain([pipe], () => this.#isPaused));
    child.on('error', () => this.#over());
    child.on('close', () => this.#over());
    readers += 1;
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
      letGo(this.#child);
      // It may still be told that it could not be started.
      this.#child.on('error', () => {});
      this.#events.ended();
    }
  }
}
