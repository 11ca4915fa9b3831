import type { SessionId } from '../../shared/session.ts';
import type { PanelName } from './window-state.ts';

/** Where the keyboard is, seen from one session. */
export type FocusPlace = 'tab' | 'pane' | 'elsewhere';

/** How the window's logic moves the keyboard; the page's elements stay outside of it (`page-focus.ts`). */
export interface WindowFocus {
  placeOf(id: SessionId): FocusPlace;
  /** Whether it is in this panel beside the panes. */
  isIn(panel: PanelName): boolean;
  /**
   * Whether what is open under this name (`data-region`) is out of sight, since something else lies over its head. What has
   * the keyboard is not.
   */
  isBeneath(region: string): boolean;
  /** Remembers where it is. Asked later: is it there still, or nowhere, since that has gone? */
  stay(): () => boolean;
  toTab(id: SessionId): void;
  toPane(id: SessionId): void;
  toRegion(region: string): void;
  /** To the first button in the head of a panel beside the panes: it is there whatever the panel shows. */
  toHead(panel: PanelName): void;
  /** To the answer that changes nothing. */
  toQuestion(id: string): void;
}
