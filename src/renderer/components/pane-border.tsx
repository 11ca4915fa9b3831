import { useRef, type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { KEY_STEP, LEAST_SHARE, type Border } from '../layout/pane-boxes.ts';

/** The line between two panes: dragged with the mouse, moved with the arrows, put into the middle with Enter. */
export function PaneBorder({
  border,
  name,
  onMove,
}: {
  readonly border: Border;
  readonly name: string;
  /** Wants this share of the room of both neighbours for the one before the line. */
  readonly onMove: (share: number) => void;
}): ReactNode {
  const { direction, line, room, share } = border;
  const element = useRef<HTMLDivElement>(null);
  const isRow = direction === 'row';

  const onKeyDown = (event: KeyboardEvent): void => {
    const acts: Readonly<Record<string, number>> = {
      [isRow ? 'ArrowLeft' : 'ArrowUp']: share - KEY_STEP,
      [isRow ? 'ArrowRight' : 'ArrowDown']: share + KEY_STEP,
      Home: LEAST_SHARE,
      End: 1 - LEAST_SHARE,
      Enter: 0.5,
    };
    const wanted = acts[event.key];
    if (wanted !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      onMove(wanted);
    }
  };
  const onPointerMove = (event: PointerEvent): void => {
    const whole = element.current?.parentElement?.getBoundingClientRect();
    if (whole === undefined || element.current?.hasPointerCapture(event.pointerId) !== true) {
      return;
    }
    onMove(
      isRow
        ? ((event.clientX - whole.x) / whole.width - room.x) / room.width
        : ((event.clientY - whole.y) / whole.height - room.y) / room.height,
    );
  };
  return (
    <div
      ref={element}
      role="separator"
      className="pane-border"
      aria-orientation={isRow ? 'vertical' : 'horizontal'}
      aria-label={name}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={LEAST_SHARE * 100}
      aria-valuemax={100 - LEAST_SHARE * 100}
      tabIndex={0}
      style={
        {
          '--box-x': `${line.x * 100}%`,
          '--box-y': `${line.y * 100}%`,
          '--box-width': `${line.width * 100}%`,
          '--box-height': `${line.height * 100}%`,
        } as CSSProperties
      }
      onKeyDown={onKeyDown}
      onDoubleClick={() => onMove(0.5)}
      onPointerDown={(event) => {
        // Neither a selection of text nor the keyboard comes with it.
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={onPointerMove}
      onMouseDown={(event) => event.preventDefault()}
    />
  );
}
