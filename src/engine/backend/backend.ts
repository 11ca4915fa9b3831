import type { BackendKind, ExitStatus, OutputStreamName, TerminalSize } from '../../shared/session.ts';

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
  /** The bytes are the receiver's to keep; the backend never changes them again. */
  output(stream: OutputStreamName, bytes: Uint8Array): void;
  exited(exit: ExitStatus): void;
  closed(): void;
}

/** A running child and the way it is connected. */
export interface ChildProcess {
  readonly kind: BackendKind;
  readonly pid: number;
  /**
   * Queues the bytes for the child's input as one piece. Resolves when the system has taken all of them.
   * Rejects with `session-not-writable` when the child has no stdin, or ended before it took them.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Sets the terminal's size. Throws `not-supported` on pipes. */
  resize(size: TerminalSize): void;
  /** Stops reading, so that the system stops a child that goes on printing. */
  pause(): void;
  resume(): void;
  /** Lets go of every descriptor at once; output that was not read is lost. The child itself is not signalled. */
  dispose(): void;
}
