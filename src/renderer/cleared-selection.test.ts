import { afterEach, expect, it, vi } from 'vitest';
import { ClearedSelection } from './cleared-selection.ts';

afterEach(() => vi.unstubAllGlobals());

it('has the renderer forget a selection that is gone when its cells change, and leaves one that is there', () => {
  let resized = (): void => {};
  const observe = vi.fn();
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = observe;
      disconnect = vi.fn();
      constructor(listener: () => void) {
        resized = listener;
      }
    },
  );
  const screen = {};
  const element = { querySelector: () => screen } as unknown as HTMLElement;
  const terminal = { element, hasSelection: vi.fn(() => true), clearSelection: vi.fn() };
  const kept = new ClearedSelection(terminal);
  expect(observe).toHaveBeenCalledWith(screen);
  resized();
  expect(terminal.clearSelection).not.toHaveBeenCalled();
  terminal.hasSelection.mockReturnValue(false);
  resized();
  expect(terminal.clearSelection).toHaveBeenCalledOnce();
  kept.dispose();
});
