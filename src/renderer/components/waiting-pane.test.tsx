// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it } from 'vitest';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { exampleSession } from '../testing/example-session.ts';

let drawn: DrawnWindow;
beforeEach(async () => {
  drawn = await drawnWindow();
});
afterEach(() => drawn.end());

it('a ninth pane takes the keyboard from the terminal that had it, though it has no terminal of its own', async () => {
  for (let count = 1; count <= 9; count += 1) {
    drawn.host.nextShell = exampleSession({ id: `s${count}`, startedAtMs: count });
    await drawn.perform(() => drawn.host.command(count === 1 ? 'new-shell' : 'split-right'));
  }
  expect(drawn.one('.pane-waiting')?.closest('[role=tabpanel]')?.id).toBe('panel-s9');
  expect(document.activeElement).toBe(drawn.one('.pane-waiting'));
});
