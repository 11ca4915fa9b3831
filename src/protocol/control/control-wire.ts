/** What both ends of the control socket know. No library is needed for it, so that the command line starts fast. */
import type { Delivery, ListedGrant, Question, QuestionEvent, ReadResult, WaitOutcome } from '../../engine/engine.ts';
import type { OutputCursor } from '../../shared/output-cursor.ts';
import type { ExitStatus, OutputStreamName, SessionId, SessionInfo } from '../../shared/session.ts';

/** Version of what is spoken here. It rises when an older client would misunderstand. */
export const CONTROL_PROTOCOL = 1;

/** Longest line in either direction, in bytes, its newline not counted: a megabyte of input or output in base64, and more. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Most bytes of input in one `write`, and of output in one answer or notification: three quarters of a line in base64. */
export const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

/** What hosts the sessions: the app with its window, or `shellscope serve`. */
export type ControlHostKind = 'app' | 'serve';

/** Who is at the host's end of the socket. */
export interface ControlHostFacts {
  readonly protocol: number;
  readonly version: string;
  readonly pid: number;
  readonly kind: ControlHostKind;
  /** Unix time in milliseconds at which the host took the socket. */
  readonly sinceMs: number;
  /** Names that `stream` takes. */
  readonly streams: readonly string[];
  /** Where agents reach it by the exec-server protocol; null when it serves none. */
  readonly execServerUrl: string | null;
}

/** A piece of output, its bytes in base64. */
export interface WirePiece {
  readonly stream: OutputStreamName;
  /** Of its first byte in everything that the child ever printed. */
  readonly offset: number;
  readonly base64: string;
}

/** Output from one place on. `pieces` for `raw`, `text` for `text`, which is null when nothing is there. */
export interface ControlReadResult {
  readonly pieces: readonly WirePiece[];
  readonly text: string | null;
  readonly cursor: OutputCursor;
  /** Bytes that were evicted before this reader could have them. */
  readonly goneBytes: number;
  /** True when more is retained already than was given. */
  readonly more: boolean;
  readonly exit: ReadResult['exit'];
  readonly closed: boolean;
}

/** A process that outlived its session's child. */
interface WireSurvivor {
  readonly pid: number;
  /** Its arguments, or its name in brackets; null where the system does not tell. */
  readonly command: string | null;
  /** Time since its start, in milliseconds. */
  readonly ageMs: number | null;
}

/** What each method answers. */
export interface ControlResults {
  readonly hello: ControlHostFacts;
  readonly who: ControlHostFacts & { readonly sessions: number; readonly connections: number };
  readonly start: SessionInfo;
  readonly list: { readonly sessions: readonly SessionInfo[] };
  readonly get: SessionInfo;
  readonly read: ControlReadResult;
  readonly write: Delivery;
  readonly 'close-input': null;
  readonly resize: null;
  readonly signal: { readonly sent: boolean };
  readonly 'hand-back': null;
  readonly terminate: { readonly running: boolean };
  readonly close: SessionInfo;
  readonly wait: WaitOutcome;
  readonly follow: null;
  readonly ack: null;
  readonly unfollow: null;
  readonly survivors: { readonly sessions: readonly { session: SessionId; processes: readonly WireSurvivor[] }[] };
  readonly questions: { readonly questions: readonly Question[] };
  readonly answer: null;
  readonly 'answer-attention': null;
  readonly grants: { readonly grants: readonly ListedGrant[] };
  readonly revoke: null;
  readonly open: null;
  readonly stream: null;
}

/** What a host tells by itself, by method; `follow` is the number that the client gave its follow. */
export type ControlNotification =
  | { readonly method: 'output'; readonly params: WirePiece & { readonly follow: number } }
  /** Evicted before this follow could have them; null where their number is not known. */
  | { readonly method: 'gap'; readonly params: { readonly follow: number; readonly bytes: number | null } }
  | { readonly method: 'exited'; readonly params: { readonly follow: number; readonly exit: ExitStatus } }
  /** Nothing more follows. */
  | { readonly method: 'closed'; readonly params: { readonly follow: number } }
  | { readonly method: 'question'; readonly params: QuestionEvent };
