import type { StoreApi } from 'zustand/vanilla';
import type { SessionId } from '../../shared/session.ts';
import type { WindowFocus } from '../window/window-focus.ts';
import { NOTHING_OVER, PANEL_WIDTH, type PanelName, type Sheet, type WindowState } from '../window/window-state.ts';

export interface PanelActsOptions {
  readonly state: StoreApi<WindowState>;
  readonly focus: WindowFocus;
}

const NO_LIST = { isPaletteOpen: false, isTabListOpen: false, links: null } as const;

/** What the person opens and closes beside the panes and over them. */
export class PanelActs {
  readonly #state: StoreApi<WindowState>;
  readonly #focus: WindowFocus;

  constructor({ state, focus }: PanelActsOptions) {
    this.#state = state;
    this.#focus = focus;
  }

  /** Opens or closes a panel beside the panes; the keyboard stays. */
  setOpen(panel: PanelName, isOpen: boolean): void {
    this.#state.setState(({ panels }) => ({ panels: { ...panels, [panel]: isOpen } }));
  }

  /**
   * Opens or closes what stands under this name (`data-region`), by its key or its button; but what is open and out of sight,
   * beneath a question, comes forward with the keyboard.
   */
  unlessBeneath(region: string, openOrClose: () => void): void {
    if (this.#focus.isBeneath(region)) {
      this.#focus.toRegion(region);
    } else {
      openOrClose();
    }
  }

  /** The timeline that is open, or is opened, is that of all sessions, or of the one in view. */
  setTimelineOfAll(isTimelineOfAll: boolean): void {
    this.#state.setState(({ panels }) => ({ isTimelineOfAll, panels: { ...panels, timeline: true } }));
  }

  /** By its key: shows the timeline of all sessions, and where that is shown, that of the one in view. */
  toggleTimelineOfAll(): void {
    this.unlessBeneath('timeline', () => {
      const { panels, isTimelineOfAll } = this.#state.getState();
      if (this.#focus.isIn('timeline')) {
        // The act that has the keyboard goes.
        this.#focus.toHead('timeline');
      }
      this.setTimelineOfAll(!panels.timeline || !isTimelineOfAll);
    });
  }

  /** By its key: a panel that closes with the keyboard in it leaves that to the pane. */
  toggle(panel: PanelName): void {
    this.unlessBeneath(panel, () => {
      const isOpen = this.#state.getState().panels[panel];
      const isInside = this.#focus.isIn(panel);
      this.setOpen(panel, !isOpen);
      if (isOpen && isInside) {
        this.toSelectedPane();
      }
    });
  }

  /** By its button: the keyboard stays. */
  press(panel: PanelName): void {
    this.unlessBeneath(panel, () => this.setOpen(panel, !this.#state.getState().panels[panel]));
  }

  /** Makes a panel beside the panes so wide, in CSS pixels, within limits. */
  setWidth(panel: PanelName, width: number): void {
    const { least, most } = PANEL_WIDTH;
    const next = Math.round(Math.min(most, Math.max(least, width)));
    this.#state.setState(({ panelWidths }) => ({ panelWidths: { ...panelWidths, [panel]: next } }));
  }

  /** The panels over the right side of the panes take each other's place. */
  setSurvivorsOpen(isOpen: boolean): void {
    this.#showOver({ isSurvivorsOpen: isOpen });
  }

  /** By its key: closed, it leaves the keyboard to the pane. */
  toggleSurvivors(): void {
    this.unlessBeneath('survivors', () => {
      const isOpen = !this.#state.getState().isSurvivorsOpen;
      this.setSurvivorsOpen(isOpen);
      if (!isOpen) {
        this.toSelectedPane();
      }
    });
  }

  /** All that is told of the session in view, which must be there. Closed, it leaves the keyboard where that was before. */
  setDetailsOpen(isOpen: boolean): void {
    this.#showOver({ isDetailsOpen: isOpen && this.#state.getState().selected !== null });
  }

  toggleDetails(): void {
    this.unlessBeneath('details', () => this.setDetailsOpen(!this.#state.getState().isDetailsOpen));
  }

  setConnectOpen(isOpen: boolean): void {
    this.#showOver({ isConnectPanelOpen: isOpen });
  }

  toggleConnect(): void {
    this.unlessBeneath('connect', () => {
      const isOpen = !this.#state.getState().isConnectPanelOpen;
      this.setConnectOpen(isOpen);
      if (!isOpen) {
        this.toSelectedPane();
      }
    });
  }

  /** Opens the settings or the list of keys; what is open closes. */
  toggleSheet(sheet: Sheet): void {
    const isOpen = this.#state.getState().sheet === sheet;
    this.unlessBeneath(sheet, () => this.#showOver({ sheet: isOpen ? null : sheet }));
  }

  closeSheet(): void {
    this.#showOver({ sheet: null });
  }

  /** The lists over everything take each other's place. */
  setPaletteOpen(isOpen: boolean): void {
    this.#state.setState({ ...(isOpen ? NO_LIST : {}), isPaletteOpen: isOpen });
  }

  setTabListOpen(isOpen: boolean): void {
    this.#state.setState({ ...(isOpen ? NO_LIST : {}), isTabListOpen: isOpen });
  }

  /** Offers links to be opened; null closes the list of them. */
  setLinks(links: readonly string[] | null): void {
    this.#state.setState({ ...(links === null ? {} : NO_LIST), links });
  }

  /** Asks for a session's new name; null leaves it as it is. */
  setRenaming(id: SessionId | null): void {
    this.#state.setState({ renaming: id });
  }

  /** Opens the search in a session's pane, or goes on in it. */
  find(id: SessionId): void {
    this.#state.setState(({ finding }) => ({ finding: new Map(finding).set(id, (finding.get(id) ?? 0) + 1) }));
  }

  /** Nothing is looked for in a session's pane any more; in others it is as before. */
  endFind(id: SessionId): void {
    this.#state.setState(({ finding }) => ({ finding: new Map([...finding].filter(([other]) => other !== id)) }));
  }

  /** Gives the keyboard to the session in view. */
  toSelectedPane(): void {
    const { selected } = this.#state.getState();
    if (selected !== null) {
      this.#focus.toPane(selected);
    }
  }

  #showOver(opened: Partial<typeof NOTHING_OVER>): void {
    const isOpening = Object.values(opened).some((value) => value !== false && value !== null);
    this.#state.setState({ ...(isOpening ? NOTHING_OVER : {}), ...opened });
  }
}
