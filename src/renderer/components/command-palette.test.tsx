// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { ended, exampleSession } from '../testing/example-session.ts';

describe('the command palette', () => {
  let drawn: DrawnWindow;
  const palette = (): HTMLElement | null => drawn.one('.palette');
  const options = (): string[] => drawn.all('[role=option]').map((option) => option.textContent);
  const active = (): string | undefined =>
    document.getElementById(drawn.one('[role=combobox]')?.getAttribute('aria-activedescendant') ?? '')?.textContent;
  const terminal = (id: string): HTMLElement | null => drawn.one(`#panel-${id} textarea`);
  const open = (): Promise<void> => drawn.perform(() => drawn.host.command('palette'));

  beforeEach(async () => {
    // A page without layout gives the list no height, and so it would have no rows.
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(2_000);
    drawn = await drawnWindow();
    await drawn.perform(() => drawn.host.put(exampleSession()));
    await drawn.perform(() =>
      drawn.host.put(exampleSession({ id: 's2', argv: ['lint'], startedAtMs: 2_000, ...ended(1) })),
    );
    await drawn.perform(() => drawn.one<HTMLElement>('#tab-s1')?.click());
  });
  afterEach(async () => {
    await drawn.end();
    vi.restoreAllMocks();
  });

  it('has the keyboard while it is open, and gives it back where it was', async () => {
    expect(document.activeElement).toBe(terminal('s1'));
    await open();
    expect(document.activeElement).toBe(drawn.one('[role=combobox]'));
    await drawn.press('Escape');
    expect([palette(), document.activeElement]).toEqual([null, terminal('s1')]);
  });

  it('shows each action with its key, and runs it with Enter', async () => {
    await open();
    expect(options()[0]).toBe('New Shell Ctrl+Shift+T');
    expect(active()).toBe(options()[0]);
    const timeline = options().findIndex((option) => option.startsWith('Timeline'));
    for (let step = 0; step < timeline; step += 1) {
      await drawn.press('ArrowDown');
    }
    expect(active()).toBe('Timeline Ctrl+Shift+Y');
    await drawn.press('Enter');
    expect([palette(), drawn.one('[data-panel=timeline]') === null]).toEqual([null, false]);
    expect(document.activeElement).toBe(terminal('s1'));
  });

  it('goes around its ends, and to a session that is clicked', async () => {
    await open();
    await drawn.press('ArrowUp');
    expect(active()).toBe('Go to lint, you, exited 1');
    await drawn.press('ArrowDown');
    expect(active()).toBe(options()[0]);
    await drawn.perform(() => drawn.all<HTMLElement>('[role=option]').at(-1)?.click());
    expect([palette(), document.activeElement]).toEqual([null, terminal('s2')]);
  });

  it('goes when the person goes elsewhere', async () => {
    await open();
    await drawn.perform(() => drawn.one<HTMLElement>('#tab-s1')?.focus());
    expect([palette(), document.activeElement?.id]).toEqual([null, 'tab-s1']);
  });
});
