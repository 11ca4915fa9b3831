import { createStore, type StoreApi } from 'zustand/vanilla';
import type { SessionId } from '../../shared/session.ts';
import { dropAt, type Drop, type DropTargets, type Point, type Rectangle } from '../layout/drop-place.ts';
import type { GroupId, TabPlace } from '../layout/pane-layout.ts';

/** How far the mouse goes before a press on a tab is a drag, in CSS pixels. */
const DRAG_PX = 6;

/** A drag under way. */
export interface DraggedTab {
  readonly id: SessionId;
  /** Null where it cannot be dropped. */
  readonly drop: Drop | null;
}

/** Tabs that are dragged with the mouse. By pointer events: the page's own drag and drop would draw and forbid by itself. */
export class TabDrag {
  readonly store: StoreApi<DraggedTab | null> = createStore<DraggedTab | null>(() => null);
  readonly #page: Window;
  readonly #move: (id: SessionId, place: TabPlace) => void;

  constructor(page: Window, move: (id: SessionId, place: TabPlace) => void) {
    this.#page = page;
    this.#move = move;
  }

  /** The mouse was pressed on a tab. What follows is a drag once it has gone some way; Escape ends it. */
  press(id: SessionId, start: Point): void {
    const page = this.#page;
    const ended = new AbortController();
    const listen = <E extends keyof WindowEventMap>(type: E, listener: (event: WindowEventMap[E]) => void): void =>
      page.addEventListener(type, listener, { capture: true, signal: ended.signal });
    const end = (): void => {
      ended.abort();
      this.store.setState(null, true);
    };

    listen('pointermove', (event) => {
      const isDrag = Math.hypot(event.clientX - start.x, event.clientY - start.y) >= DRAG_PX;
      if (event.buttons === 0) {
        end();
      } else if (isDrag || this.store.getState() !== null) {
        this.#over(id, { x: event.clientX, y: event.clientY });
      }
    });
    listen('pointerup', () => {
      const dragged = this.store.getState();
      end();
      if (dragged !== null) {
        swallowNextClick(page);
      }
      if (dragged?.drop != null) {
        this.#move(id, dragged.drop.place);
      }
    });
    listen('pointercancel', end);
    listen('keydown', (event) => {
      if (event.key === 'Escape' && this.store.getState() !== null) {
        event.preventDefault();
        event.stopPropagation();
        swallowNextClick(page);
        end();
      }
    });
  }

  #over(id: SessionId, point: Point): void {
    this.store.setState({ id, drop: dropAt(point, targetsIn(this.#page.document, id)) }, true);
  }
}

/** Strips and panes as they stand now; they say by `data-group` whose they are. */
function targetsIn(document: Document, dragged: SessionId): DropTargets {
  const inGroups = (selector: string) =>
    [...document.querySelectorAll<HTMLElement>(selector)].flatMap((element) => {
      const group = element.dataset['group'] as GroupId | undefined;
      return group === undefined ? [] : [{ group, element, rectangle: rectangleOf(element) }];
    });
  return {
    strips: inGroups('.tab-row').map(({ group, element, rectangle }) => ({
      group,
      rectangle,
      tabs: [...element.querySelectorAll<HTMLElement>('[role=tab]')].flatMap((tab) => {
        const id = tab.dataset['sessionId'] as SessionId | undefined;
        return id === undefined || id === dragged ? [] : [{ id, rectangle: rectangleOf(tab) }];
      }),
    })),
    panes: inGroups('[role=tabpanel]:not([hidden])').map(({ group, rectangle }) => ({ group, rectangle })),
  };
}

function rectangleOf(element: HTMLElement): Rectangle {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
}

/** The click that ends a drag is none on the tab. */
function swallowNextClick(page: Window): void {
  const swallow = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  page.addEventListener('click', swallow, { capture: true, once: true });
  page.setTimeout(() => page.removeEventListener('click', swallow, { capture: true }), 0);
}
