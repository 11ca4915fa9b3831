import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { OnReadOpts, SocketConstructorOpts } from 'node:net';
import { ReadStream } from 'node:tty';
import { EngineError } from '../../shared/errors.ts';
import type { ExitStatus, TerminalSize } from '../../shared/session.ts';
import type { ChildEvents, ChildProcess, InputPlace, SpawnRequest } from './backend.ts';
import { FloodMeter, FloodReader } from './flood-reader.ts';
import type { ForkServer } from './fork-server.ts';
import { InputQueue, type Delivery } from './input-queue.ts';
import { withArg0 } from './launcher.ts';
import { forkPty, openPty, resizePty, type ForkedPty } from './native-pty.ts';
import { signalName } from './signal-names.ts';

/**
 * Bytes read in this thread when the leader is reaped, before the stream goes on with the rest: something else that
 * prints into the terminal without end must not stop the host.
 */
const DRAIN_AT_EXIT_BYTES = 1024 * 1024;

/**
 * From so many bytes in one read on a child is taken to be printing without a pause, and what it has printed meanwhile is
 * read at once: a read of a terminal gives some 4 KiB, and each piece costs a turn of the loop and a message to every
 * reader. Lower costs a read in vain for short answers; higher leaves a flood in small pieces.
 */
const FLOOD_BYTES = 1024;

/**
 * Bytes of one piece of a flood. More, and the kernel, which moves some 4 KiB ahead, stands still while a piece is dealt
 * with (64 KiB took a fifth longer); less, and each byte costs more messages.
 */
const PIECE_BYTES = 16 * 1024;

/** Where terminals are read into, one after the other; told of before the next is read. */
const scratch = Buffer.allocUnsafeSlow(PIECE_BYTES);

/**
 * Starts a child in a pseudo terminal of its own. Throws `spawn-failed` when the system has no terminal or no process
 * left; that the program exists was checked before.
 *
 * **Lossless and prompt at the end.** libuv takes a hang-up after a short read for the end of the stream, although
 * the kernel may still hold output. So the slave is held open here: no hang-up comes while the leader lives. When the
 * leader is reaped, the slave is closed and the master is read in this thread until the kernel itself says EIO.
 *
 * ```
 * output … output ─► reaped ─► close slave ─► read until EIO ─► exited ─► closed
 *                                        └─► EAGAIN: somebody else holds the terminal
 *                                             ─► exited ─► output … ─► end of the stream ─► closed
 * ```
 *
 * A flood that somebody waits for is read by a process of its own (`FloodReader`) until it is over or the leader is reaped;
 * this one reads before it and after it, never beside it; a child that no server has forked has none. Where nobody waits, as at a pane, which draws what it can, that would
 * only take time from the window.
 */
export function startPty(request: SpawnRequest, size: TerminalSize, events: ChildEvents): ChildProcess {
  let child: PtyProcess | null = null;
  const forked = fork(request, size, (exit) => child?.reaped(exit));
  let slave: number;
  try {
    slave = openSync(forked.slavePath, constants.O_RDWR | constants.O_NOCTTY);
  } catch (error) {
    // Out of descriptors. Closing the master hangs up the child, which nobody could have watched to its end.
    closeSync(forked.fd);
    throw new EngineError('spawn-failed', `the terminal of \`${request.program}\` cannot be held open`, {
      cause: error,
    });
  }
  child = new PtyProcess({ ...forked, slave }, null, events);
  return child;
}

/** The same, forked by a server. Rejects with `spawn-failed`. */
export async function startPtyBy(
  server: ForkServer,
  request: SpawnRequest,
  size: TerminalSize,
  events: ChildEvents,
): Promise<ChildProcess> {
  const terminal = openTerminal(request, size);
  const place = { kind: 'pty', slavePath: terminal.slavePath } as const;
  let child: PtyProcess | null = null;
  try {
    const { pid } = await server.fork(request, place, (exit) => child?.reaped(exit));
    child = new PtyProcess({ ...terminal, pid }, server, events);
    return child;
  } catch (error) {
    closeSync(terminal.fd);
    closeSync(terminal.slave);
    throw error;
  }
}

/** A child and both ends of its terminal. */
type HeldPty = ForkedPty & { readonly slave: number };

class PtyProcess implements ChildProcess {
  readonly kind = 'pty';
  readonly pid: number;
  readonly inputPlace: InputPlace;
  /** Which has forked the child. */
  readonly #server: ForkServer | null;
  readonly #events: ChildEvents;
  readonly #stream: ReadStream;
  readonly #input: InputQueue;
  /** Null once the stream has closed it: the number may be another file's by then. */
  #fd: number | null;
  #slave: number | null;
  readonly #floodMeter = new FloodMeter();
  /** Reads in place of the stream while there is a flood. */
  #floodReader: FloodReader | null = null;
  #isReaderStarting = false;
  #isPaused = false;
  #reaped = false;
  /** Of a leader that was reaped while a flood is still read. */
  #untoldExit: ExitStatus | null = null;
  #disposed = false;

  constructor(forked: HeldPty, server: ForkServer | null, events: ChildEvents) {
    this.#server = server;
    this.#events = events;
    this.pid = forked.pid;
    this.inputPlace = { kind: 'pty', slavePath: forked.slavePath };
    this.#fd = forked.fd;
    this.#slave = forked.slave;
    this.#input = new InputQueue(forked.fd);
    const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
      onread: { buffer: scratch, callback: (byteCount) => this.#onRead(byteCount) },
    };
    this.#stream = new ReadStream(forked.fd, options);
    this.#stream.on('end', () => {
      // libuv's word for the end may come early; the descriptor is still open while this event is told.
      this.#drain(Number.POSITIVE_INFINITY);
      this.#streamOver();
    });
    // EIO, the kernel's word for the end: everything was read, and the descriptor is closed already.
    this.#stream.on('error', () => this.#streamOver());
    this.#stream.resume();
  }

  write(bytes: Uint8Array, timeoutMs: number | null): Promise<Delivery> {
    return this.#input.write(bytes, timeoutMs);
  }

  closeInput(): void {
    throw new EngineError('not-supported', "a terminal's input cannot be closed: send Ctrl-D (\\u0004) instead");
  }

  resize(size: TerminalSize): void {
    if (this.#fd !== null) {
      resizePty(this.#fd, size.cols, size.rows);
    }
  }

  pause(): void {
    this.#isPaused = true;
    (this.#floodReader ?? this.#stream).pause();
  }

  resume(): void {
    this.#isPaused = false;
    (this.#floodReader ?? this.#stream).resume();
  }

  dispose(): void {
    this.#disposed = true;
    this.#letGo();
  }

  /** The leader has ended. */
  reaped(exit: ExitStatus): void {
    this.#reaped = true;
    this.#closeSlave();
    if (this.#disposed) {
      this.#events.exited(exit);
      return;
    }
    this.#input.close();
    if (this.#floodReader === null) {
      this.#tellExit(exit);
    } else {
      this.#untoldExit = exit;
      this.#floodReader.stop();
    }
  }

  #tellExit(exit: ExitStatus): void {
    const ended = this.#drain(DRAIN_AT_EXIT_BYTES);
    this.#events.exited(exit);
    if (ended) {
      this.#finish();
    }
  }

  /** So many bytes were read into the scratch. Answers whether the stream shall go on reading. */
  #onRead(byteCount: number): boolean {
    const length = this.#withWhatFollows(byteCount);
    this.#events.output('pty', scratch.subarray(0, length));
    if (this.#floodMeter.isFlood(length) && this.#events.isAwaited()) {
      void this.#readFlood();
    }
    return !this.#isPaused;
  }

  async #readFlood(): Promise<void> {
    if (this.#server === null || this.#isReaderStarting || this.#masterOfFlood() === null) {
      return;
    }
    this.#isReaderStarting = true;
    await FloodReader.start(this.#server, () => this.#masterOfFlood(), {
      started: (reader) => {
        this.#floodReader = reader;
        this.#stream.pause();
      },
      output: (bytes) => this.#events.output('pty', bytes),
      ended: () => this.#onFloodOver(),
    });
    this.#isReaderStarting = false;
  }

  /** Null when nothing is read now, or by this process alone. */
  #masterOfFlood(): number | null {
    return this.#reaped || this.#isPaused || this.#disposed ? null : this.#fd;
  }

  #onFloodOver(): void {
    this.#floodReader = null;
    const exit = this.#untoldExit;
    this.#untoldExit = null;
    if (this.#disposed) {
      if (exit !== null) {
        this.#events.exited(exit);
      }
      return;
    }
    if (exit !== null) {
      this.#tellExit(exit);
    }
    if (!this.#disposed && !this.#isPaused) {
      this.#stream.resume();
    }
  }

  /** The stream closes the descriptor by itself now. While the leader lives its exit is still to come. */
  #streamOver(): void {
    this.#fd = null;
    this.#input.close();
    if (this.#reaped) {
      this.#finish();
    }
  }

  /** Reads on behind what was read into the scratch when that is much; answers how much is there then. */
  #withWhatFollows(byteCount: number): number {
    let length = byteCount;
    if (byteCount < FLOOD_BYTES || this.#fd === null) {
      return length;
    }
    try {
      for (let count = -1; count !== 0 && length < PIECE_BYTES; length += count) {
        count = readSync(this.#fd, scratch, length, PIECE_BYTES - length, null);
      }
    } catch {
      // EAGAIN: nothing is there yet. EIO, the end: the stream finds it as well.
    }
    return length;
  }

  /** Reads what is there, at most about `maxBytes`; answers true when nothing more can come. */
  #drain(maxBytes: number): boolean {
    if (this.#fd === null) {
      return true;
    }
    for (let left = maxBytes; left > 0;) {
      let count: number;
      try {
        count = readSync(this.#fd, scratch);
      } catch (error) {
        return (error as NodeJS.ErrnoException).code !== 'EAGAIN';
      }
      if (count === 0) {
        return true;
      }
      left -= count;
      this.#events.output('pty', scratch.subarray(0, count));
    }
    return false;
  }

  #finish(): void {
    if (!this.#disposed) {
      this.dispose();
      this.#events.closed();
    }
  }

  /** Closes the master, which hangs up the terminal, and whatever else is held. */
  #letGo(): void {
    this.#fd = null;
    this.#input.close();
    this.#closeSlave();
    this.#floodReader?.dispose();
    this.#stream.destroy();
  }

  #closeSlave(): void {
    if (this.#slave !== null) {
      closeSync(this.#slave);
      this.#slave = null;
    }
  }
}

function openTerminal({ program }: SpawnRequest, size: TerminalSize): Omit<HeldPty, 'pid'> {
  try {
    return openPty(size.cols, size.rows);
  } catch (error) {
    throw noTerminal(program, error);
  }
}

function fork(request: SpawnRequest, size: TerminalSize, onReaped: (exit: ExitStatus) => void): ForkedPty {
  const program = withArg0(request);
  try {
    return forkPty(
      {
        file: program.file,
        args: program.args,
        env: Object.entries(request.env).map(([name, value]) => `${name}=${value}`),
        cwd: request.cwd,
        cols: size.cols,
        rows: size.rows,
      },
      (exitCode, signal) =>
        onReaped(signal === 0 ? { exitCode, signal: null } : { exitCode: null, signal: signalName(signal) }),
    );
  } catch (error) {
    throw noTerminal(request.program, error);
  }
}

function noTerminal(program: string, cause: unknown): EngineError {
  return new EngineError('spawn-failed', `the system gave no pseudo terminal for \`${program}\``, { cause });
}
