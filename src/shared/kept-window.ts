/** What a window is to have again after a reload, a crash of its page, or a restart: the shape of the file's entries. */
import { z } from 'zod';
import { USUAL_PANEL_WIDTHS } from './panel-widths.ts';

const share = z.number().positive().max(1);

/**
 * A session's tab. Ids begin anew with each start of the host, so that the time of the start tells which one was meant; by
 * the epoch the session is found on the disk after a restart.
 */
const keptTabSchema = z.object({
  id: z.string().min(1).max(200),
  startedAtMs: z.number(),
  /** Left out where nothing of the session is on the disk. */
  epoch: z.string().min(1).max(100).optional(),
});

export type KeptTab = z.output<typeof keptTabSchema>;

const keptGroupSchema = z.object({
  kind: z.literal('group'),
  tabs: z.array(keptTabSchema).max(10_000).readonly(),
  /** The tab in view, of those above. */
  shown: z.string().max(200).nullable(),
  isActive: z.boolean(),
});

export type KeptGroup = z.output<typeof keptGroupSchema>;

/** A part of the window's room: tabs, or a split with parts of its own. */
export type KeptNode =
  | KeptGroup
  | {
      readonly kind: 'split';
      readonly direction: 'row' | 'column';
      readonly parts: readonly { readonly share: number; readonly node: KeptNode }[];
    };

/** All tabs of a part of the room. */
export function keptTabsOf(node: KeptNode): KeptGroup['tabs'] {
  return node.kind === 'group' ? node.tabs : node.parts.flatMap((part) => keptTabsOf(part.node));
}

/** The page without the tab of a session; the same page where it has none. */
export function withoutTab(page: KeptPage, epoch: string): KeptPage {
  const without = (node: KeptNode): KeptNode =>
    node.kind === 'group'
      ? { ...node, tabs: node.tabs.filter((tab) => tab.epoch !== epoch) }
      : { ...node, parts: node.parts.map((part) => ({ ...part, node: without(part.node) })) };
  const hasIt = keptTabsOf(page.root).some((tab) => tab.epoch === epoch);
  return hasIt ? { ...page, root: without(page.root) } : page;
}

/** The page with one more tab, at the end of the group in use; the same page where it has that tab. */
export function withTab(page: KeptPage, tab: KeptTab): KeptPage {
  if (keptTabsOf(page.root).some(({ epoch }) => epoch === tab.epoch)) {
    return page;
  }
  const groups = groupsOf(page.root);
  const group = groups.find(({ isActive }) => isActive) ?? groups[0];
  const added = (node: KeptNode): KeptNode =>
    node.kind === 'split'
      ? { ...node, parts: node.parts.map((part) => ({ ...part, node: added(part.node) })) }
      : node === group
        ? { ...node, tabs: [...node.tabs, tab] }
        : node;
  return { ...page, root: added(page.root) };
}

function groupsOf(node: KeptNode): readonly KeptGroup[] {
  return node.kind === 'group' ? [node] : node.parts.flatMap((part) => groupsOf(part.node));
}

/** Splits within splits that are taken from a file; a window has far fewer. */
const MAX_DEPTH = 32;

function nodeSchema(depth: number): z.ZodType<KeptNode> {
  if (depth === 0) {
    return keptGroupSchema;
  }
  return z.discriminatedUnion('kind', [
    keptGroupSchema,
    z.object({
      kind: z.literal('split'),
      direction: z.enum(['row', 'column']),
      parts: z
        .array(z.object({ share, node: z.lazy(() => nodeSchema(depth - 1)) }))
        .min(1)
        .max(32)
        .readonly(),
    }),
  ]);
}

const keptPanelSchema = z.object({
  isOpen: z.boolean(),
  /** CSS pixels. */
  width: z.number().int().min(160).max(1_000),
});

/** What the page of a window knows of its own arrangement. */
export const keptPageSchema = z.object({
  root: nodeSchema(MAX_DEPTH),
  panels: z.object({
    sessions: keptPanelSchema,
    /** `isOfAll`: it is that of all sessions. Default: of the one in view. */
    timeline: keptPanelSchema.extend({ isOfAll: z.boolean().optional() }),
  }),
});

export type KeptPage = z.output<typeof keptPageSchema>;

/** Of a window that nobody has arranged. */
export const NEW_PAGE: KeptPage = {
  root: { kind: 'group', tabs: [], shown: null, isActive: true },
  panels: {
    sessions: { isOpen: false, width: USUAL_PANEL_WIDTHS.sessions },
    timeline: { isOpen: false, width: USUAL_PANEL_WIDTHS.timeline },
  },
};

/** What became of the tabs that were open when the app ended: told to its first page, once. */
export interface TabsAgain {
  /** One of them was a shell of the person's own that ended with the app: a new one is to take its place. */
  readonly opensShell: boolean;
  /** A sentence for the person when not all of them are there; else null. */
  readonly problem: string | null;
}

/** What a page is told when it begins. */
export interface KeptWindow {
  /** Null for a window that was never arranged. */
  readonly page: KeptPage | null;
  /** Sessions whose tabs are in other windows. */
  readonly elsewhere: readonly string[];
  /** The session that is to have the keyboard, when the window was opened for it. */
  readonly show: string | null;
}
