/** Names of the contract that the preload needs at run time. Beside ipc.ts, since that one brings zod along. */

/** Main posts a pane's port to the preload on this channel, with `{nonce}`. */
export const PANE_PORT_CHANNEL = 'sessions/pane-port';

/** `type` of the message by which the preload hands the port on to the page, with the same nonce. */
export const PANE_PORT_MESSAGE = 'shellscope/pane-port';

/** Argument by which the preload learns that the app was started for tests. */
export const TEST_SWITCH = '--shellscope-test';

/** Argument by which a test has the app ask before it ends, as it asks a person. */
export const ASK_SWITCH = '--ask-before-quit';

/** Begin of the argument by which a test has less kept in memory of what each session prints; the number of bytes follows. */
export const RETAINED_SWITCH = '--retained-bytes=';
