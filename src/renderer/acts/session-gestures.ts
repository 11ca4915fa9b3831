/** What the pointer and the keyboard do with a session wherever it is drawn: its tab, its row in the list, its pane. */
import type { WindowApi } from '../../shared/ipc.ts';
import type { MenuItems, MenuPlace } from '../../shared/menu-items.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import { sessionIdOf } from '../window/element-ids.ts';
import type { WindowController } from '../window/window-controller.ts';
import { runSessionMenu, sessionMenu } from './session-menu.ts';

export interface SessionGesturesOptions {
  readonly page: Window;
  readonly platform: WindowApi['platform'];
  readonly controller: WindowController;
  readonly session: (id: SessionId) => SessionInfo | undefined;
  readonly isFitted: (id: SessionId) => boolean;
  readonly selection: (id: SessionId) => string;
  readonly popUpMenu: (items: MenuItems, place: MenuPlace | null) => Promise<string | null>;
  /** Types this for the program of the session, as a paste. */
  readonly insert: (id: SessionId, text: string) => void;
  /** Null for what is no file of this machine. */
  readonly quotedPathOf: (file: File) => string | null;
}

/**
 * Listens at the page, so that every drawing of a session has them: context menu by the second button, the menu key and
 * Shift+F10; renaming by F2 and a double click; files that are dropped on a pane. Answers the end of it.
 */
export function installSessionGestures(options: SessionGesturesOptions): () => void {
  const { page, controller } = options;
  /** The menu of this key press is open already; the event that the key also makes comes on top. */
  let isByKey = false;

  const sessionAt = (target: EventTarget | null): SessionInfo | undefined => {
    const id = target instanceof Element ? sessionIdOf(target) : null;
    return id === null ? undefined : options.session(id);
  };
  const openMenu = (target: Element, session: SessionInfo, place: MenuPlace | null): void => {
    const isPane = target.closest('[role=tabpanel]') !== null;
    if (isPane) {
      controller.select(session.id, 'to-pane');
    }
    const hasSelection = isPane && options.selection(session.id) !== '';
    const context = {
      session,
      platform: options.platform,
      isPane,
      hasSelection,
      isFitted: options.isFitted(session.id),
    };
    options
      .popUpMenu(sessionMenu(context), place)
      .then((chosen) => runSessionMenu(controller, options.session(session.id) ?? session, chosen))
      .catch((error: unknown) => controller.notices.notify(`The menu could not be opened. ${String(error)}`));
  };

  const onContextMenu = (event: MouseEvent): void => {
    const { target } = event;
    const session = sessionAt(target);
    if (
      session === undefined ||
      !(target instanceof Element) ||
      target.closest('input, textarea:not(.xterm-helper-textarea)') !== null
    ) {
      return;
    }
    event.preventDefault();
    if (!isByKey && !(isProgramsMouse(target) && !event.shiftKey)) {
      openMenu(target, session, null);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    isByKey = false;
    const { target } = event;
    if (event.defaultPrevented || !(target instanceof Element)) {
      return;
    }
    const place = target.querySelector('[role=treeitem][data-active]') ?? target;
    const session = sessionAt(place);
    if (session === undefined) {
      return;
    }
    const isInProgram = target.closest('[data-input="on"]') !== null;
    const isShiftF10 = event.key === 'F10' && event.shiftKey;
    if (isShiftF10 && isInProgram) {
      // The program's key; Chromium makes a menu of it all the same.
      isByKey = true;
    } else if (event.key === 'ContextMenu' || isShiftF10) {
      event.preventDefault();
      isByKey = true;
      const { left, bottom } = place.getBoundingClientRect();
      openMenu(place, session, { x: Math.max(0, left), y: Math.max(0, bottom) });
    } else if (event.key === 'F2' && !isInProgram && !hasModifier(event)) {
      event.preventDefault();
      controller.panels.setRenaming(session.id);
    }
  };
  const onDoubleClick = ({ target }: MouseEvent): void => {
    const session = sessionAt(target);
    if (session !== undefined && target instanceof Element && target.closest('[role=tab]') !== null) {
      controller.panels.setRenaming(session.id);
    }
  };
  const onPointerDown = (): void => {
    isByKey = false;
  };
  const droppedOn = ({ target, dataTransfer }: DragEvent): SessionInfo | undefined => {
    const isOnPane = target instanceof Element && target.closest('[data-input="on"]') !== null;
    return isOnPane && dataTransfer?.types.includes('Files') === true ? sessionAt(target) : undefined;
  };
  const onDragOver = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) {
      return;
    }
    event.preventDefault();
    event.dataTransfer.dropEffect = droppedOn(event) === undefined ? 'none' : 'copy';
  };
  const onDrop = (event: DragEvent): void => {
    const session = droppedOn(event);
    if (event.dataTransfer?.types.includes('Files') !== true) {
      return;
    }
    event.preventDefault();
    if (session === undefined) {
      return;
    }
    const paths = Array.from(event.dataTransfer.files, (file) => options.quotedPathOf(file));
    if (paths.includes(null)) {
      controller.notices.notify(
        'Nothing was typed: a dropped file has no path here, or one that cannot be typed safely.',
      );
      return;
    }
    controller.select(session.id, 'to-pane');
    options.insert(session.id, `${paths.join(' ')} `);
  };

  const listeners = { contextmenu: onContextMenu, keydown: onKeyDown, dblclick: onDoubleClick } as const;
  const drags = { pointerdown: onPointerDown, dragover: onDragOver, drop: onDrop } as const;
  const all = Object.entries({ ...listeners, ...drags }) as [keyof WindowEventMap, (event: Event) => void][];
  // Before a terminal, which stops what it has dealt with.
  const early = { capture: true };
  for (const [name, listener] of all) {
    page.addEventListener(name, listener, early);
  }
  return () => {
    for (const [name, listener] of all) {
      page.removeEventListener(name, listener, early);
    }
  };
}

/** Does the program in this terminal get the pointer's buttons? xterm says so by a class. */
function isProgramsMouse(target: Element): boolean {
  return target.closest('.enable-mouse-events') !== null;
}

function hasModifier({ ctrlKey, altKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return ctrlKey || altKey || metaKey || shiftKey;
}
