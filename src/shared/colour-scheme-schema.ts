import { z } from 'zod';

const colourSchema = z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #1a2b3c');

/** Colours of a terminal, each `#rrggbb`. */
export const colourSchemeSchema = z.strictObject({
  foreground: colourSchema,
  background: colourSchema,
  /** Default: the foreground. */
  cursor: colourSchema.optional(),
  /** Behind selected text. Default: a colour between the two. */
  selection: colourSchema.optional(),
  /** The sixteen named colours, black to bright white. */
  ansi: z.array(colourSchema).length(16, 'must have the sixteen colours, black to bright white'),
});
export type ColourScheme = Readonly<z.output<typeof colourSchemeSchema>>;
