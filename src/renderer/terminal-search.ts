import { SearchAddon } from '@xterm/addon-search';
import type { ITheme, Terminal } from '@xterm/xterm';
import type { Disposable } from '../shared/disposable.ts';
import type { FindQuery } from '../shared/output-search.ts';
import { wordPattern } from './earlier/find-pattern.ts';
import { hexColour, type TerminalLook } from './terminal-appearance.ts';

/** The matches of what is looked for in one terminal. */
export interface FoundMatches {
  /** Of the one that is shown, from 0 at the oldest; -1 when there are more than are counted. */
  readonly index: number;
  readonly count: number;
}

/** Older: upwards. At the end it goes on from the other one. */
export type FindDirection = 'older' | 'newer';

/** Matches that are counted and coloured; more of them slow down the typing of the query. */
const MAX_MATCHES = 1_000;

/** Finds text in a terminal and colours it. */
export class TerminalSearch implements Disposable {
  readonly #terminal: Terminal;
  readonly #addon = new SearchAddon({ highlightLimit: MAX_MATCHES });
  readonly #subscription: Disposable;
  #look: TerminalLook;
  #isFinding = false;
  #wanted: Omit<FindQuery, 'text'> = { matchCase: false, wholeWord: false };

  constructor(terminal: Terminal, look: TerminalLook, onFound: (found: FoundMatches) => void) {
    this.#terminal = terminal;
    this.#look = look;
    terminal.loadAddon(this.#addon);
    this.#subscription = this.#addon.onDidChangeResults(({ resultIndex, resultCount }) =>
      onFound({ index: resultIndex, count: resultCount }),
    );
  }

  /** Takes other colours; the terminal has them already. */
  setLook(look: TerminalLook): void {
    this.#look = look;
    if (this.#isFinding) {
      this.#showSelection();
    }
  }

  /**
   * Shows the next match; nothing is looked for any more when the text is empty. Answers whether there was one before the
   * end of the buffer: at it, it goes on from the other one.
   */
  find({ text, matchCase, wholeWord }: FindQuery, direction: FindDirection): boolean {
    if (text === '') {
      this.#isFinding = false;
      this.#showSelection();
      this.#addon.clearDecorations();
      this.#terminal.clearSelection();
      return false;
    }
    if (!this.#isFinding) {
      this.#isFinding = true;
      this.#showSelection();
    }
    const decorations = matchColours(this.#look);
    // The addon's own way with whole words passes over the rest of a line after what is none.
    const wanted = wholeWord ? wordPattern(text) : text;
    const options = { caseSensitive: matchCase, regex: wholeWord, ...(decorations === null ? {} : { decorations }) };
    if (matchCase !== this.#wanted.matchCase || wholeWord !== this.#wanted.wholeWord) {
      // The addon takes other options for the same text as no change.
      this.#addon.clearDecorations();
    }
    this.#wanted = { matchCase, wholeWord };
    const before = this.#shown;
    const isFound =
      direction === 'older' ? this.#addon.findPrevious(wanted, options) : this.#addon.findNext(wanted, options);
    const after = this.#shown;
    const isFurther = direction === 'older' ? after < before : after > before;
    return isFound && (Number.isNaN(before) || isFurther);
  }

  /** Where the match that is shown begins, in cells from the top; not a number without one. */
  get #shown(): number {
    const { start } = this.#terminal.getSelectionPosition() ?? {};
    return start === undefined ? Number.NaN : start.y * this.#terminal.cols + start.x;
  }

  /** The match that is shown is selected, and the box has the keyboard: it must not look like the other matches. */
  #showSelection(): void {
    const { theme } = this.#look;
    this.#terminal.options.theme = this.#isFinding ? withShownSelection(theme) : theme;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#addon.dispose();
  }
}

/** The same colours, with a selection that is as plain while something else has the keyboard. */
export function withShownSelection(theme: ITheme): ITheme {
  const { selectionBackground } = theme;
  return selectionBackground === undefined ? theme : { ...theme, selectionInactiveBackground: selectionBackground };
}

interface MatchColours {
  readonly matchBackground: string;
  readonly activeMatchBackground: string;
  readonly activeMatchBorder: string;
  readonly matchOverviewRuler: string;
  readonly activeMatchColorOverviewRuler: string;
}

/** Null where the theme has colours that cannot be told as #rrggbb; then only the shown match is seen. */
function matchColours({ theme }: TerminalLook): MatchColours | null {
  const [match, active, mark] = [theme.selectionInactiveBackground, theme.selectionBackground, theme.cursor].map(
    (colour) => hexColour(colour),
  );
  return match == null || active == null || mark == null
    ? null
    : {
        matchBackground: match,
        activeMatchBackground: active,
        activeMatchBorder: mark,
        matchOverviewRuler: mark,
        activeMatchColorOverviewRuler: mark,
      };
}
