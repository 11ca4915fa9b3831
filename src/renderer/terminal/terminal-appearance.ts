import type { ITerminalOptions, ITheme } from '@xterm/xterm';
import type { ColourScheme } from '../../shared/colour-scheme-schema.ts';
import { colourSchemeNamed } from '../../shared/colour-schemes.ts';
import { mixColours } from '../../shared/contrast.ts';
import type { Disposable } from '../../shared/disposable.ts';
import type { WindowSettings } from '../../shared/settings-schema.ts';
import type { SettingsSnapshot } from '../../shared/settings.ts';
import type { TerminalColours } from '../../shared/terminal-colours.ts';

type TerminalSettings = WindowSettings['terminal'];

/** How terminals look and behave now. */
export interface TerminalLook {
  readonly theme: ITheme;
  /** Text is moved towards black or white until it reaches this ratio to its background (WCAG: AA 4.5, AAA 7). */
  readonly minimumContrastRatio: number;
  /** As in CSS, the bundled font at its end. */
  readonly fontFamily: string;
  /** CSS pixels. */
  readonly fontSize: number;
  /** Of the font's own height. */
  readonly lineHeight: number;
  readonly cursorStyle: TerminalSettings['cursorStyle'];
  readonly cursorBlink: boolean;
  /** Lines kept above the screen. */
  readonly scrollback: number;
  /** Rows of text for assistive technology. Costs a fifth of the throughput, more for redraw storms. */
  readonly screenReaderMode: boolean;
  readonly copyOnSelect: boolean;
  /** Whether lines at which somebody typed are marked. */
  readonly inputMarks: boolean;
  readonly bell: TerminalSettings['bell'];
  /** What draws them. */
  readonly renderer: TerminalSettings['renderer'];
}

/** Bundled, so that every machine and every screenshot has the same cells. Loaded by `styles/fonts.css`. */
const BUNDLED_FONTS = '"JetBrains Mono Variable", ui-monospace, "DejaVu Sans Mono", monospace';

/** What holds until the settings are known. */
export const USUAL_LOOK: Omit<TerminalLook, 'theme'> = {
  minimumContrastRatio: 4.5,
  fontFamily: BUNDLED_FONTS,
  fontSize: 13,
  lineHeight: 1,
  cursorStyle: 'block',
  cursorBlink: false,
  scrollback: 5_000,
  screenReaderMode: false,
  copyOnSelect: false,
  inputMarks: true,
  bell: 'visual',
  renderer: 'auto',
};

const AAA_CONTRAST = 7;

const DARK = '(prefers-color-scheme: dark)';
const FORCED_COLOURS = '(forced-colors: active)';
const MORE_CONTRAST = '(prefers-contrast: more)';
const REDUCED_MOTION = '(prefers-reduced-motion: reduce)';

/** What of the system changes how the window looks. */
const APPEARANCE_QUERIES = [DARK, FORCED_COLOURS, MORE_CONTRAST, REDUCED_MOTION];

/** What xterm is told of a look. */
export function lookOptions(look: TerminalLook): ITerminalOptions {
  const { copyOnSelect: _copyOnSelect, inputMarks: _inputMarks, bell: _bell, renderer: _renderer, ...options } = look;
  return options;
}

/** xterm's name of each colour, and the custom property that holds it. */
const THEME_PROPERTIES = {
  foreground: '--term-foreground',
  background: '--term-background',
  cursor: '--term-cursor',
  cursorAccent: '--term-background',
  selectionBackground: '--term-selection',
  selectionForeground: '--term-selection-text',
  selectionInactiveBackground: '--term-selection-inactive',
  overviewRulerBorder: '--term-background',
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

export interface TerminalAppearanceOptions {
  /** What counts as a running screen reader beside what the system tells. */
  readonly readsLikeScreenReader: boolean;
}

/**
 * How the window looks: the settings and what the system wants, put on the page's root for the style sheets (`data-contrast`,
 * `data-motion`, the colours of a chosen scheme), and from there into the terminals.
 */
export class TerminalAppearance implements Disposable {
  readonly #page: Window;
  readonly #options: TerminalAppearanceOptions;
  readonly #queries: ReadonlyMap<string, MediaQueryList>;
  readonly #onChange = (): void => this.#changed();
  readonly #listeners = new Set<(look: TerminalLook) => void>();
  #settings: SettingsSnapshot | null = null;

  constructor(page: Window, options: TerminalAppearanceOptions) {
    this.#page = page;
    this.#options = options;
    this.#queries = new Map(APPEARANCE_QUERIES.map((query) => [query, page.matchMedia(query)]));
    for (const query of this.#queries.values()) {
      query.addEventListener('change', this.#onChange);
    }
    this.#showOnPage();
  }

  /** Takes other settings. */
  setSettings(settings: SettingsSnapshot): void {
    this.#settings = settings;
    this.#changed();
  }

  /** The look at this moment. */
  read(): TerminalLook {
    const theme = this.#theme();
    const screenReaderMode = this.isScreenReaderMode;
    if (this.#settings === null) {
      return { ...USUAL_LOOK, theme, screenReaderMode };
    }
    const { terminal } = this.#settings.values;
    const least = this.#wantsContrast || this.#matches(FORCED_COLOURS) ? AAA_CONTRAST : 1;
    return {
      theme,
      minimumContrastRatio: Math.max(terminal.minimumContrast, least),
      fontFamily: fontFamilies(terminal.fontFamily),
      fontSize: terminal.fontSize,
      lineHeight: terminal.lineHeight,
      cursorStyle: terminal.cursorStyle,
      cursorBlink: terminal.cursorBlink && !this.#wantsStillness,
      scrollback: terminal.scrollbackLines,
      screenReaderMode,
      copyOnSelect: terminal.copyOnSelect,
      inputMarks: terminal.inputMarks,
      bell: terminal.bell,
      renderer: terminal.renderer,
    };
  }

  /** Whether the window is read by a program: by the setting, else as the system tells. */
  get isScreenReaderMode(): boolean {
    const chosen = this.#settings?.values.accessibility.screenReader ?? 'system';
    const isThere = this.#options.readsLikeScreenReader || this.#settings?.hasScreenReader === true;
    return chosen === 'on' || (chosen === 'system' && isThere);
  }

  /** Answers the unsubscription. */
  onChange(listener: (look: TerminalLook) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispose(): void {
    for (const query of this.#queries.values()) {
      query.removeEventListener('change', this.#onChange);
    }
    this.#listeners.clear();
  }

  get #wantsContrast(): boolean {
    const theme = this.#settings?.values.appearance.theme ?? 'system';
    return theme.startsWith('high-contrast') || (theme === 'system' && this.#matches(MORE_CONTRAST));
  }

  get #wantsStillness(): boolean {
    return this.#settings?.values.appearance.motion === 'reduced' || this.#matches(REDUCED_MOTION);
  }

  #matches(query: string): boolean {
    return this.#queries.get(query)?.matches === true;
  }

  #changed(): void {
    this.#showOnPage();
    const look = this.read();
    for (const listener of this.#listeners) {
      listener(look);
    }
  }

  #showOnPage(): void {
    const root = this.#page.document.documentElement;
    root.dataset['contrast'] = this.#wantsContrast ? 'more' : 'usual';
    root.dataset['motion'] = this.#wantsStillness ? 'reduced' : 'usual';
    const colours = schemeProperties(this.#scheme());
    for (const property of new Set<string>(Object.values(THEME_PROPERTIES))) {
      // Null takes it off again.
      root.style.setProperty(property, colours.get(property) ?? null);
    }
  }

  /** Null for the theme's own colours. The system's forced ones go before any. */
  #scheme(): ColourScheme | null {
    if (this.#settings === null || this.#matches(FORCED_COLOURS)) {
      return null;
    }
    const { terminal, colourSchemes } = this.#settings.values;
    return colourSchemeNamed(this.#matches(DARK) ? terminal.darkColours : terminal.lightColours, colourSchemes);
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

/** The custom properties of a scheme; empty for none. */
function schemeProperties(scheme: ColourScheme | null): ReadonlyMap<string, string> {
  if (scheme === null) {
    return new Map();
  }
  const { foreground, background, cursor = foreground, selection, ansi } = scheme;
  const between = (share: number): string => mixColours(background, foreground, share);
  return new Map([
    [THEME_PROPERTIES.foreground, foreground],
    [THEME_PROPERTIES.background, background],
    [THEME_PROPERTIES.cursor, cursor],
    [THEME_PROPERTIES.selectionBackground, selection ?? between(0.25)],
    [THEME_PROPERTIES.selectionForeground, foreground],
    [THEME_PROPERTIES.selectionInactiveBackground, between(0.15)],
    [THEME_PROPERTIES.scrollbarSliderBackground, between(0.25)],
    [THEME_PROPERTIES.scrollbarSliderHoverBackground, between(0.45)],
    ...ANSI_NAMES.map((name, index): [string, string] => [THEME_PROPERTIES[name], ansi[index] ?? foreground]),
  ]);
}

/** Each name in quotation marks, and the bundled font for what none of them has. */
function fontFamilies(names: string): string {
  const own = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return [...own.map((name) => `"${name}"`), BUNDLED_FONTS].join(', ');
}

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
