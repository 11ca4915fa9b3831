import type { ITheme } from '@xterm/xterm';
import type { Disposable } from '../shared/disposable.ts';
import type { TerminalColours } from '../shared/terminal-colours.ts';

/** How terminals look now, in xterm's terms. */
export interface TerminalLook {
  readonly theme: ITheme;
  /** Text is moved towards black or white until it reaches this ratio to its background (WCAG: AA 4.5, AAA 7). */
  readonly minimumContrastRatio: number;
}

/** Bundled, so that every machine and every screenshot has the same cells. Loaded by `styles/fonts.css`. */
export const TERMINAL_FONT_FAMILY = '"JetBrains Mono Variable", ui-monospace, "DejaVu Sans Mono", monospace';
/** CSS pixels. */
export const TERMINAL_FONT_SIZE = 13;
/** Of the font's own height, which is generous; more would part the lines of box drawings. */
export const TERMINAL_LINE_HEIGHT = 1;

const AA_CONTRAST = 4.5;
const AAA_CONTRAST = 7;

/** What changes the custom properties in `styles/tokens.css`. */
const APPEARANCE_QUERIES = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)'];

/** xterm's name of each colour, and the custom property that holds it. */
const THEME_PROPERTIES = {
  foreground: '--term-foreground',
  background: '--term-background',
  cursor: '--term-cursor',
  cursorAccent: '--term-background',
  selectionBackground: '--term-selection',
  selectionForeground: '--term-selection-text',
  selectionInactiveBackground: '--term-selection-inactive',
  scrollbarSliderBackground: '--term-scrollbar',
  scrollbarSliderHoverBackground: '--term-scrollbar-hover',
  scrollbarSliderActiveBackground: '--term-scrollbar-hover',
  black: '--term-black',
  red: '--term-red',
  green: '--term-green',
  yellow: '--term-yellow',
  blue: '--term-blue',
  magenta: '--term-magenta',
  cyan: '--term-cyan',
  white: '--term-white',
  brightBlack: '--term-bright-black',
  brightRed: '--term-bright-red',
  brightGreen: '--term-bright-green',
  brightYellow: '--term-bright-yellow',
  brightBlue: '--term-bright-blue',
  brightMagenta: '--term-bright-magenta',
  brightCyan: '--term-bright-cyan',
  brightWhite: '--term-bright-white',
} as const satisfies Partial<Record<keyof ITheme, `--term-${string}`>>;

/** The terminals' colours from the page's custom properties; tells when the system's choice of light or dark changes. */
export class TerminalAppearance implements Disposable {
  readonly #page: Window;
  readonly #queries: readonly MediaQueryList[];
  readonly #onChange: () => void;
  readonly #listeners = new Set<(look: TerminalLook) => void>();

  constructor(page: Window) {
    this.#page = page;
    this.#onChange = () => {
      const look = this.read();
      for (const listener of this.#listeners) {
        listener(look);
      }
    };
    this.#queries = APPEARANCE_QUERIES.map((query) => page.matchMedia(query));
    for (const query of this.#queries) {
      query.addEventListener('change', this.#onChange);
    }
  }

  /** The look as the style sheets say it at this moment. */
  read(): TerminalLook {
    const [, forcedColors, moreContrast] = this.#queries;
    const wantsContrast = forcedColors?.matches === true || moreContrast?.matches === true;
    return { theme: this.#theme(), minimumContrastRatio: wantsContrast ? AAA_CONTRAST : AA_CONTRAST };
  }

  /** Answers the unsubscription. */
  onChange(listener: (look: TerminalLook) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispose(): void {
    for (const query of this.#queries) {
      query.removeEventListener('change', this.#onChange);
    }
    this.#listeners.clear();
  }

  /** Through a probe, because xterm needs rgb values and the properties may hold system colours such as `Canvas`. */
  #theme(): ITheme {
    const probe = this.#page.document.createElement('span');
    probe.className = 'colour-probe';
    this.#page.document.body.append(probe);
    try {
      const theme: { -readonly [name in keyof typeof THEME_PROPERTIES]?: string } = {};
      for (const [name, property] of Object.entries(THEME_PROPERTIES)) {
        probe.style.color = `var(${property})`;
        theme[name as keyof typeof THEME_PROPERTIES] = this.#page.getComputedStyle(probe).color;
      }
      return theme;
    } finally {
      probe.remove();
    }
  }
}

const ANSI_NAMES = [
  ...(['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const),
  ...(['brightBlack', 'brightRed', 'brightGreen', 'brightYellow'] as const),
  ...(['brightBlue', 'brightMagenta', 'brightCyan', 'brightWhite'] as const),
];

/** The theme's colours as a program is told them; null when one is none that can be told (half transparent). */
export function toldColours({ theme }: TerminalLook): TerminalColours | null {
  const colours = [theme.foreground, theme.background, theme.cursor, ...ANSI_NAMES.map((name) => theme[name])].map(
    (colour) => hexColour(colour),
  );
  const [foreground, background, cursor, ...ansi] = colours.filter((colour) => colour !== null);
  return foreground === undefined || background === undefined || cursor === undefined || ansi.length !== 16
    ? null
    : { foreground, background, cursor, ansi };
}

/** `#rrggbb` of a computed `rgb(…)`, else null. */
export function hexColour(colour: string | undefined): string | null {
  const channels = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour ?? '')?.slice(1);
  return channels === undefined
    ? null
    : `#${channels.map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`;
}
