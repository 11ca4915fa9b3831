import type { ChildProcess as NodeChild } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { ExitStatus } from '../../shared/session.ts';
import { letGo, pauseAgain } from './ended-child.ts';
import { FloodMeter } from './flood-reader.ts';
import type { ForkedChild } from './fork-server.ts';
import { inputFile } from './input-waiter.ts';
import { stdinOf, type ChildStdin } from './waiting-for.ts';

export interface PipedChildEvents {
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
  readonly stdout: Readable;
  readonly stderr: Readable;
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
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #child: NodeChild;
  #isPaused = false;

  constructor(child: NodeChild, pid: number) {
    this.pid = pid;
    this.stdin = descriptorOf(child.stdin);
    this.stdinFile = stdinOf(pid);
    this.stdout = child.stdio[1] as Readable;
    this.stderr = child.stdio[2] as Readable;
    this.#child = child;
  }

  listen(events: PipedChildEvents): void {
    const child = this.#child;
    child.on('exit', (exitCode, signal) => {
      events.exited({ exitCode, signal });
      pauseAgain([this.stdout, this.stderr], () => this.#isPaused);
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
    this.stdout.pause();
    this.stderr.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.stdout.resume();
    this.stderr.resume();
  }

  dispose(): void {
    this.#child.stdin?.destroy();
    this.stdout.destroy();
    this.stderr.destroy();
  }
}

/** Pipes of this process that hold more, at a time: the system bounds what all pipes of a user hold (64 MiB, pipe(7)). */
const MAX_WIDE_PIPES = 16;

let widePipes = 0;

/** A child that a fork server has forked. A pipe that is in a flood is made to hold more by `widen`. */
export class PipedFork implements PipedChild {
  readonly pid: number;
  readonly stdinFile: ChildStdin;
  readonly stdout: Readable;
  readonly stderr: Readable;
  #stdin: number | null;
  #events: PipedChildEvents | null = null;
  #openStreams = 2;
  #hasExited = false;

  constructor({ pid, stdin, stdout, stderr }: ForkedChild, widen: (pipe: number) => void) {
    this.pid = pid;
    this.#stdin = stdin < 0 ? null : stdin;
    // Both ends of a pipe are one file; the child's may not be its stdin yet.
    this.stdinFile = stdin < 0 ? null : inputFile(`/proc/self/fd/${stdin}`);
    this.stdout = streamOf(stdout, widen, () => this.#streamClosed());
    this.stderr = streamOf(stderr, widen, () => this.#streamClosed());
  }

  get stdin(): number | null {
    return this.#stdin;
  }

  listen(events: PipedChildEvents): void {
    this.#events = events;
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
    this.stdout.pause();
    this.stderr.pause();
  }

  resume(): void {
    this.stdout.resume();
    this.stderr.resume();
  }

  dispose(): void {
    this.endStdin();
    this.stdout.destroy();
    this.stderr.destroy();
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

function streamOf(fd: number, widen: (pipe: number) => void, onClosed: () => void): Readable {
  const stream = new Socket({ fd, readable: true, writable: false });
  const meter = new FloodMeter();
  let isWide = false;
  stream.on('data', (bytes: Buffer) => {
    if (!isWide && meter.isFlood(bytes.length) && widePipes < MAX_WIDE_PIPES) {
      isWide = true;
      widePipes += 1;
      widen(fd);
    }
  });
  stream.on('close', () => {
    widePipes -= isWide ? 1 : 0;
    onClosed();
  });
  return stream;
}

/** The descriptor of a stream to a child. */
function descriptorOf(stream: Writable | null): number | null {
  const { _handle: handle } = (stream ?? {}) as { readonly _handle?: { readonly fd?: number } };
  return handle?.fd ?? null;
}
