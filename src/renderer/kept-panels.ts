import type { StoreApi } from 'zustand/vanilla';
import { PANELS, type OpenPanels, type WindowState } from './window-state.ts';

/** Where the page keeps it; the app's own origin has a storage of its own. */
const KEY = 'shellscope.open-panels';

/** Which panels were open when the window was left; those that are not known are closed. */
export function readOpenPanels(storage: Pick<Storage, 'getItem'>): OpenPanels {
  const kept = parsed(storage.getItem(KEY));
  const isOpen = (panel: string): boolean => Array.isArray(kept) && kept.includes(panel);
  return { sessions: isOpen('sessions'), timeline: isOpen('timeline') };
}

/** Keeps from now on which panels are open. Answers the end of it. */
export function keepOpenPanels(state: StoreApi<WindowState>, storage: Pick<Storage, 'setItem'>): () => void {
  return state.subscribe(({ panels }, before) => {
    if (panels !== before.panels) {
      storage.setItem(KEY, JSON.stringify(PANELS.filter((panel) => panels[panel])));
    }
  });
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    // Not ours: nothing is known then.
    return null;
  }
}
