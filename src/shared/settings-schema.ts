/**
 * The window's part of the settings file. Titles, descriptions, defaults and bounds stand here and nowhere else: the form,
 * the check of the file and the documentation are made from them. What has no title is not in the form.
 */
import { z } from 'zod';
import { colourSchemeSchema, THEME_COLOURS } from './colour-schemes.ts';

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
        'System follows the desktop, also its wish for more contrast. High contrast is dark, with a light kind beside it.',
    }),
    zoom: z.number().int().min(50).max(300).default(100).meta({
      title: 'Zoom',
      description: 'Of the whole window, the terminals’ text with it.',
      unit: '%',
      step: 10,
    }),
    motion: z.enum(['system', 'reduced']).default('system').meta({
      title: 'Motion',
      description: 'Reduced: nothing fades or blinks, whatever the desktop says.',
    }),
  })
  .prefault({})
  .meta({ title: 'Appearance' });

const terminalSchema = z
  .object({
    lightColours: schemeNameSchema.default(THEME_COLOURS).meta({
      title: 'Colours in a light theme',
      description: 'A scheme of your own stands in the file, as an entry of colourSchemes.',
      choices: 'colour-schemes',
    }),
    darkColours: schemeNameSchema.default(THEME_COLOURS).meta({
      title: 'Colours in a dark theme',
      description: 'Any scheme can be chosen for either.',
      choices: 'colour-schemes',
    }),
    minimumContrast: z.number().min(1).max(21).default(4.5).meta({
      title: 'Minimum contrast',
      description:
        'Text is made lighter or darker until it has this contrast to its background; 1 leaves it as it is. High contrast has at least 7.',
      step: 0.5,
    }),
    fontFamily: fontFamilySchema.default('').meta({
      title: 'Font',
      description:
        'Names of fonts on this machine, the first that is there counts. Empty: the bundled JetBrains Mono, without ligatures.',
      placeholder: 'JetBrains Mono (bundled)',
    }),
    fontSize: z
      .number()
      .int()
      .min(6)
      .max(40)
      .default(13)
      .meta({ title: 'Font size', description: 'At a zoom of 100 %.', unit: 'px' }),
    lineHeight: z.number().min(1).max(2).default(1).meta({
      title: 'Line height',
      description: 'Of the font’s own height. More than 1 parts the lines of boxes that programs draw.',
      step: 0.05,
    }),
    cursorStyle: z.enum(['block', 'bar', 'underline']).default('block').meta({
      title: 'Cursor',
      description: 'Until a program chooses another.',
    }),
    cursorBlink: z.boolean().default(false).meta({
      title: 'Cursor blinks',
      description: 'Never with reduced motion.',
    }),
    scrollbackLines: z.number().int().min(100).max(50_000).default(5_000).meta({
      title: 'Lines kept above the screen',
      description: 'In each open terminal; 5,000 lines cost some 10 MB. What leaves is still in the transcript.',
      unit: 'lines',
      step: 100,
    }),
    copyOnSelect: z.boolean().default(false).meta({
      title: 'Copy on select',
      description: 'What you select in a terminal with the mouse is on the clipboard at once.',
    }),
    inputMarks: z.boolean().default(true).meta({
      title: 'Marks of input',
      description:
        'In the margin of lines at which something was typed: a bar for you, a dashed one for an agent, a dot for what the terminal answered its program.',
    }),
    programClipboard: z.enum(['ask', 'allow', 'never']).default('ask').meta({
      title: 'Programs set the clipboard',
      description:
        'What a program may do that writes OSC 52, as editors and tmux do to copy. Only one of a pane in view; none can read the clipboard.',
    }),
    bell: z.enum(['none', 'visual', 'sound']).default('visual').meta({
      title: 'Bell',
      description: 'Visual: a frame around the terminal for a second.',
    }),
    renderer: z.enum(['auto', 'dom', 'webgl']).default('auto').meta({
      title: 'Drawing',
      description:
        'Auto: terminals in view are drawn by the GPU (WebGL) where there is a real one, else as elements of the page (DOM). WebGL: also by software that stands for a GPU, which is slower.',
    }),
  })
  .prefault({})
  .meta({ title: 'Terminal' });

const accessibilitySchema = z
  .object({
    screenReader: z.enum(['system', 'on', 'off']).default('system').meta({
      title: 'Screen reader',
      description:
        'On: terminals have their text as rows that a screen reader can read, and changes of state are announced. System: when a screen reader runs. It costs speed under a flood of output.',
    }),
  })
  .prefault({})
  .meta({ title: 'Accessibility' });

export const windowSettingsSchema = z.object({
  appearance: appearanceSchema,
  terminal: terminalSchema,
  accessibility: accessibilitySchema,
  colourSchemes: z.record(schemeNameSchema, colourSchemeSchema).default({}),
});

/** What holds for the window. */
export type WindowSettings = z.output<typeof windowSettingsSchema>;
