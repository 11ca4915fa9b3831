import type { ColourScheme } from './colour-scheme-schema.ts';

/** The name in the settings for the colours that belong to the window's theme. */
export const THEME_COLOURS = 'theme';

/**
 * Schemes that come with the app: hues a sixth of a turn apart, each colour as light or dark as it takes to be read on
 * the background (WCAG AA on light ones, AAA on dark ones), but for black on dark ones, which is a background.
 */
export const BUNDLED_SCHEMES = {
  paper: {
    foreground: '#302b22',
    background: '#fbf6ec',
    cursor: '#af4703',
    selection: '#f0c9b8',
    ansi: [
      '#302b22',
      '#af4441',
      '#1e772a',
      '#816304',
      '#2668b7',
      '#914d9c',
      '#0a7378',
      '#6f695f',
      '#615b51',
      '#9a3130',
      '#046419',
      '#6c5202',
      '#0f55a2',
      '#7e3a89',
      '#006065',
      '#231f16',
    ],
  },
  frost: {
    foreground: '#232d33',
    background: '#f1f7fb',
    cursor: '#0069b7',
    selection: '#bad5f2',
    ansi: [
      '#232d33',
      '#af4441',
      '#1e772a',
      '#816304',
      '#2568b6',
      '#914c9b',
      '#0a7378',
      '#616b73',
      '#535d65',
      '#9a3130',
      '#046419',
      '#6c5202',
      '#0f55a2',
      '#7e3a89',
      '#006064',
      '#172027',
    ],
  },
  harbour: {
    foreground: '#cfd8e3',
    background: '#0f1b2b',
    cursor: '#17bef8',
    selection: '#1d4b5f',
    ansi: [
      '#273445',
      '#eb8a82',
      '#6eb571',
      '#c5a141',
      '#70a8ef',
      '#cd8fd6',
      '#02b7be',
      '#c2cbd6',
      '#868e98',
      '#ffb1aa',
      '#8ed690',
      '#e6c163',
      '#9ec8fd',
      '#eeaff8',
      '#47d8df',
      '#e8f1fd',
    ],
  },
  moss: {
    foreground: '#d0d9ce',
    background: '#151c13',
    cursor: '#8cbf51',
    selection: '#394a27',
    ansi: [
      '#2c342b',
      '#e68c85',
      '#74b376',
      '#c2a14d',
      '#75a8e9',
      '#c991d1',
      '#2fb5bc',
      '#c3ccc1',
      '#868f85',
      '#feb2ab',
      '#93d494',
      '#e2c16d',
      '#9dc8fe',
      '#eab1f3',
      '#59d6dc',
      '#e9f3e7',
    ],
  },
  ember: {
    foreground: '#e0d1cb',
    background: '#201511',
    cursor: '#f59840',
    selection: '#5a3a1f',
    ansi: [
      '#392d28',
      '#e98780',
      '#6db36f',
      '#c29e3e',
      '#6da5ec',
      '#ca8dd3',
      '#16b4bb',
      '#d2c4be',
      '#958882',
      '#feaea6',
      '#8bd38d',
      '#e2be60',
      '#9ac5fd',
      '#ecacf5',
      '#43d5dc',
      '#f9eae4',
    ],
  },
  plum: {
    foreground: '#d9d3df',
    background: '#1e1526',
    cursor: '#de93ef',
    selection: '#523958',
    ansi: [
      '#372d3f',
      '#ea8981',
      '#6eb470',
      '#c39f3f',
      '#6ea6ed',
      '#cb8ed4',
      '#19b5bc',
      '#ccc6d2',
      '#908a95',
      '#fdb0a9',
      '#8cd48e',
      '#e4bf61',
      '#9bc7ff',
      '#edadf6',
      '#44d6dd',
      '#f2ecf8',
    ],
  },
} as const satisfies Readonly<Record<string, ColourScheme>>;

/** The scheme of that name, a person's own before a bundled one; null for the theme's colours and for an unknown name. */
export function colourSchemeNamed(name: string, own: Readonly<Record<string, ColourScheme>>): ColourScheme | null {
  if (Object.hasOwn(own, name)) {
    return own[name] ?? null;
  }
  const bundled: Readonly<Record<string, ColourScheme>> = BUNDLED_SCHEMES;
  return Object.hasOwn(bundled, name) ? (bundled[name] ?? null) : null;
}
