import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a terminal does with what is typed, before a program reads it (termios(3)). */
export interface TerminalModes {
  /** ECHO: what is typed is shown. */
  readonly echo: boolean;
  /** ICANON: input is given out by the line, after Enter. */
  readonly canonical: boolean;
  /** ISIG: Ctrl-C and its like are signals, not bytes. */
  readonly signals: boolean;
  /** ICRNL: Enter arrives as a newline. */
  readonly enterIsNewline: boolean;
  /** IEXTEN: Ctrl-V and its like are dealt with by the terminal. */
  readonly extended: boolean;
}

/** Time that stty(1) has, in milliseconds. It needs about 2; it can hang only when the whole machine does. */
const STTY_TIMEOUT_MS = 5_000;

let lastRead: Promise<unknown> = Promise.resolve();

/**
 * The modes of a terminal by the path of its slave; null when they cannot be had (hung up, no permission, no stty).
 *
 * Node has no tcgetattr(3), so stty(1) is run, for one terminal at a time: a start blocks the caller's thread for
 * about a millisecond, and a hundred sessions that fall silent together must not block it for a tenth of a second.
 * stty holds the slave open for less than a millisecond; a leader that exits just then is told `exited` at once, and
 * `closed` after stty.
 */
export function readTerminalModes(slavePath: string): Promise<TerminalModes | null> {
  const modes = lastRead.then(() => runStty(slavePath));
  lastRead = modes;
  return modes;
}

/** Reads the answer of `stty -a`: among others words like `echo` and `-icanon`, where a dash means that it is off. */
export function parseSttyModes(answer: string): TerminalModes | null {
  const words = new Set(answer.split(/[\s;]+/));
  const isOn = (name: string): boolean | null => (words.has(name) ? true : words.has(`-${name}`) ? false : null);
  const [echo, canonical, signals, enterIsNewline, extended] = ['echo', 'icanon', 'isig', 'icrnl', 'iexten'].map(isOn);
  if (echo == null || canonical == null || signals == null || enterIsNewline == null || extended == null) {
    return null;
  }
  return { echo, canonical, signals, enterIsNewline, extended };
}

async function runStty(slavePath: string): Promise<TerminalModes | null> {
  try {
    const { stdout } = await promisify(execFile)('stty', ['-F', slavePath, '-a'], { timeout: STTY_TIMEOUT_MS });
    return parseSttyModes(stdout);
  } catch {
    // It says why on stderr, and whatever it is, the modes are not known.
    return null;
  }
}
