// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';

const npmTest = exampleSession({ id: 's1', argv: ['bash', '-lc', 'npm test'], origin: CODEX });
const shell = exampleSession({ id: 's2', startedAtMs: 2_000 });
const failed = exampleSession({ id: 's3', startedAtMs: 3_000, argv: ['lint'], origin: CODEX, ...ended(1) });

describe('the list of sessions', () => {
  let drawn: DrawnWindow;
  const rows = (): string[] => drawn.all('[role=treeitem]').map((row) => row.textContent);
  const tree = (): HTMLElement | null => drawn.one<HTMLElement>('[role=tree]');
  const active = (): string | undefined =>
    document.getElementById(tree()?.getAttribute('aria-activedescendant') ?? '')?.textContent;
  const look = async (text: string): Promise<void> => {
    const box = drawn.one<HTMLInputElement>('[type=search]');
    await drawn.perform(() => {
      // React listens to what the browser's own setter is called with.
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(box, text);
      box?.dispatchEvent(new Event('input', { bubbles: true }));
    });
  };

  beforeEach(async () => {
    // A page without layout has no room for rows otherwise.
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(256);
    drawn = await drawnWindow();
    for (const session of [npmTest, shell, failed]) {
      await drawn.perform(() => drawn.host.put(session));
    }
    await drawn.perform(() => drawn.host.command('toggle-sessions'));
  });
  afterEach(() => drawn.end());

  it('shows the sessions by client, ended ones below, each with its state in words', () => {
    expect(rows()).toEqual([
      'codex (1)',
      'npm test running',
      'you (1)',
      'zsh running',
      'ended (1)',
      'lint exited 1 · codex, not looked at yet',
    ]);
    expect(drawn.all('[role=treeitem]').map((row) => row.getAttribute('aria-level'))).toEqual([
      '1',
      '2',
      '1',
      '2',
      '1',
      '2',
    ]);
    expect(drawn.one('[aria-selected=true][role=treeitem]')?.textContent).toBe('npm test running');
  });

  it('is gone through with the arrows, and opens with Enter what they are at', async () => {
    await drawn.perform(() => tree()?.focus());
    expect(active()).toBe('npm test running');
    await drawn.press('ArrowDown');
    await drawn.press('ArrowDown');
    expect(active()).toBe('zsh running');
    await drawn.press('ArrowLeft');
    expect(active()).toBe('you (1)');
    await drawn.press('ArrowLeft');
    expect(rows()).not.toContain('zsh running');
    await drawn.press('ArrowRight');
    await drawn.press('ArrowRight');
    await drawn.press('Enter');
    expect(document.activeElement).toBe(drawn.one('#panel-s2 textarea'));
  });

  it('gives the keyboard to the pane of a clicked session, and closes an ended one with Delete', async () => {
    await drawn.perform(() => drawn.all<HTMLElement>('[role=treeitem]')[5]?.click());
    expect(document.activeElement).toBe(drawn.one('#panel-s3 textarea'));
    expect(rows().at(-1)).toBe('lint exited 1 · codex');
    await drawn.perform(() => tree()?.focus());
    await drawn.press('Delete');
    expect(rows()).not.toContain('ended (1)');
  });

  it('is filtered by words, counts what it shows, and forgets the words with Escape', async () => {
    await look('codex exited');
    expect([rows(), drawn.one('.session-filter [role=status]')?.textContent]).toEqual([
      ['ended (1)', 'lint exited 1 · codex, not looked at yet'],
      '1 of 3',
    ]);
    await look('nothing like it');
    expect(drawn.one('[data-panel=sessions]')?.textContent).toContain('No session matches.');
    await drawn.perform(() => drawn.one<HTMLElement>('[type=search]')?.focus());
    await drawn.press('Escape');
    expect([rows().length, drawn.one<HTMLInputElement>('[type=search]')?.value]).toEqual([6, '']);
    await drawn.press('Escape');
    expect(document.activeElement).toBe(drawn.one('#panel-s1 textarea'));
  });

  it('closes all that ended, but for those that something outlived', async () => {
    await drawn.perform(() => drawn.host.put({ ...shell, ...ended(0), treeEmpty: false }));
    await drawn.perform(() => drawn.button('Close all ended (2)').click());
    expect([...drawn.host.sessions.keys()]).toEqual(['s1', 's2']);
    expect(drawn.one('.notices')?.textContent).toContain('One ended session stays: what it started still runs.');
  });

  it('tells what a running session uses, as the status bar does', async () => {
    const used = { processes: 1, cpuMs: 0, lifetimeMs: 0, idleMs: 0 };
    drawn.host.requests.sessionUsage.mockResolvedValue([
      { ...used, id: 's1' as SessionId, cpuPercent: 4.4, residentBytes: 61_000_000 },
      { ...used, id: 's2' as SessionId, cpuPercent: null, residentBytes: 4_000_000 },
    ]);
    await drawn.perform(() => drawn.host.command('toggle-sessions'));
    await drawn.end();
    drawn = await drawnWindow(drawn.host);
    await drawn.perform(() => drawn.host.command('toggle-sessions'));
    expect(rows()).toContain('npm test running · CPU 4% · 61.0 MB');
    expect(rows()).toContain('zsh running · 4.0 MB');
    expect(drawn.one('.facts')?.textContent).toContain('4.0 MB');
  });
});
