import type { BackendKind, ExitStatus, OutputStreamName, TerminalSize } from '../../shared/session.ts';
import type { Delivery } from './input-queue.ts';
import type { ChildStdin } from './waiting-for.ts';

/** A child that is ready to be spawned: everything is resolved and checked. */
export interface SpawnRequest {
  /** The program as it was asked for; exec(3) finds `file` by it in the child's directory and PATH. */
  readonly program: string;
  /** Absolute path of the program. */
  readonly file: string;
  /** What the child sees as its own name; `program` unless something else was asked for. */
  readonly arg0: string;
  readonly args: readonly string[];
  /** Canonical absolute path of a directory that exists. */
  readonly cwd: string;
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What a child does, as it happens. In this order: any number of `output`; `exited` once; perhaps more `output`
 * (something else held the stream); `closed` once. After `closed` nothing comes.
 */
export interface ChildEvents {
  /** The bytes are right until this returns; who keeps them copies them. */
  output(stream: OutputStreamName, bytes: Uint8Array): void;
  /** Is there somebody who takes every byte, and whom a slow read keeps waiting? */
  isAwaited(): boolean;
  exited(exit: ExitStatus): void;
  closed(): void;
}

/** The child's end of its input. */
export type InputPlace =
  | { readonly kind: 'pty'; readonly slavePath: string }
  | { readonly kind: 'pipe'; readonly stdin: ChildStdin };

/** A running child and the way it is connected. */
export interface ChildProcess {
  readonly kind: BackendKind;
  readonly pid: number;
  /** Where its input comes from, for a look at what it waits for. */
  readonly inputPlace: InputPlace;
  /**
   * Queues the bytes for the child's input as one piece. Resolves when the system has taken them, when `timeoutMs` is
   * over (null: never), or when the child ended meanwhile. Rejects with `session-not-writable` when the child has no
   * stdin, or it is closed.
   */
  write(bytes: Uint8Array, timeoutMs: number | null): Promise<Delivery>;
  /** Ends the child's stdin after what is queued. Throws `not-supported` on a pty. */
  closeInput(): void;
  /** Sets the terminal's size. Throws `not-supported` on pipes. */
  resize(size: TerminalSize): void;
  /** Stops reading, so that the system stops a child that goes on printing. */
  pause(): void;
  resume(): void;
  /** Lets go of every descriptor at once; output that was not read is lost. The child itself is not signalled. */
  dispose(): void;
}
