import type { ChildProcess as NodeChild } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket, type OnReadOpts, type SocketConstructorOpts } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { ExitStatus, OutputStreamName } from '../../shared/session.ts';
import { letGo, pauseAgain } from './ended-child.ts';
import { FloodMeter } from './flood-reader.ts';
import type { ForkedChild } from './fork-server.ts';
import { inputFile } from './input-waiter.ts';
import { stdinOf, type ChildStdin } from './waiting-for.ts';

export interface PipedChildEvents {
  /** `bytes` are only lent. */
  output(stream: OutputStreamName, bytes: Uint8Array): void;
  exited(exit: ExitStatus): void;
  /** After `exited` and the end of both streams, so that nothing can follow it. */
  closed(): void;
}

/** A running child on pipes, whoever forked it. */
export interface PipedChild {
  readonly pid: number;
  /**
   * Descriptor of our end of its stdin; null when that is /dev/null. Written to directly, since a stream's own queue cannot
   * take back what a deadline withdraws, nor tell how much was delivered.
   */
  readonly stdin: number | null;
  readonly stdinFile: ChildStdin;
  /** Once, in the turn in which it was made: what it prints is read from now on. */
  listen(events: PipedChildEvents): void;
  endStdin(): void;
  pause(): void;
  resume(): void;
  /** Closes every stream at once. */
  dispose(): void;
}

/** A child of this process, by `child_process`. */
export class SpawnedChild implements PipedChild {
  readonly pid: number;
  readonly stdin: number | null;
  readonly stdinFile: ChildStdin;
  readonly #stdout: Readable;
  readonly #stderr: Readable;
  readonly #child: NodeChild;
  #isPaused = false;

  constructor(child: NodeChild, pid: number) {
    this.pid = pid;
    this.stdin = descriptorOf(child.stdin);
    this.stdinFile = stdinOf(pid);
    this.#stdout = child.stdio[1] as Readable;
    this.#stderr = child.stdio[2] as Readable;
    this.#child = child;
  }

  listen(events: PipedChildEvents): void {
    const child = this.#child;
    this.#stdout.on('data', (bytes: Buffer) => events.output('stdout', bytes));
    this.#stderr.on('data', (bytes: Buffer) => events.output('stderr', bytes));
    // A reset of a socket pair ends the stream like an end of file; `closed` follows either way.
    this.#stdout.on('error', () => {});
    this.#stderr.on('error', () => {});
    child.on('exit', (exitCode, signal) => {
      events.exited({ exitCode, signal });
      pauseAgain([this.#stdout, this.#stderr], () => this.#isPaused);
    });
    child.on('close', () => {
      letGo(child);
      events.closed();
    });
    // A signal that could not be sent, or a write into a closed stdin: whoever asked learns it from its own call.
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
  }

  endStdin(): void {
    this.#child.stdin?.end();
  }

  pause(): void {
    this.#isPaused = true;
    this.#stdout.pause();
    this.#stderr.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#stdout.resume();
    this.#stderr.resume();
  }

  dispose(): void {
    this.#child.stdin?.destroy();
    this.#stdout.destroy();
    this.#stderr.destroy();
  }
}

/** Pipes of this process that hold more, at a time: the system bounds what all pipes of a user hold (64 MiB, pipe(7)). */
const MAX_WIDE_PIPES = 16;

let widePipes = 0;

/**
 * Where pipes are read into, one after the other; told of before the next is read. Node's own buffer of 64 KiB for each read
 * is memory outside of the heap, which drove V8 into a collection of the whole heap for every 50 short children.
 */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

/** A child that a fork server has forked. A pipe that is in a flood is made to hold more by `widen`. */
export class PipedFork implements PipedChild {
  readonly pid: number;
  readonly stdinFile: ChildStdin;
  readonly #stdout: Socket;
  readonly #stderr: Socket;
  #stdin: number | null;
  #events: PipedChildEvents | null = null;
  #openStreams = 2;
  #hasExited = false;
  #isPaused = false;

  constructor({ pid, stdin, stdout, stderr }: ForkedChild, widen: (pipe: number) => void) {
    this.pid = pid;
    this.#stdin = stdin < 0 ? null : stdin;
    // Both ends of a pipe are one file; the child's may not be its stdin yet.
    this.stdinFile = stdin < 0 ? null : inputFile(`/proc/self/fd/${stdin}`);
    this.#stdout = this.#streamOf('stdout', stdout, widen);
    this.#stderr = this.#streamOf('stderr', stderr, widen);
  }

  get stdin(): number | null {
    return this.#stdin;
  }

  listen(events: PipedChildEvents): void {
    this.#events = events;
    this.resume();
  }

  /** It has ended; somebody else may still hold its streams. */
  reaped(exit: ExitStatus): void {
    this.#hasExited = true;
    this.#events?.exited(exit);
    this.endStdin();
    this.#tellClosed();
  }

  endStdin(): void {
    if (this.#stdin !== null) {
      closeSync(this.#stdin);
      this.#stdin = null;
    }
  }

  pause(): void {
    this.#isPaused = true;
    this.#stdout.pause();
    this.#stderr.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#stdout.resume();
    this.#stderr.resume();
  }

  dispose(): void {
    this.endStdin();
    this.#stdout.destroy();
    this.#stderr.destroy();
  }

  #streamOf(name: OutputStreamName, fd: number, widen: (pipe: number) => void): Socket {
    const meter = new FloodMeter();
    let isWide = false;
    const onRead = (byteCount: number): boolean => {
      // Before it is told: whoever hears of it may close the pipe.
      if (!isWide && meter.isFlood(byteCount) && widePipes < MAX_WIDE_PIPES) {
        isWide = true;
        widePipes += 1;
        widen(fd);
      }
      this.#events?.output(name, scratch.subarray(0, byteCount));
      return !this.#isPaused;
    };
    const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
      fd,
      readable: true,
      writable: false,
      onread: { buffer: scratch, callback: onRead },
    };
    const stream = new Socket(options);
    stream.on('error', () => {});
    stream.on('close', () => {
      widePipes -= isWide ? 1 : 0;
      this.#streamClosed();
    });
    return stream;
  }

  #streamClosed(): void {
    this.#openStreams -= 1;
    this.#tellClosed();
  }

  #tellClosed(): void {
    if (this.#hasExited && this.#openStreams === 0) {
      this.#events?.closed();
      this.#events = null;
    }
  }
}

/** The descriptor of a stream to a child. */
function descriptorOf(stream: Writable | null): number | null {
  const { _handle: handle } = (stream ?? {}) as { readonly _handle?: { readonly fd?: number } };
  return handle?.fd ?? null;
}
