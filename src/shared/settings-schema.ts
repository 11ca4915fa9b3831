/**
 * The window's part of the settings file. Titles, descriptions, defaults and bounds stand here and nowhere else: the form
 * and the check of the file are made from them, and docs/settings.md has a row of each. What has no title is not in the form.
 */
import { z } from 'zod';
import { colourSchemeSchema } from './colour-scheme-schema.ts';
import { THEME_COLOURS } from './colour-schemes.ts';

/** Names of fonts, as in CSS, without what would end the declaration they are put into. */
const fontFamilySchema = z
  .string()
  .max(200)
  .regex(/^[^;:{}<>\\/"']*$/, 'must be names of fonts, parted by commas, without quotation marks');

const schemeNameSchema = z.string().min(1).max(60);

const appearanceSchema = z
  .object({
    theme: z.enum(['system', 'light', 'dark', 'high-contrast', 'high-contrast-light']).default('system').meta({
      title: 'Theme',
      description:
        'System follows the desktop, including its contrast preference. High contrast is dark; there is a light one as well.',
    }),
    zoom: z.number().int().min(50).max(300).default(100).meta({
      title: 'Zoom',
      description: 'Of the whole window, including the text in terminals.',
      unit: '%',
      step: 10,
    }),
    motion: z.enum(['system', 'reduced']).default('system').meta({
      title: 'Motion',
      description: 'Reduced: nothing fades or blinks, whatever the desktop prefers.',
    }),
  })
  .prefault({})
  .meta({ title: 'Appearance' });

const terminalSchema = z
  .object({
    lightColours: schemeNameSchema.default(THEME_COLOURS).meta({
      title: 'Colours in a light theme',
      description: 'Add schemes of your own to the settings file, under colourSchemes.',
      choices: 'colour-schemes',
    }),
    darkColours: schemeNameSchema.default(THEME_COLOURS).meta({
      title: 'Colours in a dark theme',
      description: 'Any scheme works with either theme.',
      choices: 'colour-schemes',
    }),
    minimumContrast: z.number().min(1).max(21).default(4.5).meta({
      title: 'Minimum contrast',
      description:
        'Text is lightened or darkened until it reaches this contrast ratio; 1 turns it off. High contrast uses at least 7.',
      step: 0.5,
    }),
    fontFamily: fontFamilySchema.default('').meta({
      title: 'Font',
      description:
        'Font names separated by commas; the first one installed is used. Empty for the bundled JetBrains Mono, without ligatures.',
      placeholder: 'JetBrains Mono (bundled)',
    }),
    fontSize: z
      .number()
      .int()
      .min(6)
      .max(40)
      .default(13)
      .meta({ title: 'Font size', description: 'At 100% zoom.', unit: 'px' }),
    lineHeight: z.number().min(1).max(2).default(1).meta({
      title: 'Line height',
      description: 'Relative to the font’s own height. Above 1, boxes that programs draw have gaps.',
      step: 0.05,
    }),
    cursorStyle: z.enum(['block', 'bar', 'underline']).default('block').meta({
      title: 'Cursor',
      description: 'Until a program changes it.',
    }),
    cursorBlink: z.boolean().default(false).meta({
      title: 'Cursor blinks',
      description: 'Never with reduced motion on.',
    }),
    scrollbackLines: z.number().int().min(100).max(50_000).default(5_000).meta({
      title: 'Scrollback',
      description: 'Lines in each open terminal; 5,000 take about 10 MB. Older output stays in the transcript.',
      unit: 'lines',
      step: 100,
    }),
    copyOnSelect: z.boolean().default(false).meta({
      title: 'Copy on select',
      description: 'Text selected with the mouse in a terminal is copied at once.',
    }),
    inputMarks: z.boolean().default(true).meta({
      title: 'Input marks',
      description:
        'In the margin of lines where something was typed: a bar for you, a dashed bar for an agent, a dot for the terminal’s own replies.',
    }),
    programClipboard: z.enum(['ask', 'allow', 'never']).default('ask').meta({
      title: 'Clipboard access for programs',
      description:
        'Whether a program may copy with OSC 52, as editors and tmux do. Only from a pane in view; no program can read the clipboard.',
    }),
    bell: z.enum(['none', 'visual', 'sound']).default('visual').meta({
      title: 'Bell',
      description: 'Visual: a frame around the terminal for one second.',
    }),
    renderer: z.enum(['auto', 'dom', 'webgl']).default('auto').meta({
      title: 'Renderer',
      description:
        'Auto: WebGL for terminals in view where there is a real GPU, otherwise DOM. WebGL: also with a software GPU, which is slower.',
    }),
  })
  .prefault({})
  .meta({ title: 'Terminal' });

const accessibilitySchema = z
  .object({
    screenReader: z.enum(['system', 'on', 'off']).default('system').meta({
      title: 'Screen reader',
      description:
        'On: terminal text can be read row by row, and changes of state are announced. System: while a screen reader is running. Slows down floods of output.',
    }),
  })
  .prefault({})
  .meta({ title: 'Accessibility' });

const notificationsSchema = z
  .object({
    system: z.boolean().default(true).meta({
      title: 'System notifications',
      description:
        'While no window of Shellscope has the keyboard: what waits for you, and what has failed. Off: it is only counted, on the app’s icon.',
    }),
  })
  .prefault({})
  .meta({ title: 'Notifications' });

export const windowSettingsSchema = z.object({
  appearance: appearanceSchema,
  terminal: terminalSchema,
  notifications: notificationsSchema,
  accessibility: accessibilitySchema,
  colourSchemes: z.record(schemeNameSchema, colourSchemeSchema).default({}),
});

/** What holds for the window. */
export type WindowSettings = z.output<typeof windowSettingsSchema>;
