import { spawn, type ChildProcess as NodeChild } from 'node:child_process';
import { EngineError } from '../../shared/errors.ts';
import type { ChildEvents, ChildProcess, InputPlace, SpawnRequest } from './backend.ts';
import type { ForkServer } from './fork-server.ts';
import { InputQueue, type Delivery } from './input-queue.ts';
import { withoutInheritedDescriptors } from './launcher.ts';
import { PipedFork, SpawnedChild, type PipedChild } from './piped-child.ts';

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
  return new PipeProcess(new SpawnedChild(child, pid), events);
}

/** The same, forked by a server. Rejects with `spawn-failed`. */
export async function startPipesBy(
  server: ForkServer,
  request: SpawnRequest,
  options: PipeOptions,
  events: ChildEvents,
): Promise<ChildProcess> {
  let child: PipedFork | null = null;
  const forked = await server.fork(request, { kind: 'pipe', ...options }, (exit) => child?.reaped(exit));
  child = new PipedFork(forked, (pipe) => server.widen(pipe));
  return new PipeProcess(child, events);
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
  readonly #child: PipedChild;
  /** Null when the child's stdin is /dev/null. */
  readonly #input: InputQueue | null;

  constructor(child: PipedChild, events: ChildEvents) {
    this.pid = child.pid;
    this.inputPlace = { kind: 'pipe', stdin: child.stdinFile };
    this.#child = child;
    this.#input = child.stdin === null ? null : new InputQueue(child.stdin);
    child.listen({
      output: (stream, bytes) => events.output(stream, bytes),
      exited: (exit) => {
        // Its end of the child's stdin is just being closed.
        this.#input?.close();
        events.exited(exit);
      },
      closed: () => events.closed(),
    });
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
    this.#input.end(() => this.#child.endStdin());
  }

  resize(): void {
    throw new EngineError('not-supported', 'a session on pipes has no terminal size');
  }

  pause(): void {
    this.#child.pause();
  }

  resume(): void {
    this.#child.resume();
  }

  dispose(): void {
    this.#input?.close();
    this.#child.dispose();
  }
}
