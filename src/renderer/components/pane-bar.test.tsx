// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';

const session = exampleSession({ origin: CODEX, keyboard: 'agent' });
const held = { ...session, keyboard: 'person', timelineNumber: 3 } as const;

describe('the frame of an agent’s pane', () => {
  let drawn: DrawnWindow;
  const words = (): string | null | undefined => drawn.one('.holder-words')?.textContent;
  const hasButton = (name: string): boolean => drawn.buttons().includes(name);
  const commands = ['give-keyboard-back', 'fit-to-pane'] as const;

  beforeEach(async () => {
    drawn = await drawnWindow();
    await drawn.perform(() => drawn.host.put(session));
  });
  afterEach(() => drawn.end());

  it('says who holds the keyboard, and gives it back by its button', async () => {
    expect([words(), hasButton('Give it back')]).toEqual(['codex holds the keyboard', false]);
    await drawn.perform(() => drawn.host.put(held));
    expect(words()).toBe('You hold the keyboard');
    await drawn.perform(() => drawn.button('Give it back').click());
    expect(drawn.host.requests.handBackKeyboard.mock.calls).toEqual([['s1']]);
    await drawn.perform(() => drawn.host.put({ ...session, timelineNumber: 4 }));
    expect([words(), hasButton('Give it back')]).toEqual(['codex holds the keyboard', false]);
  });

  it('does the same by command, for which nothing else counts than what is', async () => {
    await drawn.perform(() => drawn.host.command('give-keyboard-back'));
    expect(drawn.host.requests.handBackKeyboard).not.toHaveBeenCalled();
    await drawn.perform(() => drawn.host.put(held));
    await drawn.perform(() => drawn.host.command('give-keyboard-back'));
    expect(drawn.host.requests.handBackKeyboard.mock.calls).toEqual([['s1']]);
  });

  it('leaves the keyboard in the strip when it was given back with Enter, so that the next key takes nothing', async () => {
    await drawn.perform(() => drawn.host.put(held));
    // What Enter on a button makes: a click without a count.
    await drawn.perform(() =>
      drawn.button('Give it back').dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 0 })),
    );
    expect(document.activeElement?.id).toBe('tab-s1');
  });

  it('tells quietly that the agent tried to type meanwhile', async () => {
    drawn.host.requests.sessionTimeline.mockResolvedValue([
      { number: 2, atMs: 1, by: { kind: 'person' }, act: { kind: 'took-keyboard' }, offset: 0 },
      { number: 3, atMs: 2, by: { kind: 'agent', client: 'codex' }, act: { kind: 'write-refused' }, offset: 0 },
    ]);
    await drawn.perform(() => drawn.host.put(held));
    expect(drawn.one('.refusal')?.textContent).toMatch(/^codex tried to type at .*; refused$/);
    await drawn.perform(() => drawn.host.put({ ...session, timelineNumber: 4 }));
    expect(drawn.one('.refusal')).toBeNull();
  });

  it('lets the person fit the terminal to the pane, until the keyboard is given back', async () => {
    const facts = () => [
      drawn.one('.size-words')?.textContent,
      drawn.one<HTMLElement>('.terminal-host')?.dataset['fitted'],
      drawn.one<HTMLElement>('.pane')?.dataset['fit'],
    ];
    expect(facts()).toEqual(['80×24 set by codex', undefined, 'fixed']);
    await drawn.perform(() => drawn.button('Fit to my pane').click());
    expect(document.activeElement?.tagName).toBe('TEXTAREA');
    await drawn.perform(() => drawn.host.put({ ...held, size: { cols: 120, rows: 40 } }));
    expect(facts()).toEqual(['120×40 set by you', 'true', 'fill']);
    expect(hasButton('Fit to my pane')).toBe(false);
    await drawn.perform(() => drawn.host.put({ ...session, timelineNumber: 5 }));
    expect(facts()).toEqual(['80×24 set by codex', 'false', 'fixed']);
  });

  it('says how much smaller than usual the terminal is drawn, at length and in short', async () => {
    const { id } = session;
    await drawn.perform(() => drawn.deck.scales.setState(new Map([[id, 0.7384]]), true));
    const sizes = [drawn.one('.size-words')?.textContent, drawn.one('.size-short')?.textContent];
    expect(sizes).toEqual(['80×24 set by codex · shown at 74%', '80×24 · 74%']);
    expect(drawn.one('.size-short')?.getAttribute('aria-hidden')).toBe('true');
    // Where a narrow pane has no room for it, it is seen here.
    expect(drawn.one('.status-bar .facts > li')?.textContent).toBe(sizes[0]);
    await drawn.perform(() => drawn.deck.scales.setState(new Map(), true));
    expect(drawn.one('.size-words')?.textContent).toBe('80×24 set by codex');
  });

  it('offers nothing of an ended session, nor of pipes', async () => {
    await drawn.perform(() => drawn.host.put({ ...held, ...ended(0) }));
    expect([words(), hasButton('Give it back'), hasButton('Fit to my pane')]).toEqual(['', false, false]);
    await drawn.perform(() => drawn.host.put({ ...session, backend: 'pipe', size: null }));
    for (const command of commands) {
      await drawn.perform(() => drawn.host.command(command));
    }
    expect([words(), drawn.one('.size-chip'), hasButton('Fit to my pane')]).toEqual([
      'No terminal: nothing can be typed here',
      null,
      false,
    ]);
    expect(drawn.host.requests.handBackKeyboard).not.toHaveBeenCalled();
  });

  it('is not drawn above a shell of the person’s own', async () => {
    await drawn.perform(() => drawn.host.remove('s1'));
    await drawn.perform(() => drawn.host.put(exampleSession()));
    expect(drawn.one('.pane-bar')).toBeNull();
  });
});
