import { SearchAddon, type ISearchOptions } from '@xterm/addon-search';
import type { ITheme, Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';
import type { FindQuery } from '../../shared/output-search.ts';
import { MAX_MATCHES, wordPattern } from '../earlier/find-pattern.ts';
import { rowMatches, type RowMatch } from '../earlier/row-matches.ts';
import { hexColour, type TerminalLook } from './terminal-appearance.ts';

/** The matches of what is looked for in one terminal. */
export interface FoundMatches {
  /** Of the one that is shown, from 0 at the oldest; -1 when it is none of those that are counted. */
  readonly index: number;
  /** From the oldest on, one more than `MAX_MATCHES` at most. */
  readonly count: number;
}

/** Older: upwards. At the end it goes on from the other one. */
export type FindDirection = 'older' | 'newer';

/** Width of the ruler that shows where the matches are: that of the scroll bar that it lies over, xterm's own, in pixels. */
const RULER = { width: 14 } as const;

/** Finds text in a terminal and colours it. */
export class TerminalSearch implements Disposable {
  readonly #terminal: Terminal;
  readonly #addon = new SearchAddon({ highlightLimit: MAX_MATCHES + 1 });
  readonly #subscription: Disposable;
  #look: TerminalLook;
  #isFinding = false;
  #wanted: FindQuery = { text: '', matchCase: false, wholeWord: false };
  /** The person went on from the first match that was shown. */
  #hasStepped = false;
  /** The terminal was scrolled to where the person had been, and she has not gone on from there. */
  #isAtOldPlace = false;

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
      this.#markAnew();
    }
  }

  /**
   * Shows the next match; nothing is looked for any more when the text is empty. Answers whether there was one before the
   * end of the buffer: at it, it goes on from the other one.
   */
  find(query: FindQuery, direction: FindDirection): boolean {
    const { text, matchCase, wholeWord } = query;
    this.#hasStepped = this.#isWanted(query);
    const next = this.#hasStepped && this.#isAtOldPlace ? this.#nextFromView(direction) : null;
    this.#isAtOldPlace = false;
    if (next !== null) {
      this.#goTo(next);
      return true;
    }
    if (text === '') {
      this.#wanted = query;
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
    if (matchCase !== this.#wanted.matchCase || wholeWord !== this.#wanted.wholeWord) {
      // The addon takes other options for the same text as no change.
      this.#addon.clearDecorations();
    }
    this.#wanted = query;
    const before = this.#shown;
    const { term, options } = this.#asked;
    const isFound =
      direction === 'older' ? this.#addon.findPrevious(term, options) : this.#addon.findNext(term, options);
    const after = this.#shown;
    const isFurther = direction === 'older' ? after < before : after > before;
    return isFound && (Number.isNaN(before) || isFurther);
  }

  /**
   * All that was to be drawn is: what is newest may be among it. Whoever has gone on from the first match stays there; where
   * the person is in the midst of the output nothing scrolls, and the match next to the middle of what she sees is the one
   * that is shown.
   */
  drawn(keepsPlace: boolean): void {
    if (!this.#isFinding || this.#hasStepped) {
      return;
    }
    const { active } = this.#terminal.buffer;
    const place = active.viewportY;
    const nearest = keepsPlace ? this.#nearest() : null;
    if (nearest === null) {
      this.#addon.clearDecorations();
      this.#terminal.clearSelection();
      this.find(this.#wanted, 'older');
    } else {
      this.#goTo(nearest);
    }
    this.#hasStepped = false;
    this.#isAtOldPlace = keepsPlace;
    if (keepsPlace && active.viewportY !== place) {
      this.#terminal.scrollToLine(place);
    }
  }

  /** What the addon is asked for. */
  get #asked(): { readonly term: string; readonly options: ISearchOptions } {
    const { text, matchCase, wholeWord } = this.#wanted;
    const decorations = matchColours(this.#look);
    return {
      // The addon's own way with whole words passes over the rest of a line after what is none.
      term: wholeWord ? wordPattern(text) : text,
      options: { caseSensitive: matchCase, regex: wholeWord, ...(decorations === null ? {} : { decorations }) },
    };
  }

  /** Shows this match: of what is selected anew the addon shows the match that begins there. */
  #goTo({ line, column, cells }: RowMatch): void {
    this.#addon.clearDecorations();
    this.#terminal.select(column, line, cells);
    const { term, options } = this.#asked;
    this.#addon.findPrevious(term, options);
  }

  /** The addon colours what it finds once. Where something else is selected than a match, that matters more. */
  #markAnew(): void {
    const { start } = this.#terminal.getSelectionPosition() ?? {};
    const shown = this.#matches.find(({ line, column }) => line === start?.y && column === start.x);
    if (shown === undefined) {
      return;
    }
    const { active } = this.#terminal.buffer;
    const place = active.viewportY;
    this.#goTo(shown);
    if (active.viewportY !== place) {
      this.#terminal.scrollToLine(place);
    }
  }

  get #matches(): readonly RowMatch[] {
    const { active } = this.#terminal.buffer;
    return rowMatches(active, 0, active.length, this.#wanted);
  }

  /** The match next to the middle of what is in view; null when there is none. */
  #nearest(): RowMatch | null {
    const middle = this.#terminal.buffer.active.viewportY + this.#terminal.rows / 2;
    const distance = ({ line }: RowMatch): number => Math.abs(line - middle);
    return this.#matches.reduce<RowMatch | null>(
      (best, match) => (best === null || distance(match) < distance(best) ? match : best),
      null,
    );
  }

  /** Where the shown match is out of sight: the next one, seen from what is in view; null when there is none. */
  #nextFromView(direction: FindDirection): RowMatch | null {
    const top = this.#terminal.buffer.active.viewportY;
    const bottom = top + this.#terminal.rows;
    const shown = this.#terminal.getSelectionPosition()?.start.y;
    if (shown === undefined || (shown >= top && shown < bottom)) {
      return null;
    }
    const next =
      direction === 'older'
        ? this.#matches.findLast(({ line }) => line < bottom)
        : this.#matches.find(({ line }) => line >= top);
    return next ?? null;
  }

  #isWanted({ text, matchCase, wholeWord }: FindQuery): boolean {
    const wanted = this.#wanted;
    return text === wanted.text && matchCase === wanted.matchCase && wholeWord === wanted.wholeWord;
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
    this.#terminal.options.overviewRuler = this.#isFinding ? RULER : {};
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
