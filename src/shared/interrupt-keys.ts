/** What a terminal makes a signal of by default (termios VINTR, VQUIT, VSUSP): Ctrl-C, Ctrl-\ and Ctrl-Z. */
const INTERRUPT_KEYS = [0x03, 0x1c, 0x1a];

/** Whether input interrupts the program, where that has not taken these keys for its own. */
export function isInterrupt(bytes: Uint8Array): boolean {
  return INTERRUPT_KEYS.some((key) => bytes.includes(key));
}
