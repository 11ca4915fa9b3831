/** A way to run a child and to learn what it does. Output is only counted. */
export interface Contender {
  readonly name: string;
  /** Runs the program in / with PATH and TERM alone. `onOutput` is told the bytes of each piece as it comes. */
  start(argv: readonly [string, ...string[]], onOutput: (bytes: number) => void): Promise<RunningChild>;
  /** Ends what is left. */
  close(): Promise<void>;
}

export interface RunningChild {
  /** When the exit was told, as `process.hrtime.bigint()` has it. */
  readonly exited: Promise<bigint>;
  /** Nothing more will be told. */
  readonly over: Promise<void>;
  write(text: string): void;
  /** Ends a child that still runs. */
  end(): void;
}

export const CHILD_ENVIRONMENT = { PATH: '/usr/bin:/bin', TERM: 'xterm-256color' };
