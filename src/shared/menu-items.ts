/** What the page asks of menus, which the desktop draws. Plain data. */
import { z } from 'zod';
import { WINDOW_COMMAND_NAMES } from './window-commands.ts';

const itemSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('separator') }),
  z.object({
    kind: z.literal('item'),
    /** What is answered when it is chosen. */
    id: z.string().min(1).max(50),
    label: z.string().min(1).max(100),
    enabled: z.boolean(),
    /** The key that does the same, as Electron names it; shown, and bound elsewhere. */
    key: z.string().max(40).nullable(),
    /** Chosen, it pastes into what has the keyboard: no page may read the clipboard. */
    pastes: z.boolean(),
  }),
]);

export const menuItemsSchema = z.array(itemSchema).min(1).max(40).readonly();
export type MenuItems = z.output<typeof menuItemsSchema>;
export type MenuItem = MenuItems[number];

/** Pixels of the page, from its upper left corner. */
export const menuPlaceSchema = z.object({ x: z.number().min(0).max(100_000), y: z.number().min(0).max(100_000) });
export type MenuPlace = z.output<typeof menuPlaceSchema>;

/** What cannot be done in a window now, of the application menu's items. */
export const menuPossibilitiesSchema = z.object({
  impossible: z.array(z.enum(WINDOW_COMMAND_NAMES)).max(200).readonly(),
  /** A text field has the keyboard, and no terminal. */
  isTextField: z.boolean(),
});
export type MenuPossibilities = z.output<typeof menuPossibilitiesSchema>;
