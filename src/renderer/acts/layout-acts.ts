import type { StoreApi } from 'zustand/vanilla';
import type { SessionId } from '../../shared/session.ts';
import { activateGroup, canDivide, mergeGroup, moveTab } from '../layout/layout-changes.ts';
import {
  groupBoxes,
  groupOnSide,
  growGroup,
  moveBorder,
  type BorderPlace,
  type Box,
  type Growth,
} from '../layout/pane-boxes.ts';
import {
  activeGroupOf,
  groupsOf,
  groupWith,
  SIDES,
  type GroupId,
  type PaneLayout,
  type Side,
  type TabPlace,
} from '../layout/pane-layout.ts';
import type { WindowFocus } from '../window/window-focus.ts';
import { withLayout, type WindowState } from '../window/window-state.ts';

export interface LayoutActsOptions {
  readonly state: StoreApi<WindowState>;
  readonly focus: WindowFocus;
  /** Opens a shell of the person's own there; it is put in view and gets the keyboard. */
  readonly openShell: (place: TabPlace, room: Box) => Promise<void>;
  readonly isWindowVisible: () => boolean;
  /** Whether a pane of these shares of the room would be large enough to read something in. */
  readonly isLargeEnough: (room: Box) => boolean;
  /** Tells the person why nothing happened. */
  readonly notify: (sentence: string) => void;
}

/** How the person divides the window's room among the sessions. The keyboard goes where she moves the session to. */
export class LayoutActs {
  readonly #options: LayoutActsOptions;

  constructor(options: LayoutActsOptions) {
    this.#options = options;
  }

  /** Opens a shell in a new pane beside the one in which the person works. */
  split(side: Side): void {
    const layout = this.#layout;
    const { id, tabs } = activeGroupOf(layout);
    const place = { kind: 'beside', group: id, side } as const;
    if (tabs.length > 0 && this.#hasRoom(place)) {
      void this.#options.openShell(place, halved(boxOf(layout, id), side));
    }
  }

  /** Moves the tab in view into the pane on that side, or into a new one there. */
  moveShown(side: Side): void {
    const { id: group, shown } = activeGroupOf(this.#layout);
    if (shown === null) {
      return;
    }
    const target = groupOnSide(this.#layout, group, side);
    this.moveTab(shown, target === null ? { kind: 'beside', group, side } : { kind: 'among', group: target });
  }

  /** Moves a tab; it comes into view there, with the keyboard. */
  moveTab(id: SessionId, place: TabPlace): void {
    const moved = moveTab(this.#layout, id, place);
    if (moved !== this.#layout && this.#hasRoom(place)) {
      this.#set(moved);
      this.#options.focus.toPane(id);
    }
  }

  /** Moves the tab in view along its strip, by one place. */
  moveAlong(distance: 1 | -1): void {
    const { id: group, tabs, shown } = activeGroupOf(this.#layout);
    const index = shown === null ? -1 : tabs.indexOf(shown) + distance;
    if (shown !== null && index >= 0 && index < tabs.length) {
      this.#set(moveTab(this.#layout, shown, { kind: 'among', group, index }));
    }
  }

  /** Gives the keyboard to the pane on that side. */
  focusSide(side: Side): void {
    const target = groupOnSide(this.#layout, activeGroupOf(this.#layout).id, side);
    if (target === null) {
      return;
    }
    this.#set(activateGroup(this.#layout, target));
    this.#focusShown();
  }

  /** Closes the pane in which the person works; its tabs go to a neighbour. */
  merge(): void {
    const layout = this.#layout;
    const { id } = activeGroupOf(layout);
    const into = SIDES.map((side) => groupOnSide(layout, id, side)).find((group) => group !== null);
    if (into != null) {
      this.#set(mergeGroup(layout, id, into));
      this.#focusShown();
    }
  }

  /** Makes the pane in which the person works larger or smaller. */
  grow(growth: Growth): void {
    const layout = this.#layout;
    this.#set(growGroup(layout, activeGroupOf(layout).id, growth));
  }

  /** Puts a border so that the pane before it has this share of the room of both. */
  moveBorder(place: BorderPlace, share: number): void {
    this.#set(moveBorder(this.#layout, place, share));
  }

  /** The keyboard came to a session's tab or pane: the person works there. */
  workAt(id: SessionId): void {
    const group = groupWith(this.#layout, id);
    if (group !== null && group.id !== this.#layout.activeGroup) {
      this.#set(activateGroup(this.#layout, group.id));
    }
  }

  get #layout(): PaneLayout {
    return this.#options.state.getState().layout;
  }

  #set(layout: PaneLayout): void {
    const { state, isWindowVisible } = this.#options;
    if (layout !== this.#layout) {
      state.setState(withLayout(state.getState(), layout, isWindowVisible()), true);
    }
  }

  #hasRoom(place: TabPlace): boolean {
    if (place.kind === 'among') {
      return true;
    }
    const hasRoom =
      canDivide(this.#layout) && this.#options.isLargeEnough(halved(boxOf(this.#layout, place.group), place.side));
    if (!hasRoom) {
      this.#options.notify('There is no room for one more pane here.');
    }
    return hasRoom;
  }

  #focusShown(): void {
    const { shown } = activeGroupOf(this.#layout);
    if (shown !== null) {
      this.#options.focus.toPane(shown);
    }
  }
}

/** Which of these acts would do something now. */
export function possibleActs(layout: PaneLayout): {
  readonly split: boolean;
  readonly move: (side: Side) => boolean;
  readonly focus: (side: Side) => boolean;
  readonly merge: boolean;
} {
  const { id, tabs } = activeGroupOf(layout);
  const isOnSide = (side: Side): boolean => groupOnSide(layout, id, side) !== null;
  const canLeave = tabs.length > 1 && canDivide(layout);
  return {
    split: tabs.length > 0 && canDivide(layout),
    move: (side) => isOnSide(side) || canLeave,
    focus: isOnSide,
    merge: groupsOf(layout).length > 1,
  };
}

/** True when a group can become larger or smaller in that way. */
export function canGrow(layout: PaneLayout, growth: Growth): boolean {
  return growGroup(layout, activeGroupOf(layout).id, growth) !== layout;
}

/** The room of a group, as shares of all panes' room. */
export function boxOf(layout: PaneLayout, id: GroupId): Box {
  return groupBoxes(layout).find(({ group }) => group.id === id)?.box ?? { x: 0, y: 0, width: 1, height: 1 };
}

function halved(box: Box, side: Side): Box {
  return side === 'left' || side === 'right' ? { ...box, width: box.width / 2 } : { ...box, height: box.height / 2 };
}
