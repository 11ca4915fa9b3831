import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/headless';
import { setUpCells } from '../../../shared/printed-cells.ts';
import type { TerminalSize } from '../../../shared/session.ts';
import { ColourTable, DEFAULT_COLOURS } from '../terminal-colours.ts';

/**
 * The terminal of a pane, as far as a program can ask it: parses everything it is given, and tells what it says while it
 * does so. What a page adds to the library (colours) is added here.
 */
export class ReferenceTerminal {
  readonly #terminal: Terminal;
  #said = '';

  constructor(size: TerminalSize = { cols: 80, rows: 24 }) {
    this.#terminal = new Terminal({ ...size, allowProposedApi: true, scrollback: 5_000, logLevel: 'off' });
    setUpCells(this.#terminal, new Unicode11Addon());
    this.#terminal.onData((reply) => (this.#said += reply));
    const colours = new ColourTable(DEFAULT_COLOURS);
    this.#terminal.parser.registerOscHandler(4, (payload) => this.#say(colours.takePalette(payload)));
    for (const number of [10, 11, 12] as const) {
      this.#terminal.parser.registerOscHandler(number, (payload) => this.#say(colours.takeSpecial(number, payload)));
    }
  }

  /** Resolves with what it said to these bytes. */
  parse(bytes: Uint8Array): Promise<string> {
    return new Promise((resolve) => {
      this.#terminal.write(bytes, () => {
        const said = this.#said;
        this.#said = '';
        resolve(said);
      });
    });
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#terminal.resize(cols, rows);
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #say(reply: string): boolean {
    this.#said += reply;
    return true;
  }
}
