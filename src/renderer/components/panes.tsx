import { useMemo, type CSSProperties, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { borders, groupBoxes, type Box } from '../layout/pane-boxes.ts';
import { useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { PaneBorder } from './pane-border.tsx';
import { SessionPanel } from './session-panel.tsx';
import { TabStrip } from './tab-strip.tsx';

/**
 * All sessions' panes, laid out as the layout says. They are siblings in the page and placed by their boxes alone: moving
 * a tab to another group moves no element, so that a live terminal goes on as it is.
 */
export function Panes(): ReactNode {
  const sessions = useSessions();
  const layout = useWindowState((state) => state.layout);
  // The same objects for the same layout, so that only the pane of a session that changed is drawn anew.
  const groups = useMemo(() => groupBoxes(layout).map((one) => ({ ...one, style: boxStyle(one.box) })), [layout]);
  const isDivided = groups.length > 1;
  return (
    <>
      {isDivided
        ? groups.map(({ group, style }, index) => (
            <div
              key={group.id}
              className="group-strip"
              style={style}
              data-region="strip"
              data-group={group.id}
              data-active={group.id === layout.activeGroup || undefined}
            >
              <TabStrip group={group} name={`Sessions, pane ${index + 1} of ${groups.length}`} />
            </div>
          ))
        : null}
      {sessions.map((session) => {
        const place = groups.find(({ group }) => group.tabs.includes(session.id));
        return place === undefined ? null : (
          <SessionPanel
            key={session.id}
            session={session}
            group={place.group.id}
            isShown={place.group.shown === session.id}
            place={isDivided ? place.style : undefined}
          />
        );
      })}
      <PaneBorders />
      <DropMark />
    </>
  );
}

/** What a dragged tab would take when it is dropped now. */
function DropMark(): ReactNode {
  const mark = useStore(useWindowModel().tabDrag.store, (dragged) => dragged?.drop?.mark ?? null);
  if (mark === null) {
    return null;
  }
  const { x, y, width, height } = mark;
  return <div className="drop-mark" style={{ left: x, top: y, width, height }} />;
}

function PaneBorders(): ReactNode {
  const { controller } = useWindowModel();
  const layout = useWindowState((state) => state.layout);
  const numbers = new Map(groupBoxes(layout).map(({ group }, index) => [group.id, index + 1]));
  return borders(layout).map((border) => (
    <PaneBorder
      key={`${border.path.join('.')}/${border.before}`}
      border={border}
      name={`Between pane ${numbers.get(border.between[0])} and pane ${numbers.get(border.between[1])}`}
      onMove={(share) => controller.layout.moveBorder(border, share)}
    />
  ));
}

/** Read by `panes.css`. */
function boxStyle({ x, y, width, height }: Box): CSSProperties {
  const percent = (share: number): string => `${share * 100}%`;
  return {
    '--box-x': percent(x),
    '--box-y': percent(y),
    '--box-width': percent(width),
    '--box-height': percent(height),
  } as CSSProperties;
}
