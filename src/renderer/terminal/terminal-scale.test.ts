// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TerminalScale } from './terminal-scale.ts';

/** A terminal of 80×24 in a pane without padding: a cell is 0.6 of the font wide, a line whole pixels of 1.3 of it high. */
function startScale(room: { width: number; height: number }, fontSize = 13) {
  const pane = document.createElement('div');
  pane.className = 'pane';
  const host = document.createElement('div');
  const screen = document.createElement('div');
  screen.className = 'xterm-screen';
  host.append(screen);
  pane.append(host);
  document.body.append(pane);
  const terminal = { options: { fontSize } };
  const cells = {
    width: () => 80 * 0.6 * terminal.options.fontSize,
    height: () => 24 * Math.ceil(1.3 * terminal.options.fontSize),
  };
  const box = (element: HTMLElement, width: () => number, height: () => number): void => {
    Object.defineProperty(element, 'offsetWidth', { get: width });
    Object.defineProperty(element, 'offsetHeight', { get: height });
  };
  box(screen, cells.width, cells.height);
  box(
    host,
    () => cells.width() + 22,
    () => cells.height() + 10,
  );
  box(
    pane,
    () => room.width,
    () => room.height,
  );
  const told: number[] = [];
  const state = { isFixed: true };
  const scale = new TerminalScale({
    terminal,
    host,
    isFixed: () => state.isFixed,
    fontSize,
    onScale: (share) => told.push(Math.round(share * 100)),
  });
  scale.start();
  return { scale, terminal, room, state, told, font: () => terminal.options.fontSize };
}

let boxesChanged: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  boxesChanged = [];
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(listener: () => void) {
        boxesChanged.push(listener);
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

async function boxesAtRest(): Promise<void> {
  for (const changed of boxesChanged) {
    changed();
  }
  await vi.advanceTimersByTimeAsync(75);
}

describe('a terminal whose size is not its pane’s', () => {
  it('is drawn with the usual font where it fits', () => {
    const { font, told } = startScale({ width: 700, height: 500 });
    expect([font(), told]).toEqual([13, []]);
  });

  it.each([
    ['narrow', { width: 500, height: 500 }, 9.5],
    ['low', { width: 900, height: 300 }, 9],
  ])('is drawn with the largest font that shows all of it in a %s pane', (_name, room, size) => {
    const { font, told } = startScale(room);
    expect([font(), told]).toEqual([size, [Math.round((size / 13) * 100)]]);
  });

  it('is never drawn with less than 60 % of the font, nor with less than 7 pixels', () => {
    expect(startScale({ width: 200, height: 500 }).font()).toBeCloseTo(7.8);
    expect(startScale({ width: 200, height: 500 }, 9).font()).toBe(7);
    expect(startScale({ width: 200, height: 500 }, 6).font()).toBe(6);
  });

  it('follows its pane when that has come to rest, and comes to the same from above and from below', async () => {
    const { font, room, told } = startScale({ width: 500, height: 500 });
    for (const [width, size] of [
      [300, 7.8],
      [500, 9.5],
      [900, 13],
      [500, 9.5],
    ] as const) {
      room.width = width;
      await boxesAtRest();
      expect(font()).toBe(size);
    }
    expect(told).toEqual([73, 60, 73, 100, 73]);
  });

  it('is left as it is while it has no box', async () => {
    const { font, room } = startScale({ width: 500, height: 500 });
    room.width = 0;
    await boxesAtRest();
    expect(font()).toBe(9.5);
  });

  it('is drawn with the usual font again when the size is the pane’s', () => {
    const { scale, state, font, told } = startScale({ width: 500, height: 500 });
    state.isFixed = false;
    scale.now();
    expect([font(), told]).toEqual([13, [73, 100]]);
  });

  it('takes another font', () => {
    const { scale, terminal, font } = startScale({ width: 500, height: 500 });
    terminal.options.fontSize = 15;
    scale.setFontSize(15);
    expect(font()).toBe(9.5);
  });
});
