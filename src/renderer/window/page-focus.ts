import type { PaneKeyboard } from '../terminal/pane-keyboard.ts';
import { isRegionKey } from './app-keys.ts';
import { panelElementId, tabElementId } from './element-ids.ts';
import type { WindowFocus } from './window-focus.ts';

/** The keyboard in the real page. */
export function createPageFocus(document: Document, keyboard: PaneKeyboard): WindowFocus {
  const holdsFocus = (elementId: string): boolean =>
    document.getElementById(elementId)?.contains(document.activeElement) ?? false;
  return {
    placeOf(id) {
      if (holdsFocus(tabElementId(id))) {
        return 'tab';
      }
      return holdsFocus(panelElementId(id)) ? 'pane' : 'elsewhere';
    },
    isIn: (panel) => document.activeElement?.closest(`[data-panel='${panel}']`) != null,
    isBeneath(region) {
      const element = regionElement(document, region);
      return element !== null && !element.contains(document.activeElement) && isCovered(element);
    },
    stay() {
      const before = document.activeElement;
      return () => {
        const now = document.activeElement;
        return now === before || now === null || now === document.body;
      };
    },
    toTab: (id) => document.getElementById(tabElementId(id))?.focus(),
    toPane: (id) => keyboard.give(id),
    toRegion(region) {
      const element = regionElement(document, region);
      if (element !== null) {
        (regionTarget(element) ?? element).focus();
      }
    },
    toHead: (panel) => document.querySelector<HTMLElement>(`[data-panel='${panel}'] > header button`)?.focus(),
    toQuestion: (id) =>
      document.querySelector<HTMLElement>(`[data-question-id='${CSS.escape(id)}'] [data-region-target]`)?.focus(),
  };
}

/** An element that F6 can go to, and inside it the element that gets the focus then. */
const REGION = '[data-region]';
const REGION_TARGETS = '[data-region-target], .xterm-helper-textarea';

/** Regions in which somebody waits for the person's answer: the first that she comes to from her pane. */
const REQUESTS = '[data-region-request]';
const PANE = "[data-region='pane']";

/**
 * Moves the focus from region to region with F6 and Shift+F6 (inside a running terminal Ctrl+F6), over whatever is
 * visible: tab strip, panel, pane, notices, status bar. What waits for an answer comes right after the pane in which the
 * person works. Answers the end of it.
 */
export function installRegionKeys(page: Window): () => void {
  /** The pane that had the focus last. */
  let pane: Element | null = null;
  const onKeyDown = (event: KeyboardEvent): void => {
    const { document } = page;
    const insideProgram = document.activeElement?.closest('[data-input="on"]') != null;
    if (event.defaultPrevented || !isRegionKey(event, { insideProgram })) {
      return;
    }
    event.preventDefault();
    pane = document.activeElement?.closest(PANE) ?? pane;
    focusNextRegion(regionsInOrder(document, pane), event.shiftKey ? -1 : 1);
  };
  page.addEventListener('keydown', onKeyDown);
  return () => page.removeEventListener('keydown', onKeyDown);
}

interface Region {
  readonly region: HTMLElement;
  readonly target: HTMLElement;
}

function regionsInOrder(document: Document, pane: Element | null): readonly Region[] {
  const all = [...document.querySelectorAll<HTMLElement>(REGION)].flatMap((region) => {
    const target = regionTarget(region);
    return target === undefined ? [] : [{ region, target }];
  });
  const requests = all.filter(({ region }) => region.matches(REQUESTS));
  const others = all.filter(({ region }) => !region.matches(REQUESTS));
  const afterPane = others.findIndex(({ region }) => region === pane) + 1;
  return [...others.slice(0, afterPane), ...requests, ...others.slice(afterPane)];
}

function focusNextRegion(regions: readonly Region[], direction: 1 | -1): void {
  // The innermost: a pane's find is a region in that of the pane.
  const around = regions.filter(({ region }) => region.contains(region.ownerDocument.activeElement));
  const innermost = around.find(({ region }) => around.every((other) => other.region.contains(region)));
  const current = innermost === undefined ? -1 : regions.indexOf(innermost);
  const start = current === -1 && direction === -1 ? 0 : current;
  regions[(start + direction + regions.length) % regions.length]?.target.focus();
}

const regionElement = (document: Document, region: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-region='${region}']`);

const regionTarget = (region: HTMLElement): HTMLElement | undefined =>
  [...region.querySelectorAll<HTMLElement>(REGION_TARGETS)].find(
    (target) => target.closest(REGION) === region && isVisible(target),
  );

/** In CSS pixels from the upper edge: where the title of each panel is. */
const HEAD_PX = 12;

function isCovered(element: HTMLElement): boolean {
  const { left, top, width } = element.getBoundingClientRect();
  const above = element.ownerDocument.elementFromPoint(left + width / 2, top + HEAD_PX);
  return above !== null && !element.contains(above);
}

/** The terminal's textarea is visible to the keyboard, though not to the eye; a covered one is to neither. */
function isVisible(element: HTMLElement): boolean {
  return element.checkVisibility({ visibilityProperty: true }) && element.closest('[inert]') === null;
}
