import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import { dropAt, type DropTargets } from './drop-place.ts';

const tab = (id: string, x: number) => ({ id: id as SessionId, rectangle: { x, y: 0, width: 100, height: 40 } });
const targets: DropTargets = {
  strips: [{ group: 'group-1', rectangle: { x: 0, y: 0, width: 400, height: 40 }, tabs: [tab('a', 0), tab('b', 100)] }],
  panes: [{ group: 'group-1', rectangle: { x: 0, y: 40, width: 400, height: 400 } }],
};
const at = (x: number, y: number) => dropAt({ x, y }, targets);

describe('a tab that is dropped', () => {
  it('on a strip goes before the first tab whose middle it has not passed', () => {
    const place = (x: number) => at(x, 20)?.place;
    expect([place(40), place(60), place(390)]).toEqual([
      { kind: 'among', group: 'group-1', index: 0 },
      { kind: 'among', group: 'group-1', index: 1 },
      { kind: 'among', group: 'group-1', index: 2 },
    ]);
    expect(at(60, 20)?.mark).toEqual({ x: 99, y: 0, width: 2, height: 40 });
  });

  it('near an edge of a pane makes a new one there, and in its middle joins the others', () => {
    const side = (x: number, y: number) => {
      const place = at(x, y)?.place;
      return place?.kind === 'beside' ? place.side : place?.kind;
    };
    expect([side(20, 240), side(380, 240), side(200, 60), side(200, 430), side(200, 240)]).toEqual([
      'left',
      'right',
      'up',
      'down',
      'among',
    ]);
    expect(at(380, 240)?.mark).toEqual({ x: 200, y: 40, width: 200, height: 400 });
    expect(at(200, 430)?.mark).toEqual({ x: 0, y: 240, width: 400, height: 200 });
  });

  it('elsewhere goes nowhere', () => {
    expect(at(500, 100)).toBeNull();
  });
});
