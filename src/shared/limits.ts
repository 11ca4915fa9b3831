/** Every default number that more than one layer knows, with its unit and reason. */

/**
 * Bytes of output kept in memory per session. C5 asks for at least 1 MiB; 8 MiB lets a client that was away for a few
 * seconds of a flooding build catch up without loss. Larger costs memory: 100 flooding sessions hold 100 times this.
 */
export const RETAINED_BYTES_PER_SESSION = 8 * 1024 * 1024;

/** Chunks kept per session. A child that prints single bytes would else cost some 200 bytes of memory per byte. */
export const RETAINED_CHUNKS_PER_SESSION = 65_536;

/** Terminal of a session whose client gave no size (A1). */
export const DEFAULT_TERMINAL_SIZE = { cols: 80, rows: 24 } as const;

/** Bytes sent to a pane and not yet parsed by it, above which the host stops sending. 128 KiB keeps Ctrl-C under 20 ms. */
export const PANE_CREDIT_BYTES = 128 * 1024;

/** Bytes of one message to a pane. xterm never splits one write, so a larger one freezes the page (10 MB: 240 ms). */
export const PANE_MESSAGE_BYTES = 32 * 1024;

/** Bytes replayed to a new pane. A pane keeps 5,000 lines; 1 MiB of plain text holds twice that and parses in 70 ms. */
export const PANE_REPLAY_BYTES = 1024 * 1024;

/**
 * Bytes that a pane may be behind its session; then it goes on `PANE_TAIL_BYTES` before the end and says what it skipped.
 * More, and after a flood the prompt comes late: a pane parses some 6 MB/s. Above a replay, which is never skipped.
 */
export const PANE_LAG_BYTES = 2 * 1024 * 1024;

/** Bytes that a pane shows after it skipped some: what 5,000 lines of 100 characters take, a whole scrollback. */
export const PANE_TAIL_BYTES = 512 * 1024;

/**
 * As `PANE_LAG_BYTES`, after the person has interrupted the program: what is drawn before the prompt is what she waits for. More,
 * and it comes late, since a pane parses some 6 MB/s; less, and the rest of an answer is left out that is drawn in no time.
 */
export const PANE_INTERRUPT_LAG_BYTES = 128 * 1024;

/** As `PANE_TAIL_BYTES`, then: some screens, of 160 lines with 100 characters together. */
export const PANE_INTERRUPT_TAIL_BYTES = 16 * 1024;

/**
 * Milliseconds after an interrupt in which a pane is held that close to its session, and parses without a pause. A program at the
 * other end of ssh still prints meanwhile. Longer, and what floods on takes the window's time from other panes.
 */
export const PANE_INTERRUPTED_MS = 1_000;

/** Acts that a timeline of all sessions has; older ones are in the timelines of their sessions. */
export const MAX_RECENT_ACTS = 500;

/** The exec-server's port when none is asked for and it is free. Fixed, so that a pasted configuration stays valid. */
export const DEFAULT_EXEC_SERVER_PORT = 47_811;
