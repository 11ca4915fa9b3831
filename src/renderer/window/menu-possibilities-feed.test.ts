// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { MenuPossibilities } from '../../shared/menu-items.ts';
import type { WindowCommand } from '../../shared/window-commands.ts';
import { MenuPossibilitiesFeed } from './menu-possibilities-feed.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

it('tells what cannot be done once for many changes, and nothing that is known', async () => {
  const impossible = new Set<WindowCommand>(['close-tab']);
  const tell = vi.fn<(possibilities: MenuPossibilities) => Promise<null>>(() => Promise.resolve(null));
  const feed = new MenuPossibilitiesFeed({ page: window, isAvailable: (command) => !impossible.has(command), tell });
  feed.changed();
  feed.changed();
  expect(tell).not.toHaveBeenCalled();
  await vi.runAllTimersAsync();
  feed.changed();
  await vi.runAllTimersAsync();
  expect(tell.mock.calls).toEqual([[{ impossible: ['close-tab'], isTextField: false }]]);

  impossible.clear();
  feed.changed();
  await vi.runAllTimersAsync();
  expect(tell.mock.lastCall).toEqual([{ impossible: [], isTextField: false }]);
});

it('tells whether a text field has the keyboard; a terminal’s is none', async () => {
  const tell = vi.fn<(possibilities: MenuPossibilities) => Promise<null>>(() => Promise.resolve(null));
  new MenuPossibilitiesFeed({ page: window, isAvailable: () => true, tell }).changed();
  const field = document.createElement('input');
  const terminal = document.createElement('textarea');
  terminal.className = 'xterm-helper-textarea';
  document.body.append(field, terminal);
  field.focus();
  await vi.runAllTimersAsync();
  expect(tell.mock.lastCall).toEqual([{ impossible: [], isTextField: true }]);
  terminal.focus();
  await vi.runAllTimersAsync();
  expect(tell.mock.lastCall).toEqual([{ impossible: [], isTextField: false }]);
});
