import { describe, expect, it } from 'vitest';
import { WindowVisibility } from './window-visibility.ts';

function startVisibility() {
  const changes: boolean[] = [];
  const state: { visibilityState: DocumentVisibilityState } = { visibilityState: 'visible' };
  const page = Object.assign(new EventTarget(), state);
  const visibility = new WindowVisibility(page, (isVisible) => changes.push(isVisible));
  const setPage = (state: DocumentVisibilityState): void => {
    page.visibilityState = state;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  return { visibility, changes, setPage };
}

describe('a window', () => {
  it('is seen while neither its page nor the app says otherwise, and each change is told once', () => {
    const { visibility, changes, setPage } = startVisibility();
    expect(visibility.isVisible).toBe(true);
    visibility.setShown(false);
    setPage('hidden');
    visibility.setShown(true);
    expect([visibility.isVisible, changes]).toEqual([false, [false]]);
    setPage('visible');
    expect([visibility.isVisible, changes]).toEqual([true, [false, true]]);
  });

  it('is not seen when it is minimised, though its page takes itself for visible', () => {
    const { visibility, changes } = startVisibility();
    visibility.setShown(false);
    visibility.setShown(false);
    expect([visibility.isVisible, changes]).toEqual([false, [false]]);
  });
});
