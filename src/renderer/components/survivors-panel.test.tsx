// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionSurvivors } from '../../shared/session-facts.ts';
import type { SessionId } from '../../shared/session.ts';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';

const left = exampleSession({ argv: ['bash', '-lc', 'npm start'], origin: CODEX, ...ended(0), treeEmpty: false });
const survivors: readonly SessionSurvivors[] = [
  {
    session: 's1' as SessionId,
    processes: [
      {
        pid: 77,
        command: 'node server.js',
        ageMs: 185_000,
        residentBytes: 61_000_000,
        listening: [
          { protocol: 'tcp', address: '::1', port: 5173 },
          { protocol: 'udp', address: '0.0.0.0', port: 53 },
        ],
      },
      { pid: 78, command: null, ageMs: null, residentBytes: null, listening: null },
    ],
  },
];

describe('the survivors', () => {
  let drawn: DrawnWindow;
  const panel = (): HTMLElement | null => drawn.one('#survivors-panel');
  const rows = (): string[] => drawn.all('#survivors-panel li').map((row) => row.textContent);

  beforeEach(async () => {
    drawn = await drawnWindow();
    drawn.host.requests.listSurvivors.mockResolvedValue(survivors);
    await drawn.perform(() => drawn.host.put(left));
  });
  afterEach(() => drawn.end());

  it('are told of in the status bar and beneath the pane, and asked for only when somebody looks', async () => {
    expect(drawn.buttons()).toContain('Show what runs');
    expect(drawn.host.requests.listSurvivors).not.toHaveBeenCalled();
    await drawn.perform(() => drawn.button('1 left running').click());
    expect(document.activeElement).toBe(panel());
    expect(rows()).toEqual([
      'node server.jspid 77 · for 3 min 5 s · 61.0 MB · listens on [::1]:5173 · listens on 0.0.0.0:53 (UDP)Keep runningStop',
      'process 78pid 78Keep runningStop',
    ]);
    expect(panel()?.querySelector('[role=status]')?.textContent).toBe('2 processes still run.');
    await drawn.press('Escape');
    expect([panel(), document.activeElement]).toEqual([null, drawn.one('#panel-s1 textarea')]);
  });

  it('are stopped session by session, and the focus stays in the panel', async () => {
    await drawn.perform(() => drawn.host.command('toggle-survivors'));
    drawn.host.requests.listSurvivors.mockResolvedValue([]);
    await drawn.perform(() => drawn.button('Stop all that is left of npm start').click());
    expect(drawn.host.requests.terminateSession.mock.calls).toEqual([['s1']]);
    expect([rows(), document.activeElement]).toEqual([[], panel()]);
    expect(panel()?.textContent).toContain('Nothing outlived its session.');
    await drawn.perform(() => drawn.host.put({ ...left, treeEmpty: true }));
    expect(drawn.one('.status-button')).toBeNull();
  });

  it('are kept one by one', async () => {
    await drawn.perform(() => drawn.host.command('toggle-survivors'));
    await drawn.perform(() => drawn.button('Keep running: node server.js').click());
    expect(drawn.host.requests.adoptSurvivor.mock.calls).toEqual([['s1', 77]]);
    expect(drawn.host.requests.listSurvivors).toHaveBeenCalledTimes(2);
    drawn.host.requests.adoptSurvivor.mockResolvedValueOnce({ adopted: false });
    await drawn.perform(() => drawn.button('Keep running: process 78').click());
    drawn.host.requests.adoptSurvivor.mockRejectedValueOnce(new Error('It has a budget.'));
    await drawn.perform(() => drawn.button('Keep running: process 78').click());
    const notices = drawn.all('.notice > p').map((notice) => notice.textContent);
    expect(notices).toEqual(['Process 78 had ended already.', 'Process 78 is not kept. It has a budget.']);
  });

  it('are stopped one by one, while the others run on', async () => {
    await drawn.perform(() => drawn.host.command('toggle-survivors'));
    await drawn.perform(() => drawn.button('Stop only: node server.js').click());
    expect(drawn.host.requests.stopSurvivor.mock.calls).toEqual([['s1', 77]]);
    expect(drawn.host.requests.terminateSession).not.toHaveBeenCalled();
    expect(drawn.host.requests.listSurvivors).toHaveBeenCalledTimes(2);
    expect(document.activeElement).toBe(panel());
    drawn.host.requests.stopSurvivor.mockResolvedValueOnce({ stopped: false });
    await drawn.perform(() => drawn.button('Stop only: process 78').click());
    drawn.host.requests.stopSurvivor.mockRejectedValueOnce(new Error('It may not be signalled.'));
    await drawn.perform(() => drawn.button('Stop only: process 78').click());
    const notices = drawn.all('.notice > p').map((notice) => notice.textContent);
    expect(notices).toEqual(['Process 78 had ended already.', 'Process 78 was not stopped. It may not be signalled.']);
  });

  it('are not ended by closing their session before the person has said so', async () => {
    await drawn.perform(() => drawn.button('Close').click());
    expect(drawn.one('[role=alertdialog]')?.textContent).toContain(
      'Something that npm start started is still running. Closing ends it.',
    );
    expect(drawn.host.requests.closeSession).not.toHaveBeenCalled();
    await drawn.press('Escape');
    expect(drawn.one('[role=alertdialog]')).toBeNull();
    await drawn.perform(() => drawn.button('Close').click());
    await drawn.perform(() => drawn.button('End and close').click());
    expect(drawn.host.requests.closeSession.mock.calls).toEqual([['s1']]);
  });

  it('and the guide to connecting take each other’s place', async () => {
    await drawn.perform(() => drawn.host.command('toggle-survivors'));
    await drawn.perform(() => drawn.button('Connect an agent').click());
    expect([panel(), drawn.one('#connect-panel') === null]).toEqual([null, false]);
    await drawn.perform(() => drawn.button('Show what runs').click());
    expect([panel() === null, drawn.one('#connect-panel')]).toEqual([false, null]);
  });
});
