import { spawn, type ChildProcess as NodeChild } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { EngineError } from '../../shared/errors.ts';
import type { OutputStreamName } from '../../shared/session.ts';
import type { ChildEvents, ChildProcess, InputPlace, SpawnRequest } from './backend.ts';
import { InputQueue, type Delivery } from './input-queue.ts';
import { letGo, pauseAgain } from './ended-child.ts';
import { stdinOf } from './waiting-for.ts';
import { withoutInheritedDescriptors } from './launcher.ts';

export interface PipeOptions {
  /** False: the child's stdin is /dev/null. */
  readonly stdin: boolean;
}

/**
 * Starts a child with stdout and stderr on separate streams, as leader of a session (and so of a process group) of
 * its own. Rejects with `spawn-failed` when the system refuses.
 */
export async function startPipes(
  request: SpawnRequest,
  options: PipeOptions,
  events: ChildEvents,
): Promise<ChildProcess> {
  const program = withoutInheritedDescriptors(request);
  let child: NodeChild;
  try {
    child = spawn(program.file, program.args, {
      cwd: request.cwd,
      env: { ...request.env },
      detached: true,
      stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    // Some refusals are thrown (out of descriptors for the pipes), others are told by the event.
    throw spawnFailed(request, error as NodeJS.ErrnoException);
  }
  const { pid } = child;
  if (pid === undefined) {
    throw spawnFailed(request, await new Promise<NodeJS.ErrnoException>((resolve) => child.once('error', resolve)));
  }
  return new PipeProcess(child, pid, events);
}

function spawnFailed({ program }: SpawnRequest, error: NodeJS.ErrnoException): EngineError {
  return new EngineError('spawn-failed', `cannot start \`${program}\`: ${error.message}`, {
    ...(error.code === undefined ? {} : { systemCode: error.code }),
    cause: error,
  });
}

class PipeProcess implements ChildProcess {
  readonly kind = 'pipe';
  readonly pid: number;
  readonly inputPlace: InputPlace;
  readonly #child: NodeChild;
  readonly #outputs: readonly Readable[];
  /** Null when the child's stdin is /dev/null. */
  readonly #input: InputQueue | null;
  #isPaused = false;

  constructor(child: NodeChild, pid: number, events: ChildEvents) {
    this.pid = pid;
    this.inputPlace = { kind: 'pipe', stdin: stdinOf(pid) };
    this.#child = child;
    const stdout = child.stdio[1] as Readable;
    const stderr = child.stdio[2] as Readable;
    this.#outputs = [stdout, stderr];
    const stdinFd = descriptorOf(child.stdin);
    this.#input = stdinFd === null ? null : new InputQueue(stdinFd);
    forward(stdout, 'stdout', events);
    forward(stderr, 'stderr', events);
    child.on('exit', (exitCode, signal) => {
      // Node has just closed its end of the child's stdin.
      this.#input?.close();
      events.exited({ exitCode, signal });
      pauseAgain(this.#outputs, () => this.#isPaused);
    });
    // After `exit` and the end of both streams, so that nothing can follow it.
    child.on('close', () => {
      letGo(child);
      events.closed();
    });
    // A signal that could not be sent, or a write into a closed stdin: whoever asked learns it from its own call.
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
  }

  write(bytes: Uint8Array, timeoutMs: number | null): Promise<Delivery> {
    return this.#input === null
      ? Promise.reject(new EngineError('session-not-writable', 'this child has no stdin'))
      : this.#input.write(bytes, timeoutMs);
  }

  closeInput(): void {
    if (this.#input === null) {
      throw new EngineError('session-not-writable', 'this child has no stdin');
    }
    this.#input.end(() => this.#child.stdin?.end());
  }

  resize(): void {
    throw new EngineError('not-supported', 'a session on pipes has no terminal size');
  }

  pause(): void {
    this.#isPaused = true;
    for (const output of this.#outputs) {
      output.pause();
    }
  }

  resume(): void {
    this.#isPaused = false;
    for (const output of this.#outputs) {
      output.resume();
    }
  }

  dispose(): void {
    this.#input?.close();
    this.#child.stdin?.destroy();
    for (const output of this.#outputs) {
      output.destroy();
    }
  }
}

function forward(stream: Readable, name: OutputStreamName, events: ChildEvents): void {
  stream.on('data', (bytes: Buffer) => events.output(name, bytes));
  // A reset of the socket pair ends the stream like an end of file; `close` follows either way.
  stream.on('error', () => {});
}

/**
 * The descriptor of a stream to a child. Written to directly, since a stream's own queue cannot take back what a
 * deadline withdraws, nor tell how much was delivered.
 */
function descriptorOf(stream: Writable | null): number | null {
  const { _handle: handle } = (stream ?? {}) as { readonly _handle?: { readonly fd?: number } };
  return handle?.fd ?? null;
}
