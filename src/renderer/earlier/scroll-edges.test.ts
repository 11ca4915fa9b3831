// @vitest-environment happy-dom
import type { Terminal } from '@xterm/xterm';
import { describe, expect, it } from 'vitest';
import { ScrollEdges } from './scroll-edges.ts';

const ROWS = 10;
const LINES = 1_000;

/** A terminal that only scrolls, with what is told of its edges. */
function startEdges() {
  const active = { viewportY: 500, baseY: LINES - ROWS, length: LINES };
  const listeners = new Set<() => void>();
  const host = document.createElement('div');
  const told: string[] = [];
  const meanwhile: number[] = [];
  const state = { isDrawing: false };
  const edges = new ScrollEdges({
    terminal: {
      rows: ROWS,
      buffer: { active },
      onScroll: (listener: () => void) => {
        listeners.add(listener);
        return { dispose: () => listeners.delete(listener) };
      },
    } as unknown as Pick<Terminal, 'rows' | 'buffer' | 'onScroll'>,
    host,
    isDrawing: () => state.isDrawing,
    onWheelMeanwhile: (pixels) => meanwhile.push(pixels),
    onEdge: (direction, isPushed) => told.push(`${direction}${isPushed ? ' pushed' : ''}`),
  });
  const scrollTo = (line: number): void => {
    active.viewportY = line;
    for (const listener of listeners) {
      listener();
    }
  };
  const turn = (deltaY: number): WheelEvent => {
    const event = new WheelEvent('wheel', { deltaY, cancelable: true });
    host.dispatchEvent(event);
    return event;
  };
  const focusRow = (place: number): void => {
    const row = document.createElement('div');
    row.setAttribute('aria-posinset', String(place));
    row.setAttribute('aria-setsize', String(LINES));
    host.append(row);
    row.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
  };
  return { edges, told, meanwhile, state, scrollTo, turn, focusRow, listeners };
}

describe('the edges of what is loaded', () => {
  it('are told some screens before, for the way in which the person scrolls', () => {
    const { told, scrollTo } = startEdges();
    scrollTo(500);
    scrollTo(31);
    expect(told).toEqual([]);
    scrollTo(30);
    scrollTo(31);
    expect(told).toEqual(['earlier']);
    scrollTo(960);
    scrollTo(959);
    expect(told).toEqual(['earlier', 'later']);
  });

  it('are told by a wheel that turns there, and by a screen reader that has come to the first row or the last one', () => {
    const { told, scrollTo, turn, focusRow } = startEdges();
    scrollTo(0);
    told.splice(0);
    turn(100);
    turn(-100);
    focusRow(2);
    focusRow(1);
    focusRow(LINES);
    expect(told).toEqual(['earlier pushed', 'earlier pushed', 'later pushed']);
  });

  it('are nobody\u2019s act while all is drawn anew; what the wheel does then comes later', () => {
    const { told, meanwhile, state, scrollTo, turn, focusRow } = startEdges();
    scrollTo(500);
    state.isDrawing = true;
    scrollTo(0);
    focusRow(1);
    expect([turn(-40).defaultPrevented, told, meanwhile]).toEqual([true, [], [-40]]);
    state.isDrawing = false;
    expect(turn(40).defaultPrevented).toBe(false);
  });

  it('are told nobody any more in the end', () => {
    const { edges, told, listeners, scrollTo, turn } = startEdges();
    edges.dispose();
    scrollTo(0);
    turn(-100);
    expect([told, listeners.size]).toEqual([[], 0]);
  });
});
