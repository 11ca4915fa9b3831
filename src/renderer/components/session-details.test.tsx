// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { CODEX, exampleSession } from '../testing/example-session.ts';

describe('the details of the session in view', () => {
  let drawn: DrawnWindow;
  const panel = (): HTMLElement | null => drawn.one('#session-details');
  const terminal = (id: string): HTMLElement | null => drawn.one(`#panel-${id} textarea`);
  const command = () => drawn.perform(() => drawn.host.command('session-details'));
  const values = (name: string): (string | null)[] | undefined =>
    drawn
      .all('#session-details dt')
      .filter(({ textContent }) => textContent === name)
      .flatMap(({ parentElement }) => [...(parentElement?.querySelectorAll('dd') ?? [])])
      .map(({ textContent }) => textContent);

  beforeEach(async () => {
    drawn = await drawnWindow();
    await drawn.perform(() => drawn.host.put(exampleSession({ origin: CODEX, limits: { outputBytes: 1_000_000 } })));
    await drawn.perform(() => drawn.controller.select(exampleSession().id, 'to-pane'));
  });
  afterEach(() => drawn.end());

  it('open by their button and their command, take the keyboard, and give it back to where it was', async () => {
    const opener = drawn.button('Details');
    expect(opener.getAttribute('aria-expanded')).toBe('false');
    opener.focus();
    await drawn.perform(() => opener.click());
    expect([opener.getAttribute('aria-expanded'), opener.getAttribute('aria-controls')]).toEqual(['true', panel()?.id]);
    expect(document.activeElement).toBe(panel());
    expect(values('Output')).toEqual(['0 B of 1 MB']);
    await drawn.press('Escape');
    expect([panel(), document.activeElement]).toEqual([null, opener]);

    terminal('s1')?.focus();
    await command();
    expect(document.activeElement).toBe(panel());
    await command();
    expect([panel(), document.activeElement]).toEqual([null, terminal('s1')]);
    await command();
    // A click leaves the keyboard where it is, which is what goes.
    await drawn.perform(() => opener.click());
    expect([panel(), document.activeElement]).toEqual([null, terminal('s1')]);
  });

  it('are those of the session that comes into view, and never take the keyboard by what an agent does', async () => {
    await command();
    await drawn.perform(() => drawn.host.put(exampleSession({ id: 's2', argv: ['htop'], origin: CODEX })));
    await drawn.perform(() => drawn.controller.select(exampleSession({ id: 's2' }).id, 'to-pane'));
    expect(values('Command')).toEqual(['htop']);
    expect(document.activeElement).toBe(terminal('s2'));
    await drawn.perform(() => drawn.host.remove('s1'));
    await drawn.perform(() => drawn.host.remove('s2'));
    expect([panel(), drawn.buttons()]).toEqual([null, expect.not.arrayContaining(['Details'])]);
    const place = document.activeElement;
    await drawn.perform(() => drawn.host.put(exampleSession({ id: 's3', origin: CODEX })));
    expect([panel(), drawn.button('Details').getAttribute('aria-expanded')]).toEqual([null, 'false']);
    expect([place, document.body]).toContain(document.activeElement);
  });

  it('and the other panels take each other’s place', async () => {
    await drawn.perform(() => drawn.host.command('toggle-environment'));
    await command();
    expect([drawn.one('#environment-panel'), panel() === null]).toEqual([null, false]);
    await drawn.perform(() => drawn.host.command('settings'));
    expect([panel(), drawn.one('#settings-sheet') === null]).toEqual([null, false]);
    await command();
    expect([drawn.one('#settings-sheet'), panel() === null]).toEqual([null, false]);
  });
});
