import type { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { TerminalSize } from '../../shared/session.ts';
import { feed, headlessTerminal } from './headless-terminal.ts';
import type { RetainedOutput } from './query-responder.ts';
import { ScreenKeeper } from './screen-keeper.ts';
import { shownState } from './testing/shown-state.ts';

const SIZE: TerminalSize = { cols: 20, rows: 6 };
const CSI = '\u001B[';

const keepers: ScreenKeeper[] = [];
afterEach(() => {
  for (const keeper of keepers.splice(0)) {
    keeper.dispose();
  }
});

/** A session that retains so many bytes, with its keeper, and everything that was ever printed. */
function startSession(retainedBytes: number) {
  let all: RetainedOutput[] = [];
  let maxBytes = retainedBytes;
  let size = SIZE;
  const endOffset = (): number => {
    const last = all.at(-1);
    return last === undefined ? 0 : last.offset + last.bytes.length;
  };
  const startOffset = (): number => Math.max(0, endOffset() - maxBytes);
  const keeper = new ScreenKeeper({
    startOffset,
    endOffset,
    fullness: (from) => (endOffset() - from) / maxBytes,
    *lent(from) {
      for (const piece of all) {
        if (piece.offset + piece.bytes.length > Math.max(from, startOffset())) {
          yield piece;
        }
      }
    },
  });
  keepers.push(keeper);
  const print = (text: string): void => {
    const bytes = Buffer.from(text);
    all.push({ offset: endOffset(), bytes, size });
    keeper.printed(bytes.length);
  };
  const shownFrom = async (
    start: { readonly offset: number; readonly size: TerminalSize; readonly bytes: Uint8Array } | null,
  ): Promise<Terminal> => {
    const terminal = headlessTerminal({ size: start?.size ?? SIZE, scrollback: 50, convertEol: false });
    await feed(terminal, start?.bytes ?? '');
    for (const piece of all) {
      terminal.resize(
        ...(piece.offset + piece.bytes.length > (start?.offset ?? 0)
          ? ([piece.size.cols, piece.size.rows] as const)
          : ([terminal.cols, terminal.rows] as const)),
      );
      await feed(terminal, piece.bytes.subarray(Math.max(0, (start?.offset ?? 0) - piece.offset)));
    }
    return terminal;
  };
  return {
    keeper,
    print,
    resize: (to: TerminalSize) => (size = to),
    retain: (bytes: number) => {
      keeper.makeRoom(bytes);
      maxBytes = bytes;
    },
    forgetAll: () => (all = []),
    /** What a replay of the last bytes shows, and what was to be seen. */
    replayed: async (bytes: number) => {
      const start = await keeper.before(bytes);
      const [replay, seen] = [await shownFrom(start), await shownFrom(null)];
      const states = { offset: start?.offset ?? 0, replay: shownState(replay), seen: shownState(seen) };
      replay.dispose();
      seen.dispose();
      return states;
    },
  };
}

/** A frame that is drawn once, and a number in it that changes for ever. */
const FRAME = `${CSI}?1049h${CSI}?25l${CSI}H${CSI}44m  title  ${CSI}0m${CSI}6;1Hhelp`;
const count = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_number, index) => `${CSI}3;4H${CSI}32m${from + index}${CSI}0m`).join('');

// Megabytes are parsed twice: on a busy machine that takes its time.
describe('what a replay begins with', { timeout: 30_000 }, () => {
  it('is nothing where it begins with the first byte', async () => {
    const { keeper, print } = startSession(100_000);
    print('all of it');
    expect(await keeper.before(1_000)).toBeNull();
  });

  it('is a screen whose frame was drawn before, and whose modes were chosen before', async () => {
    const { print, replayed } = startSession(1_000_000);
    print(FRAME);
    print(count(0, 20_000));
    const { offset, replay, seen } = await replayed(1_000);
    expect(replay).toEqual(seen);
    expect(seen.rows.join('')).toContain('title');
    expect(offset).toBeGreaterThan(100_000);
  });

  it('goes on from where it was known, when all that was drawn before has left memory', async () => {
    const { print, keeper, replayed } = startSession(400_000);
    print(FRAME);
    for (let step = 0; step < 60; step += 1) {
      print(count(step * 1_000, (step + 1) * 1_000));
      await keeper.before(100_000);
    }
    const { offset, replay, seen } = await replayed(100_000);
    expect(replay).toEqual(seen);
    expect(offset).toBeGreaterThan(1_000_000);
  });

  it('is in the modes of what was skipped, when output left faster than it was parsed', async () => {
    const { print, replayed } = startSession(200_000);
    print(`${FRAME}${CSI}?1h${CSI}?1002;1006h`);
    for (let step = 0; step < 100; step += 1) {
      print(count(step * 1_000, (step + 1) * 1_000));
    }
    const { replay, seen } = await replayed(100_000);
    expect({ ...replay, rows: [] }).toEqual({ ...seen, rows: [] });
    expect(replay.rows[2]).toEqual(seen.rows[2]);
  });

  it('begins with a whole sequence after what was skipped, wherever the output was cut into pieces', async () => {
    const { print, replayed } = startSession(200_000);
    for (const [end, begin] of [
      ['\u001B', '[4;7H'],
      [`${CSI}4;`, '7H'],
    ] as const) {
      print(`${CSI}2J${end}`);
      for (let step = 0; step < 300; step += 1) {
        print(`${begin}step ${step} ${`${CSI}2;1H${'x'.repeat(8)}`.repeat(60)}${end}`);
      }
      print(`${begin}end`);
      const { replay, seen } = await replayed(100_000);
      expect(replay.rows).toEqual(seen.rows);
    }
  });

  it('is the last lines where text has scrolled everything away, in their modes and colours', async () => {
    const { print, keeper, replayed } = startSession(1_000_000);
    print(`${CSI}?2004h${CSI}?1h${CSI}35m`);
    for (let line = 0; line < 30_000; line += 300) {
      print(Array.from({ length: 300 }, (_line, number) => `line ${line + number}\r\n`).join(''));
    }
    const { replay, seen } = await replayed(10_000);
    expect(replay).toEqual(seen);
    expect(seen.rows[0]).toContain('<0;38;5;5>line');
    const start = await keeper.before(10_000);
    // As it was printed: nothing was drawn anew.
    expect(Buffer.from(start?.bytes ?? []).toString()).toMatch(/line \d+\r\nline \d+\r\n/);
  });

  const lines = (count: number): string =>
    Array.from({ length: count }, (_line, number) => `line ${number}\r\n`).join('');

  for (const [what, before, after] of [
    ['what stands above a scroll region', `${CSI}Htop${CSI}2;6r${CSI}6;1H`, 'top'],
    ['the other screen', `first${CSI}?1049h`, '999'],
  ] as const) {
    it(`has ${what}, whatever text goes by`, async () => {
      const { print, replayed } = startSession(1_000_000);
      print(before);
      for (let printed = 0; printed < 30_000; printed += 1_000) {
        print(lines(1_000));
      }
      const { replay, seen } = await replayed(5_000);
      expect(replay).toEqual(seen);
      expect(seen.rows.join('')).toContain(after);
      print(`${CSI}?1049l`);
      const { replay: back, seen: seenBack } = await replayed(1_000);
      expect(back).toEqual(seenBack);
    });
  }

  it('is told also while output comes faster than it is looked at', async () => {
    const pieces: RetainedOutput[] = [];
    const endOffset = (): number => pieces.length * 1_000;
    const keeper = new ScreenKeeper({
      startOffset: () => 0,
      endOffset,
      // However much was looked at, as much has come meanwhile.
      fullness: () => 0.6,
      lent: (from) => pieces.slice(Math.floor(from / 1_000)),
    });
    keepers.push(keeper);
    let isTold = false;
    const flooded = (async () => {
      while (!isTold) {
        for (let piece = 0; piece < 100; piece += 1) {
          pieces.push({ offset: endOffset(), bytes: Buffer.from(`${CSI}H`.padEnd(1_000, 'x')), size: SIZE });
          keeper.printed(1_000);
        }
        await new Promise((resolve) => void setImmediate(resolve));
      }
    })();
    await new Promise((resolve) => void setImmediate(resolve));
    expect(await keeper.before(10_000)).not.toBeNull();
    isTold = true;
    await flooded;
  });

  it('has the size that the output before was made for', async () => {
    const { print, resize, replayed } = startSession(1_000_000);
    print(`${FRAME}${count(0, 5_000)}`);
    resize({ cols: 30, rows: 8 });
    print(`${CSI}8;1Hfoot${count(5_000, 9_000)}`);
    resize({ cols: 25, rows: 7 });
    print(count(9_000, 10_000));
    const { replay, seen } = await replayed(60_000);
    expect(replay).toEqual(seen);
    expect(seen.size).toEqual({ cols: 25, rows: 7 });
  });

  it('is known also after memory was taken away', async () => {
    const { print, retain, replayed } = startSession(1_000_000);
    print(`${FRAME}${CSI}?1000h`);
    for (let step = 0; step < 30; step += 1) {
      print(count(step * 1_000, (step + 1) * 1_000));
    }
    retain(100_000);
    const { replay, seen } = await replayed(80_000);
    expect({ ...replay, rows: [] }).toEqual({ ...seen, rows: [] });
  });

  it('ends in no half character and no half sequence, wherever output was cut', async () => {
    const text = `${FRAME}${count(0, 50)}\u6F22\u5B57 \u00E9${CSI}38;2;10;20;30mcoloured${CSI}0m`.repeat(3);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 400 }), async (kept) => {
        const { print, replayed } = startSession(1_000_000);
        print(text);
        const { replay, seen } = await replayed(kept);
        expect(replay).toEqual(seen);
      }),
      { numRuns: 25 },
    );
  });
});
