/** The words every layer uses about a session. Plain data: all of it survives JSON and structured clone. */

import type { BudgetHit, SessionLimits } from './budget.ts';

/**
 * The engine's own name of a session: unique among the sessions it knows. One that the engine made
 * is never used again; one that a caller chose is free again when its session is closed.
 */
export type SessionId = string & { readonly __brand: 'SessionId' };

/** How the child is connected: a pseudo terminal, or one pipe per stream. */
export type BackendKind = 'pty' | 'pipe';

/** Where a chunk of output came from. A pty has one stream, pipes keep two apart. */
export type OutputStreamName = 'pty' | 'stdout' | 'stderr';

/**
 * The life of a session.
 *
 * ```
 * starting ──► running ──► exited ──► closed
 *     │            └─────► lost
 *     └──────► failed (the child could not be started)
 * ```
 *
 * `exited`: the child ended, its output is still open (something else holds the pipe).
 * `closed`: the child ended and its output has ended too.
 * `lost`: of an earlier run of the host, which was killed while the child ran: how that ended is not known.
 */
export type SessionState = 'starting' | 'running' | 'exited' | 'closed' | 'failed' | 'lost';

/** How a child ended. Both are null when that is not known; a killed child has a signal and no code. */
export interface ExitStatus {
  readonly exitCode: number | null;
  /** Name as in signal(7), e.g. `SIGTERM`. */
  readonly signal: string | null;
}

/** Who made a session's child end. `child`: it ended by itself. `limit`: its budget ended it, see `limitHit`. */
export type EndedBy = 'child' | 'agent' | 'person' | 'limit' | 'host';

/** Who asked for a session. */
export type SessionOrigin =
  | { readonly kind: 'person' }
  | {
      readonly kind: 'agent';
      /** The name the client gave itself, e.g. `codex-environment`. */
      readonly client: string;
      /** The client's own name for the process. */
      readonly processId: string;
      readonly threadId: string | null;
      readonly callId: string | null;
    };

/** Size of a terminal in character cells. */
export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/**
 * What a child waits for:
 * - `password`: a line that is not shown while it is typed;
 * - `line`: a line that is shown;
 * - `repl`: a line in the program's own line editor, at its prompt (bash, python, psql);
 * - `pager`: keys, by a program that shows what it gets from elsewhere (less, more, man);
 * - `keys`: keys, by any other program (vim, htop, "press any key"); also where it cannot be told from a `repl`;
 * - `input`: bytes on its stdin, which is no terminal;
 * - `busy`: for nothing that could be typed: it works, sleeps, waits for something else, or is stopped;
 * - `unknown`: the facts cannot be had here.
 */
export type WaitingKind = 'password' | 'line' | 'repl' | 'pager' | 'keys' | 'input' | 'busy' | 'unknown';

/** What a child waits for, and who in its tree does. */
export interface WaitingFor {
  readonly kind: WaitingKind;
  /** The process that waits; when busy, the first one of the foreground. Null when there is none or none is known. */
  readonly pid: number | null;
  /** The kernel's name of that process, at most 15 bytes. */
  readonly program: string | null;
  /** Whether the terminal shows what is typed; null on pipes, and where it was not needed to tell the kind. */
  readonly echo: boolean | null;
  /** Whether the terminal gives input out by the line; null like `echo`. */
  readonly canonical: boolean | null;
}

/**
 * How far a program says it is (`OSC 9 ; 4`). It may be wrong: nothing but the program knows.
 * - `normal`: it works, and so much is done;
 * - `indeterminate`: it works, and cannot tell how much is done;
 * - `paused`, `error`: it stands, having come so far.
 */
export interface ProgramProgress {
  readonly kind: 'normal' | 'indeterminate' | 'paused' | 'error';
  /** 0 to 100; null when it told none. */
  readonly percent: number | null;
}

/** A folder that a session's shell has come to. */
export interface SessionFolder {
  /** Absolute. */
  readonly path: string;
  /** The machine that it is on, as a program there calls it; null for this one. */
  readonly host: string | null;
  /** It is the person's home folder on this machine. */
  readonly isHome: boolean;
}

/** A time in which a person held the keyboard of an agent's session. */
export interface KeyboardHold {
  /** Unix times in milliseconds. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** What was printed from this offset on, the person has seen first. */
  readonly fromOffset: number;
}

/** What a person is wanted for: `secret` when something must be typed that no agent may know. */
export type AttentionKind = 'ask' | 'secret';

/** An agent's wish for a person, for one of its sessions. */
export interface Attention {
  readonly id: string;
  readonly kind: AttentionKind;
  /** What the person shall do, in the agent's words: plain text of somebody who may be mistaken. */
  readonly message: string;
  /** Unix time in milliseconds. */
  readonly askedAtMs: number;
  /** Unix time in milliseconds at which it is given up. */
  readonly untilMs: number;
}

/** Everything that is known of a session, as a snapshot. */
export interface SessionInfo {
  readonly id: SessionId;
  readonly backend: BackendKind;
  /** What was asked for; never empty. */
  readonly argv: readonly string[];
  /** Canonical absolute path (links followed). */
  readonly cwd: string;
  /** As a person is shown it: relative to the workspace it was asked to be in (`.` for that itself), else absolute. */
  readonly shownCwd: string;
  /** Null until the child runs, and for good when it could not be started. */
  readonly pid: number | null;
  /** Null for a pipe session. */
  readonly size: TerminalSize | null;
  readonly state: SessionState;
  /** Null while the child runs. */
  readonly exit: ExitStatus | null;
  /** Null while the child runs. */
  readonly endedBy: EndedBy | null;
  /** Why the child could not be started; null in every other state. */
  readonly failure: string | null;
  readonly origin: SessionOrigin;
  /** The sandbox that it runs in, in words; null for none. */
  readonly sandbox: string | null;
  /** The session that this one runs again, without its sandbox; null for a first run. */
  readonly retryOf: SessionId | null;
  /** A name that somebody gave it; null for none. */
  readonly title: string | null;
  /** Who may type: an agent's write is refused while a person holds its session's keyboard. */
  readonly keyboard: 'person' | 'agent';
  /** When a person held it last and let go of it; null when none did. */
  readonly lastHold: KeyboardHold | null;
  /** Number of the newest entry of its timeline. */
  readonly timelineNumber: number;
  /** Rises with each act of this run of the host, also with one that is joined with others in one entry. */
  readonly timelineActs: number;
  /** Unix time in milliseconds. */
  readonly startedAtMs: number;
  /** Unix time in milliseconds; null while the child runs. */
  readonly endedAtMs: number | null;
  /** Bytes the child has printed in all, retained or not. */
  readonly outputBytes: number;
  /** Names the retained output, see `OutputCursor`. */
  readonly epoch: string;
  /** Rises with each piece of output, with the exit and with the close. */
  readonly activity: number;
  /** Null while that is not known: the child has just printed or been given input, or it has ended. */
  readonly waitingFor: WaitingFor | null;
  /**
   * Where its shell is, or was last seen: by the system, else as its program says. Null where neither tells. At most some
   * tenths of a second old at a prompt, some seconds otherwise.
   */
  readonly folder: SessionFolder | null;
  /** What its program says of its progress; null when nothing, on pipes, and after the end. At most half a second old. */
  readonly progress: ProgramProgress | null;
  /**
   * True when nothing runs any more of all that was started in it; false when something outlived the child. Null while
   * the child runs, and where it cannot be told.
   */
  readonly treeEmpty: boolean | null;
  /** What it may use. */
  readonly limits: SessionLimits;
  /**
   * The first limit that was hit; null when none was. Its `ended` tells what came of that: only where it is `child` is
   * `endedBy` `limit`. May come after the exit, by what outlived the child or by output that was still on its way.
   */
  readonly limitHit: BudgetHit | null;
  /** What the agent wants a person for; null when nothing. */
  readonly attention: Attention | null;
}

/** True while the child may still run. */
export function isLive(state: SessionState): boolean {
  return state === 'starting' || state === 'running';
}

/** True when closing a session ends something: its child, or what outlived that. */
export function endsSomething({ state, treeEmpty }: Pick<SessionInfo, 'state' | 'treeEmpty'>): boolean {
  return isLive(state) || treeEmpty === false;
}

/** True when something could be typed now; null when that is not known. */
export function waitsForInput(waiting: WaitingFor | null): boolean | null {
  return waiting === null || waiting.kind === 'unknown' ? null : waiting.kind !== 'busy';
}
