import { SearchAddon } from '@xterm/addon-search';
import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../shared/disposable.ts';
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

  /** Shows the next match; nothing is looked for any more when the text is empty. */
  find(text: string, direction: FindDirection): void {
    if (text === '') {
      this.#isFinding = false;
      this.#showSelection();
      this.#addon.clearDecorations();
      this.#terminal.clearSelection();
      return;
    }
    if (!this.#isFinding) {
      this.#isFinding = true;
      this.#showSelection();
    }
    const decorations = matchColours(this.#look);
    const options = decorations === null ? {} : { decorations };
    if (direction === 'older') {
      this.#addon.findPrevious(text, options);
    } else {
      this.#addon.findNext(text, options);
    }
  }

  /** The match that is shown is selected, and the box has the keyboard: it must not look like the other matches. */
  #showSelection(): void {
    const { theme } = this.#look;
    const { selectionBackground } = theme;
    this.#terminal.options.theme =
      this.#isFinding && selectionBackground !== undefined
        ? { ...theme, selectionInactiveBackground: selectionBackground }
        : theme;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#addon.dispose();
  }
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
