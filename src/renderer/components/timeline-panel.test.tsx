// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';
import { clockText } from '../text/timeline-text.ts';

const session = exampleSession({
  argv: ['bash', '-lc', 'npm test'],
  origin: CODEX,
  keyboard: 'agent',
  outputBytes: 4_000,
});
const codex = { kind: 'agent', client: 'codex' } as const;
const STARTED: TimelineEntry = {
  number: 1,
  atMs: 1_000,
  by: codex,
  act: { kind: 'started', callId: 'call_1', threadId: null },
  offset: 0,
};
const READ: TimelineEntry = {
  number: 2,
  atMs: 2_000,
  by: codex,
  act: { kind: 'read', times: 3, bytes: 2_100 },
  offset: 2_100,
};
const entries: readonly TimelineEntry[] = [
  STARTED,
  READ,
  { number: 3, atMs: 3_000, by: { kind: 'person' }, act: { kind: 'took-keyboard' }, offset: 4_000 },
];

describe('the timeline', () => {
  let drawn: DrawnWindow;
  const rows = (): string[] => drawn.all('.timeline-entry').map((row) => row.textContent);
  const place = (): string | undefined => drawn.one<HTMLElement>('.terminal-host')?.dataset['place'];
  const note = (): string | null | undefined => drawn.one('.side-panel-note')?.textContent;

  beforeEach(async () => {
    drawn = await drawnWindow();
    drawn.host.requests.sessionTimeline.mockResolvedValue(entries);
    await drawn.perform(() => drawn.host.put(session));
  });
  afterEach(() => drawn.end());

  it('is asked for only while it is open, and opens and closes by button, key and menu', async () => {
    expect(drawn.host.requests.sessionTimeline).not.toHaveBeenCalled();
    await drawn.perform(() => drawn.button('Timeline').click());
    expect(drawn.button('Timeline').getAttribute('aria-expanded')).toBe('true');
    expect(drawn.host.requests.sessionTimeline.mock.calls).toEqual([['s1']]);
    await drawn.perform(() => drawn.button('Close timeline').click());
    expect(drawn.one('[data-panel=timeline]')).toBeNull();
    expect(document.activeElement).toBe(drawn.one('#panel-s1 textarea'));
    await drawn.perform(() => drawn.host.command('toggle-timeline'));
    expect(drawn.one('[data-panel=timeline]')).not.toBeNull();
  });

  it('says in words what was done, by whom and when, with the call as detail', async () => {
    await drawn.perform(() => drawn.host.command('toggle-timeline'));
    expect(rows()).toEqual([
      `${clockText(1_000)} codex ran npm test call_1`,
      `${clockText(2_000)} codex read 2.1 kB (3 times)`,
      `${clockText(3_000)} you took the keyboard`,
    ]);
  });

  it('is asked for again when something happened', async () => {
    await drawn.perform(() => drawn.host.command('toggle-timeline'));
    drawn.host.requests.sessionTimeline.mockResolvedValue(entries.slice(0, 1));
    await drawn.perform(() => drawn.host.put({ ...session, timelineNumber: 4, ...ended(0) }));
    expect(rows()).toHaveLength(1);
  });

  it('goes with a click to that place in the pane, and says when that is gone', async () => {
    await drawn.perform(() => drawn.host.command('toggle-timeline'));
    await drawn.perform(() => drawn.all<HTMLElement>('.timeline-entry')[1]?.click());
    expect([place(), note()]).toEqual(['2100', '']);
    await drawn.perform(() => drawn.all<HTMLElement>('.timeline-entry')[0]?.click());
    expect([place(), note()]).toEqual(['0', 'That output is no longer kept.']);
  });

  it('is one stop in the tab order, gone through with the arrows, and left with Escape', async () => {
    await drawn.perform(() => drawn.host.command('toggle-timeline'));
    const stops = (): string[] =>
      rows().filter((_, index) => drawn.all<HTMLElement>('.timeline-entry')[index]?.tabIndex === 0);
    expect(stops()).toEqual(rows().slice(-1));
    await drawn.perform(() => drawn.all<HTMLElement>('.timeline-entry')[2]?.focus());
    await drawn.press('ArrowUp');
    expect(stops()).toEqual(rows().slice(1, 2));
    await drawn.press('Home');
    await drawn.press('ArrowUp');
    expect(document.activeElement?.textContent).toBe(rows()[0]);
    await drawn.press('Escape');
    expect(document.activeElement).toBe(drawn.one('#panel-s1 textarea'));
  });

  it('leaves the keyboard to the pane when its key closes it from inside, and else where it is', async () => {
    await drawn.perform(() => document.getElementById('tab-s1')?.focus());
    await drawn.perform(() => drawn.host.command('toggle-timeline'));
    expect(document.activeElement?.id).toBe('tab-s1');
    await drawn.perform(() => drawn.all<HTMLElement>('.timeline-entry')[2]?.focus());
    await drawn.perform(() => drawn.host.command('toggle-timeline'));
    expect(document.activeElement).toBe(drawn.one('#panel-s1 textarea'));
  });

  it('of all sessions is on one clock, names each, and leads to the pane of any', async () => {
    const other = exampleSession({ id: 's2', argv: ['make'], origin: CODEX, outputBytes: 4_000 });
    await drawn.perform(() => drawn.host.put(other));
    await drawn.perform(() => drawn.host.put({ ...session, title: 'checks' }));
    const gone = 's9' as SessionId;
    drawn.host.requests.recentActs.mockResolvedValue([
      { session: session.id, entry: { ...STARTED, atMs: 1_000 } },
      { session: gone, entry: { ...STARTED, atMs: 1_500 } },
      { session: other.id, entry: { ...STARTED, atMs: 2_000 } },
      { session: session.id, entry: { ...READ, atMs: 3_000 } },
      { session: other.id, entry: { ...READ, atMs: 4_000 } },
    ]);
    await drawn.perform(() => drawn.host.command('timeline-of-all'));
    expect(drawn.button('All sessions').getAttribute('aria-pressed')).toBe('true');
    expect(rows()).toEqual([
      // What was run, whatever the session is called.
      `${clockText(1_000)} codex ran npm test checks call_1`,
      `${clockText(2_000)} codex ran make call_1`,
      `${clockText(3_000)} codex read 2.1 kB (3 times) checks`,
      `${clockText(4_000)} codex read 2.1 kB (3 times) make`,
    ]);
    await drawn.perform(() => drawn.all<HTMLElement>('.timeline-entry')[3]?.click());
    expect(drawn.one<HTMLElement>('#panel-s2 .terminal-host')?.dataset['place']).toBe('2100');
    expect([document.getElementById('tab-s2')?.getAttribute('aria-selected'), note()]).toEqual(['true', '']);

    await drawn.perform(() => drawn.button('All sessions').click());
    expect(drawn.host.requests.sessionTimeline.mock.lastCall).toEqual(['s2']);
    expect(drawn.button('All sessions').getAttribute('aria-pressed')).toBe('false');
    await drawn.perform(() => drawn.host.command('toggle-timeline'));
    await drawn.perform(() => drawn.host.command('timeline-of-all'));
    expect(rows()).toHaveLength(4);
    await drawn.perform(() => drawn.host.command('timeline-of-all'));
    expect(drawn.button('All sessions').getAttribute('aria-pressed')).toBe('false');
  });

  it('leads to the pane alone where the session printed nothing, and of two clicks to the place of the last', async () => {
    const silent = exampleSession({ id: 's2', argv: ['sleep', '9'], origin: CODEX, outputBytes: 0 });
    await drawn.perform(() => drawn.host.put(silent));
    drawn.host.requests.recentActs.mockResolvedValue([
      { session: silent.id, entry: STARTED },
      { session: session.id, entry: STARTED },
      { session: session.id, entry: READ },
    ]);
    await drawn.perform(() => drawn.host.command('timeline-of-all'));
    await drawn.perform(() => drawn.all<HTMLElement>('.timeline-entry')[1]?.click());
    expect(note()).toBe('That output is no longer kept.');
    await drawn.perform(() => drawn.all<HTMLElement>('.timeline-entry')[0]?.click());
    expect(document.getElementById('tab-s2')?.getAttribute('aria-selected')).toBe('true');
    expect(note()).toBe('');
    await drawn.perform(() => {
      for (const row of drawn.all<HTMLElement>('.timeline-entry').slice(1)) {
        row.click();
      }
    });
    expect([place(), note()]).toEqual(['2100', '']);
  });

  it('keeps the keyboard when it turns to all sessions, and the act that has it when many come', async () => {
    const act = { kind: 'took-keyboard' } as const;
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        session: session.id,
        entry: { number: index, atMs: index, by: codex, act, offset: 0 },
      }));
    drawn.host.requests.recentActs.mockResolvedValue(many(210));
    await drawn.perform(() => drawn.host.command('toggle-timeline'));
    await drawn.perform(() => drawn.all<HTMLElement>('.timeline-entry')[1]?.focus());
    await drawn.perform(() => drawn.host.command('timeline-of-all'));
    expect(document.activeElement).toBe(drawn.button('All sessions'));
    expect(rows()).toHaveLength(200);
    await drawn.perform(() => drawn.all<HTMLElement>('.timeline-entry')[0]?.focus());
    drawn.host.requests.recentActs.mockResolvedValue(many(450));
    await drawn.perform(() => drawn.host.put({ ...session, timelineNumber: 450 }));
    expect(rows()).toHaveLength(440);
    expect(document.activeElement).toBe(drawn.all('.timeline-entry')[0]);
    await drawn.perform(() => document.getElementById('tab-s1')?.focus());
    expect(rows()).toHaveLength(200);
  });

  it('shows the newest two hundred, and the others on demand', async () => {
    const act = { kind: 'took-keyboard' } as const;
    const many = Array.from({ length: 230 }, (_, index) => ({ number: index, atMs: index, by: codex, act, offset: 0 }));
    drawn.host.requests.sessionTimeline.mockResolvedValue(many);
    await drawn.perform(() => drawn.host.command('toggle-timeline'));
    expect(rows()).toHaveLength(200);
    await drawn.perform(() => drawn.button('30 earlier acts').click());
    expect(rows()).toHaveLength(230);
  });
});
