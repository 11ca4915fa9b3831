// @vitest-environment happy-dom
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { USUAL_LOOK } from '../terminal/terminal-appearance.ts';
import { CODEX, exampleSession } from '../testing/example-session.ts';
import type { EarlierView } from './earlier-outputs.ts';
import { EarlierTerminal } from './earlier-terminal.ts';

const LOOK = { ...USUAL_LOOK, theme: {} };
const SIZE = { cols: 80, rows: 10 };
const LINE = 'line 0000\r\n';
const LINES = 200;

/** So many numbered lines, and the place of one of them at the top. */
function viewAt(line: number, more: Partial<EarlierView> = {}): EarlierView {
  const text = Array.from({ length: LINES }, (_none, at) => LINE.replace('0000', String(at).padStart(4, '0'))).join('');
  const bytes = new TextEncoder().encode(text);
  const offset = line * LINE.length;
  return {
    stretch: {
      ...{ parts: [{ offset: 0, bytes, size: SIZE }], startOffset: 0, endOffset: bytes.length, atMs: 0 },
      ...{ modes: '', rendition: '', keptFrom: 0, outputEnd: bytes.length },
    },
    target: { offset, match: null, at: 'top' },
    ...{ around: offset, keepsPlace: false, news: null, ...more },
  };
}

const open: EarlierTerminal[] = [];
let boxChanged = (): void => undefined;

function startEarlier() {
  const host = document.createElement('div');
  document.body.append(host);
  const room = { cols: 100, rows: 20 };
  vi.spyOn(FitAddon.prototype, 'proposeDimensions').mockImplementation(() => room);
  const resize = vi.spyOn(Terminal.prototype, 'resize');
  const meanwhile = { act: (): void => undefined };
  const write = Reflect.get(Terminal.prototype, 'write');
  vi.spyOn(Terminal.prototype, 'write').mockImplementation(function written(this: Terminal, data, onParsed) {
    meanwhile.act();
    write.call(this, data, onParsed);
  });
  const scrolls: number[] = [];
  vi.spyOn(Terminal.prototype, 'scrollLines').mockImplementation((lines) => void scrolls.push(lines));
  const earlier = new EarlierTerminal({
    ...{ session: exampleSession({ origin: CODEX }), host, look: LOOK, platform: 'linux' },
    ...{ openLink: () => undefined, copy: () => undefined, onEdge: () => undefined },
  });
  open.push(earlier);
  const textarea = host.querySelector('textarea');
  return {
    earlier,
    sizes: () => resize.mock.calls.map(([cols, rows]) => `${cols}x${rows}`),
    scrolls,
    /** Does something in the midst of what is drawn next, once. */
    inTheMidst: (act: () => void) => {
      meanwhile.act = () => {
        meanwhile.act = () => undefined;
        act();
      };
    },
    press: (key: string) => textarea?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })),
    description: () => textarea?.getAttribute('aria-description'),
    shown: () => host.dataset['shown'],
  };
}

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(listener: () => void) {
        boxChanged = listener;
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
});

afterEach(() => {
  for (const earlier of open.splice(0)) {
    earlier.dispose();
  }
  document.body.replaceChildren();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('the terminal of earlier output', () => {
  it('tells of the keys that go to matches only while something is looked for', () => {
    const { earlier, description } = startEarlier();
    expect(description()).toBe('Escape goes back');
    earlier.seek({ text: 'line', matchCase: false, wholeWord: false });
    expect(description()).toMatch(/^Enter goes to the older match/);
    earlier.seek(null);
    expect(description()).toBe('Escape goes back');
  });

  it('scrolls by the keys that were pressed while it was drawn, but not from another place that was gone to since', async () => {
    const { earlier, inTheMidst, press, shown, scrolls } = startEarlier();
    inTheMidst(() => {
      press('ArrowDown');
      press('ArrowDown');
    });
    earlier.show(viewAt(50));
    await expect.poll(shown).toBe(String(50 * LINE.length));
    expect(scrolls).toEqual([2]);
    inTheMidst(() => {
      press('ArrowDown');
      earlier.show(viewAt(70));
    });
    earlier.show(viewAt(60));
    await expect.poll(shown).toBe(String(70 * LINE.length));
    expect(scrolls).toEqual([2, 0]);
    // What is read on in stays where it was scrolled to.
    inTheMidst(() => {
      press('ArrowDown');
      earlier.show(viewAt(90, { keepsPlace: true }));
    });
    earlier.show(viewAt(80));
    await expect.poll(shown).toBe(String(90 * LINE.length));
    expect(scrolls).toEqual([2, 0, 1]);
  });

  it('takes the size of its pane when it is drawn, and not in the midst of that', async () => {
    const { earlier, inTheMidst, sizes, shown } = startEarlier();
    inTheMidst(() => {
      boxChanged();
      earlier.setLook(LOOK);
    });
    earlier.show(viewAt(50));
    await expect.poll(shown).toBe(String(50 * LINE.length));
    expect(sizes()).toEqual(['80x10', '80x10', '80x20']);
  });
});
