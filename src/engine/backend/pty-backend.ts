import { closeSync, constants, openSync, readSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { EngineError } from '../../shared/errors.ts';
import type { ExitStatus, TerminalSize } from '../../shared/session.ts';
import type { ChildEvents, ChildProcess, SpawnRequest } from './backend.ts';
import { withArg0 } from './launcher.ts';
import { forkPty, resizePty, type ForkedPty } from './native-pty.ts';
import { PtyInputQueue } from './pty-input-queue.ts';
import { signalName } from './signal-names.ts';

/** Bytes of one synchronous read at the end. The kernel holds about 64 KiB of a pty's unread output. */
const DRAIN_BUFFER_BYTES = 64 * 1024;

/**
 * Bytes read in one go at the end before other work gets its turn, so that something that goes on printing into a
 * terminal whose leader is gone cannot stop the host.
 */
const DRAIN_SLICE_BYTES = 1024 * 1024;

/** Pause in milliseconds between reads of a terminal that outlived its leader: long enough to cost nothing. */
const ORPHANED_POLL_MS = 20;

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
 *                                             ─► exited ─► output … ─► EIO ─► closed
 * ```
 */
export function startPty(request: SpawnRequest, size: TerminalSize, events: ChildEvents): ChildProcess {
  return new PtyProcess(request, size, events);
}

class PtyProcess implements ChildProcess {
  readonly kind = 'pty';
  readonly pid: number;
  readonly #fd: number;
  readonly #events: ChildEvents;
  readonly #stream: ReadStream;
  readonly #input: PtyInputQueue;
  #slave: number | null;
  #closed = false;
  #reaped = false;
  #poll: NodeJS.Timeout | null = null;

  constructor(request: SpawnRequest, size: TerminalSize, events: ChildEvents) {
    this.#events = events;
    const program = withArg0(request);
    let forked: ForkedPty;
    try {
      forked = forkPty(
        {
          file: program.file,
          args: program.args,
          env: Object.entries(request.env).map(([name, value]) => `${name}=${value}`),
          cwd: request.cwd,
          cols: size.cols,
          rows: size.rows,
        },
        (exitCode, signal) => this.#onReaped(exitCode, signal),
      );
    } catch (error) {
      throw new EngineError('spawn-failed', `the system gave no pseudo terminal for \`${request.arg0}\``, {
        cause: error,
      });
    }
    this.pid = forked.pid;
    this.#fd = forked.fd;
    this.#slave = openSync(forked.slavePath, constants.O_RDWR | constants.O_NOCTTY);
    this.#input = new PtyInputQueue(forked.fd);
    this.#stream = new ReadStream(forked.fd);
    this.#stream.on('data', (bytes: Buffer) => this.#events.output('pty', bytes));
    // Both mean that libuv gave up the stream. What the kernel still holds is read here while the descriptor is open.
    this.#stream.on('end', () => this.#drain());
    this.#stream.on('error', () => this.#drain());
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#input.write(bytes);
  }

  resize(size: TerminalSize): void {
    if (!this.#closed) {
      resizePty(this.#fd, size.cols, size.rows);
    }
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  dispose(): void {
    this.#closed = true;
    this.#input.close();
    this.#closeSlave();
    if (this.#poll !== null) {
      clearTimeout(this.#poll);
      this.#poll = null;
    }
    // Closes the master, which hangs up the terminal.
    this.#stream.destroy();
  }

  #onReaped(exitCode: number, signal: number): void {
    this.#reaped = true;
    this.#closeSlave();
    const exit: ExitStatus = signal === 0 ? { exitCode, signal: null } : { exitCode: null, signal: signalName(signal) };
    if (this.#closed) {
      this.#events.exited(exit);
      return;
    }
    this.#input.close();
    const ended = this.#readAll();
    this.#events.exited(exit);
    if (ended) {
      this.#finish();
    }
  }

  /** Reads on after libuv gave up the stream: until the end, or in slices for as long as somebody holds the terminal. */
  #drain(): void {
    if (this.#closed || this.#poll !== null) {
      return;
    }
    if (this.#readAll() && this.#reaped) {
      this.#finish();
      return;
    }
    this.#poll = setTimeout(() => {
      this.#poll = null;
      this.#drain();
    }, ORPHANED_POLL_MS);
  }

  /** Reads what is there, and answers true when the kernel says that nothing more can come. */
  #readAll(): boolean {
    // What the stream took from the kernel while it was paused comes first.
    for (let held: unknown = this.#stream.read(); held !== null; held = this.#stream.read()) {
      this.#events.output('pty', held as Buffer);
    }
    for (let left = DRAIN_SLICE_BYTES; left > 0;) {
      const buffer = Buffer.allocUnsafeSlow(DRAIN_BUFFER_BYTES);
      let count: number;
      try {
        count = readSync(this.#fd, buffer);
      } catch (error) {
        return (error as NodeJS.ErrnoException).code !== 'EAGAIN';
      }
      if (count === 0) {
        return true;
      }
      left -= count;
      this.#events.output('pty', Buffer.from(buffer.subarray(0, count)));
    }
    return false;
  }

  #finish(): void {
    if (!this.#closed) {
      this.dispose();
      this.#events.closed();
    }
  }

  #closeSlave(): void {
    if (this.#slave !== null) {
      closeSync(this.#slave);
      this.#slave = null;
    }
  }
}
