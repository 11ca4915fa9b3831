// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { ClearedSelection } from './cleared-selection.ts';

it('clears a selection that is drawn where there is none, by a later renderer as well, and leaves one that is there', async () => {
  const element = document.createElement('div');
  element.innerHTML = '<div class="xterm-screen"><div class="xterm-selection"></div></div>';
  const screen = element.querySelector('.xterm-screen');
  const drawn = (): Element | null => element.querySelector('.xterm-selection');
  document.body.append(element);
  const terminal = {
    element,
    hasSelection: vi.fn(() => true),
    clearSelection: vi.fn(() => drawn()?.replaceChildren()),
  };
  const kept = new ClearedSelection(terminal);
  drawn()?.append('a row');
  await Promise.resolve();
  expect(terminal.clearSelection).not.toHaveBeenCalled();
  terminal.hasSelection.mockReturnValue(false);
  drawn()?.append('the row again');
  await expect.poll(() => drawn()?.childNodes.length).toBe(0);
  screen?.replaceChildren(Object.assign(document.createElement('div'), { className: 'xterm-selection' }));
  await expect.poll(() => terminal.clearSelection.mock.calls.length).toBe(1);
  drawn()?.append('the row again');
  await expect.poll(() => drawn()?.childNodes.length).toBe(0);
  kept.dispose();
});
