// @vitest-environment happy-dom
import { act } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { exampleSession } from '../testing/example-session.ts';

describe('finding in the pane', () => {
  let drawn: DrawnWindow;
  const box = (): HTMLInputElement | null => drawn.one('.find-bar input');
  const count = (): string | null | undefined => drawn.one('.find-bar [role=status]')?.textContent;
  const look = (text: string): Promise<void> =>
    drawn.perform(() => {
      // React listens to what the browser's own setter is called with.
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(box(), text);
      box()?.dispatchEvent(new Event('input', { bubbles: true }));
    });

  beforeEach(async () => {
    drawn = await drawnWindow();
    await drawn.perform(() => drawn.host.put(exampleSession()));
    await drawn.perform(() => drawn.host.command('find'));
  });
  afterEach(() => drawn.end());

  it('has the keyboard, tells the count, and gives the keyboard back to the pane with Escape', async () => {
    expect([document.activeElement, count()]).toEqual([box(), '']);
    await look('error');
    expect(count()).toBe('2 of 2');
    await look('nothing');
    expect(count()).toBe('searching…');
    const { searchOutput } = drawn.host.requests;
    await act(() => vi.waitFor(() => expect(searchOutput).toHaveBeenCalled()));
    expect(count()).toBe('no match');
    await drawn.press('Escape');
    expect([box(), document.activeElement]).toEqual([null, drawn.one('#panel-s1 textarea')]);
  });

  it('takes the keyboard again when it is asked for again', async () => {
    await drawn.perform(() => drawn.one<HTMLElement>('#panel-s1 textarea')?.focus());
    await drawn.perform(() => drawn.host.command('find'));
    expect(document.activeElement).toBe(box());
  });

  it('closes by its button, and is of one session alone', async () => {
    await drawn.perform(() => drawn.button('Close find').click());
    expect(box()).toBeNull();
    await drawn.perform(() => drawn.host.command('find'));
    await drawn.perform(() => drawn.host.put(exampleSession({ id: 's2', startedAtMs: 2_000 })));
    expect(drawn.all('.find-bar')).toHaveLength(1);
    expect(drawn.one('#panel-s1 .find-bar')).not.toBeNull();
  });
});
