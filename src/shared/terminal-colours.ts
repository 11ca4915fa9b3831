/** What a terminal answers when a program asks for its colours. Each is `#rrggbb`. */
export interface TerminalColours {
  readonly foreground: string;
  readonly background: string;
  readonly cursor: string;
  /** The sixteen named colours, black to bright white. The other 240 of the palette are the same everywhere. */
  readonly ansi: readonly string[];
}
