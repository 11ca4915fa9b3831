import { describe, expect, it, vi } from 'vitest';
import type { SessionId } from '../shared/session.ts';
import { createWindowApi, type Ipc } from './window-api.ts';

const LINUX = { argv: [], platform: 'linux' };

function fakeIpc(answer: unknown): Ipc & { invoke: ReturnType<typeof vi.fn<Ipc['invoke']>> } {
  return { invoke: vi.fn<Ipc['invoke']>(() => Promise.resolve(answer)), on: () => () => undefined };
}

describe('the window API', () => {
  it('sends each request on the channel of its own, with the arguments in order', async () => {
    const ipc = fakeIpc({ ok: true, value: null });
    const api = createWindowApi(ipc, LINUX);
    const id = 's1' as SessionId;
    await api.listSessions();
    await api.openShell({ cols: 80, rows: 24 }, id);
    await api.terminateSession(id);
    await api.closeSession(id);
    await api.answerAttention(id, 'attention-1', 'declined');
    await api.handBackKeyboard(id);
    await api.sessionTimeline(id);
    await api.recentActs();
    await api.runAgain(id, { cols: 80, rows: 24 });
    await api.closeEndedSessions();
    await api.sessionUsage();
    await api.listSurvivors();
    await api.adoptSurvivor(id, 7);
    await api.stopSurvivor(id, 8);
    await api.attachSession(id, 'nonce-1234');
    await api.describeConnection();
    await api.readSettings();
    await api.changeSetting('terminal.fontSize', 15);
    await api.resetSetting(null);
    await api.openSettingsFile();
    await api.ringBell();
    await api.writeClipboard('text');
    await api.openLink('https://example.org');
    expect(ipc.invoke.mock.calls).toEqual([
      ['sessions/list'],
      ['sessions/open-shell', { cols: 80, rows: 24 }, 's1'],
      ['sessions/terminate', 's1'],
      ['sessions/close', 's1'],
      ['sessions/answer-attention', 's1', 'attention-1', 'declined'],
      ['sessions/hand-back-keyboard', 's1'],
      ['sessions/timeline', 's1'],
      ['sessions/recent-acts'],
      ['sessions/run-again', 's1', { cols: 80, rows: 24 }],
      ['sessions/close-ended'],
      ['sessions/usage'],
      ['sessions/survivors'],
      ['sessions/adopt', 's1', 7],
      ['sessions/stop-survivor', 's1', 8],
      ['sessions/attach', 's1', 'nonce-1234'],
      ['connection/describe'],
      ['settings/read'],
      ['settings/change', 'terminal.fontSize', 15],
      ['settings/reset', null],
      ['settings/open-file'],
      ['bell/ring'],
      ['clipboard/write', 'text'],
      ['links/open', 'https://example.org'],
    ]);
  });

  it('answers the value of a reply', async () => {
    const api = createWindowApi(fakeIpc({ ok: true, value: { revision: 3, sessions: [] } }), LINUX);
    await expect(api.listSessions()).resolves.toEqual({ revision: 3, sessions: [] });
  });

  it('rejects with plain data when the host refuses, since the bridge strips an Error down to its message', async () => {
    const api = createWindowApi(fakeIpc({ ok: false, code: 'session-not-found', message: 'No such session.' }), LINUX);
    await expect(api.closeSession('s1' as SessionId)).rejects.toStrictEqual({
      code: 'session-not-found',
      message: 'No such session.',
    });
  });

  it.each([
    '',
    "Error invoking remote method 'sessions/list': ",
    "Error invoking remote method 'sessions/list': Error: ",
  ])('says why, and last which request got no answer, when main fails to give one: after %j', async (wrapping) => {
    const ipc: Ipc = { invoke: () => Promise.reject(new Error(`${wrapping}no handler`)), on: () => () => undefined };
    await expect(createWindowApi(ipc, LINUX).listSessions()).rejects.toStrictEqual({
      code: 'no-answer',
      message: 'Shellscope gave no answer: no handler (sessions/list)',
    });
  });

  it('hands events on until the listener is taken off', () => {
    const listeners = new Map<string, (payload: unknown) => void>();
    const ipc: Ipc = {
      invoke: () => Promise.resolve(null),
      on(channel, listener) {
        listeners.set(channel, listener);
        return () => listeners.delete(channel);
      },
    };
    const seen: unknown[] = [];
    const stop = createWindowApi(ipc, LINUX).onCommand((command) => seen.push(command));
    listeners.get('window/command')?.('new-shell');
    stop();
    expect(seen).toEqual(['new-shell']);
    expect(listeners.size).toBe(0);
  });

  it('knows that it was started for tests only by the argument that main adds', () => {
    const started = (argv: string[]): boolean => createWindowApi(fakeIpc(null), { ...LINUX, argv }).startedForTests;
    expect(started(['electron', '--shellscope-test'])).toBe(true);
    expect(started(['electron', '--shellscope-testing'])).toBe(false);
  });

  it('refuses a platform that the window is not built for', () => {
    expect(() => createWindowApi(fakeIpc(null), { argv: [], platform: 'aix' })).toThrow(/aix/);
  });
});
