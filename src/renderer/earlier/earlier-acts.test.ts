import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { exampleSession } from '../testing/example-session.ts';
import type { WindowFocus } from '../window/window-focus.ts';
import type { WindowState } from '../window/window-state.ts';
import { EarlierActs } from './earlier-acts.ts';

describe('the keys of a view of earlier output', () => {
  it('step through, and leave, what is looked for in its own session', () => {
    const { id } = exampleSession({ id: 'other' });
    const told: unknown[] = [];
    const acts = new EarlierActs({
      earlier: { show: async () => 'shown', back: () => false, store: createStore(() => new Map()) },
      finder: {
        step: (...given) => void told.push(['step', ...given]),
        cameBack: (...given) => void told.push(['back', ...given]),
      },
      state: createStore<WindowState>(() => ({}) as WindowState),
      panels: { find: () => undefined },
      focus: { placeOf: () => null, toPane: () => undefined } as unknown as WindowFocus,
      notify: () => undefined,
    });
    acts.step(id, 'newer');
    acts.back(id);
    expect(told).toEqual([
      ['step', id, 'newer'],
      ['back', id],
    ]);
  });
});
