import { useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { useWindowModel, useWindowState } from '../window/window-model.ts';
import { PANEL_WIDTH, type PanelName } from '../window/window-state.ts';

/** How far it moves for one key, in CSS pixels. */
const KEY_STEP_PX = 16;

/** The edge of a side panel: dragged with the mouse, moved with the arrows, put back with Enter or a double click. */
export function SidePanelBorder({ panel, title }: { readonly panel: PanelName; readonly title: string }): ReactNode {
  const { controller } = useWindowModel();
  const width = useWindowState((state) => state.panelWidths[panel]);
  const grasped = useRef<{ readonly atX: number; readonly width: number } | null>(null);
  // To the right the panel on the left becomes wider, and the one on the right narrower.
  const outward = panel === 'sessions' ? 1 : -1;
  const setWidth = (next: number): void => controller.panels.setWidth(panel, next);

  const onKeyDown = (event: KeyboardEvent): void => {
    const acts: Readonly<Record<string, number>> = {
      ArrowRight: width + outward * KEY_STEP_PX,
      ArrowLeft: width - outward * KEY_STEP_PX,
      Home: PANEL_WIDTH.least,
      End: PANEL_WIDTH.most,
      Enter: PANEL_WIDTH.usual[panel],
    };
    const wanted = acts[event.key];
    if (wanted !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      setWidth(wanted);
    }
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (grasped.current !== null && event.currentTarget.hasPointerCapture(event.pointerId)) {
      setWidth(grasped.current.width + outward * (event.clientX - grasped.current.atX));
    }
  };
  return (
    <div
      role="separator"
      className="side-panel-border"
      aria-orientation="vertical"
      aria-label={`Width of the ${title.toLowerCase()}`}
      aria-valuenow={width}
      aria-valuemin={PANEL_WIDTH.least}
      aria-valuemax={PANEL_WIDTH.most}
      tabIndex={0}
      data-panel={panel}
      onKeyDown={onKeyDown}
      onDoubleClick={() => setWidth(PANEL_WIDTH.usual[panel])}
      onPointerDown={(event) => {
        event.preventDefault();
        grasped.current = { atX: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={onPointerMove}
      onMouseDown={(event) => event.preventDefault()}
    />
  );
}
