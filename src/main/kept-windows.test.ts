import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeptWindows, NOTHING_KEPT, type KeptEntry } from './kept-windows.ts';

const ARRANGED: KeptEntry = {
  bounds: { x: 10, y: 20, width: 1_000, height: 700 },
  isMaximized: false,
  page: {
    root: {
      kind: 'split',
      direction: 'row',
      parts: [
        { share: 0.3, node: { kind: 'group', tabs: [{ id: 's1', startedAtMs: 1 }], shown: 's1', isActive: true } },
        { share: 0.7, node: { kind: 'group', tabs: [], shown: null, isActive: false } },
      ],
    },
    panels: { sessions: { isOpen: true, width: 300 }, timeline: { isOpen: false, width: 280 } },
  },
};

describe('the file of the windows', () => {
  let folder: string;
  let file: string;
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const keptWith = (...entries: KeptEntry[]): KeptWindows => new KeptWindows({ file, log, entries: () => entries });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'shellscope-windows-'));
    file = join(folder, 'deep', 'windows.json');
    vi.clearAllMocks();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has again what was written', () => {
    const kept = keptWith(ARRANGED, NOTHING_KEPT);
    expect(kept.read()).toEqual([]);
    kept.changed();
    kept.flush();
    expect(keptWith().read()).toEqual([ARRANGED, NOTHING_KEPT]);
    expect(log.warn).not.toHaveBeenCalled();
  });

  it('is written once for many changes, and not without one', () => {
    vi.useFakeTimers();
    const entries = vi.fn(() => [ARRANGED]);
    const kept = new KeptWindows({ file, log, entries });
    kept.flush();
    kept.changed();
    kept.changed();
    vi.advanceTimersByTime(10_000);
    vi.useRealTimers();
    expect(entries).toHaveBeenCalledTimes(1);
  });

  it('is written at once for what was closed, once for all that was closed together', async () => {
    const entries = vi.fn(() => [ARRANGED]);
    const kept = new KeptWindows({ file, log, entries });
    kept.changed();
    kept.closed();
    kept.closed();
    expect(entries).not.toHaveBeenCalled();
    await new Promise(setImmediate);
    expect([kept.read(), entries.mock.calls.length]).toEqual([[ARRANGED], 1]);
    // What was to be written soon is written.
    kept.flush();
    expect(entries).toHaveBeenCalledTimes(1);
  });

  it('is written at once for what was opened, and together for what is opened soon after', async () => {
    const opened: KeptEntry[] = [];
    const entries = vi.fn(() => [...opened]);
    const kept = new KeptWindows({ file, log, entries });
    const open = (): void => {
      opened.push(ARRANGED);
      kept.opened();
    };
    open();
    expect(entries).not.toHaveBeenCalled();
    await new Promise(setImmediate);
    expect(kept.read()).toHaveLength(1);
    const began = performance.now();
    for (let count = 0; count < 500; count += 1) {
      open();
      await new Promise(setImmediate);
    }
    await vi.waitFor(() => expect(kept.read()).toHaveLength(501));
    // Not one for each: as many as fit into the time, 16 ms apart.
    expect(entries.mock.calls.length).toBeLessThanOrEqual(2 + (performance.now() - began) / 16);
  });

  it('is written for what was opened before a later time that was set for other changes', async () => {
    const kept = keptWith(ARRANGED);
    kept.changed();
    kept.opened();
    await new Promise(setImmediate);
    expect(kept.read()).toEqual([ARRANGED]);
  });

  it.each(['', '{', '7', '{"version":2,"windows":[]}', '{"version":1}'])('counts as none where it is %j', (text) => {
    const kept = keptWith(ARRANGED);
    kept.changed();
    kept.flush();
    writeFileSync(file, text);
    expect(kept.read()).toEqual([]);
    expect(log.warn).toHaveBeenCalledTimes(1);
    kept.changed();
    kept.flush();
    expect(kept.read()).toEqual([ARRANGED]);
  });

  it('gives of a broken entry what can be read, and the others whole', () => {
    const kept = keptWith(ARRANGED, ARRANGED);
    kept.changed();
    kept.flush();
    const text = readFileSync(file, 'utf8').replace('"share":0.3', '"share":-4');
    writeFileSync(file, text);
    expect(kept.read()).toEqual([{ ...ARRANGED, page: null }, ARRANGED]);
  });

  it('that cannot be written costs nothing but the arrangement', () => {
    writeFileSync(join(folder, 'deep'), 'in the way');
    const kept = keptWith(ARRANGED);
    kept.changed();
    kept.flush();
    expect(log.warn).toHaveBeenCalledTimes(1);
  });
});
