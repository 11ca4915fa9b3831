import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { SettingsSnapshot } from '../../shared/settings.ts';
import { allTurns, FakeHost } from '../testing/fake-host.ts';
import { usualSettings } from '../testing/usual-settings.ts';
import { SettingsActs } from './settings-acts.ts';

async function start(over: Partial<SettingsSnapshot> = {}) {
  const host = new FakeHost();
  host.requests.readSettings.mockResolvedValue(usualSettings(over));
  const settings = createStore<SettingsSnapshot | null>(() => null);
  let notices: string[] = [];
  const acts = new SettingsActs({
    host: host.api,
    settings,
    notify: (sentence) => notices.push(sentence),
    withdraw: (sentence) => (notices = notices.filter((notice) => notice !== sentence)),
  });
  acts.follow();
  await acts.load();
  return { host, acts, settings, notices: () => notices };
}

describe('settings in the window', () => {
  it('tell what is wrong in the file once, and take it back when it is mended', async () => {
    const wrong = { path: 'terminal.fontSize', line: 3, why: 'must be a number' };
    const { host, notices } = await start();
    expect(notices()).toEqual([]);
    host.settle(usualSettings({ problems: [wrong] }));
    host.settle(usualSettings({ problems: [wrong], changed: ['terminal.bell'] }));
    expect(notices()).toEqual([
      'settings.json, line 3: terminal.fontSize must be a number. The previous value stays in effect; the file was not changed.',
    ]);
    host.settle(usualSettings());
    expect(notices()).toEqual([]);
  });

  it('answer why a value is refused, as a sentence', async () => {
    const { host, acts } = await start();
    await expect(acts.change('terminal.fontSize', 15)).resolves.toBeNull();
    host.requests.changeSetting.mockRejectedValue(new Error('it must be at least 6'));
    await expect(acts.change('terminal.fontSize', 1)).resolves.toBe('It must be at least 6.');
  });

  it.each([
    [100, 1, 110],
    [100, -1, 90],
    [104, 1, 110],
    [104, -1, 100],
  ] as const)('zoom from %i in direction %i to %i', async (now, direction, next) => {
    const { host, acts } = await start({ shown: { 'appearance.zoom': now } });
    acts.zoom(direction);
    await allTurns();
    expect(host.requests.changeSetting.mock.calls).toEqual([['appearance.zoom', next]]);
  });

  it('go on from the step before, though the host has not told of it yet', async () => {
    const { host, acts } = await start({ shown: { 'appearance.zoom': 110, 'terminal.fontSize': 13 } });
    acts.zoom(-1);
    acts.zoom(-1);
    acts.resizeFont(1);
    acts.resizeFont(1);
    await allTurns();
    expect(host.requests.changeSetting.mock.calls).toEqual([
      ['appearance.zoom', 100],
      ['appearance.zoom', 90],
      ['terminal.fontSize', 14],
      ['terminal.fontSize', 15],
    ]);
  });

  it('have ends: no zoom above the largest, no font above its bound', async () => {
    const { host, acts } = await start({ shown: { 'appearance.zoom': 300, 'terminal.fontSize': 40 } });
    acts.zoom(1);
    acts.resizeFont(1);
    await allTurns();
    expect(host.requests.changeSetting).not.toHaveBeenCalled();
    acts.resizeFont(-1);
    acts.zoom(0);
    await allTurns();
    expect(host.requests.changeSetting.mock.calls).toEqual([['terminal.fontSize', 39]]);
    expect(host.requests.resetSetting.mock.calls).toEqual([['appearance.zoom']]);
  });

  it('that cannot be had are told, and do not end the window', async () => {
    const { acts, host, notices } = await start();
    host.requests.readSettings.mockRejectedValue(new Error('Nobody answered.'));
    await acts.load();
    expect(notices()).toEqual(['The settings could not be loaded. Nobody answered.']);
  });
});
