// @vitest-environment happy-dom
import { FitAddon } from '@xterm/addon-fit';
import type { Terminal } from '@xterm/xterm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HostToPane, PaneToHost } from '../../shared/ipc.ts';
import { PANE_INTERRUPTED_MS } from '../../shared/limits.ts';
import type { FindQuery } from '../../shared/output-search.ts';
import type { SessionInfo, TerminalSize } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';
import { OUTPUT_LOST, type PaneProblem } from './pane-problem.ts';
import { ParseTurns } from './parse-turns.ts';
import { USUAL_LOOK } from './terminal-appearance.ts';
import { TerminalController } from './terminal-controller.ts';
import type { FoundMatches } from './terminal-search.ts';
import { WebglPool } from './webgl-pool.ts';

/** A real xterm in a page without layout: the box of the pane and the cells that fit into it are given. */
function startTerminal(session: SessionInfo, linesFromBottom = 0, refusal: Error | null = null) {
  const host = document.createElement('div');
  document.body.append(host);
  const box = { width: 800, height: 600 };
  Object.defineProperty(host, 'clientWidth', { get: () => box.width });
  Object.defineProperty(host, 'clientHeight', { get: () => box.height });
  const fit = vi.spyOn(FitAddon.prototype, 'proposeDimensions').mockImplementation(() => ({ cols: 100, rows: 30 }));

  const sent: PaneToHost[] = [];
  const problems: (PaneProblem | 'stale')[] = [];
  const found: FoundMatches[] = [];
  const links: string[] = [];
  const clipboard: string[] = [];
  const held: string[] = [];
  const rings: string[] = [];
  const notes: (string | null)[] = [];
  const listeners = new Map<string, (event: unknown) => void>();
  const close = vi.fn();
  const port = {
    addEventListener: (type: string, listener: (event: unknown) => void) => listeners.set(type, listener),
    postMessage: (message: PaneToHost) => sent.push(message),
    start: vi.fn(),
    close,
  } as unknown as MessagePort;
  const pool = new WebglPool<Terminal>({
    load: () => Promise.reject(new Error('there is no WebGL in this page')),
    hasRealGpu: () => false,
    whenIdle: (act) => act(),
  });
  const opening = { signal: null as AbortSignal | null };
  const controller = new TerminalController({
    session,
    host,
    openPort: (signal) => {
      opening.signal = signal;
      return refusal === null ? Promise.resolve(port) : Promise.reject(refusal);
    },
    openLink: (url) => links.push(url),
    look: {
      ...USUAL_LOOK,
      theme: {
        background: 'rgb(0, 0, 0)',
        cursor: 'rgb(1, 2, 3)',
        selectionBackground: 'rgb(4, 5, 6)',
        selectionInactiveBackground: 'rgb(7, 8, 9)',
      },
    },
    turns: new ParseTurns(),
    drawing: pool,
    copy: () => undefined,
    onClipboard: (payload) => clipboard.push(payload),
    ring: () => rings.push('rung'),
    onStale: () => problems.push('stale'),
    platform: 'linux',
    linesFromBottom,
    onProgress: () => undefined,
    onPasteHeld: (text) => held.push(text),
    onSkipped: () => undefined,
    onProblem: (problem) => problems.push(problem),
    onInputNote: (note) => notes.push(note),
    onScale: () => undefined,
    onFound: (match) => found.push(match),
  });
  open.push(controller);
  const receive = (message: HostToPane): void => listeners.get('message')?.({ data: message });
  const setFit = (size: TerminalSize): void => void fit.mockImplementation(() => size);
  return {
    controller,
    host,
    box,
    sent,
    problems,
    found,
    held,
    rings,
    notes,
    links,
    clipboard,
    close,
    opening,
    receive,
    setFit,
    lose: () => listeners.get('close')?.({}),
  };
}

const open: TerminalController[] = [];
let boxChanged: (() => void)[] = [];

const output = (text: string, endOffset: number): HostToPane => ({
  type: 'output',
  bytes: new TextEncoder().encode(text),
  endOffset,
  replay: false,
});
const resizes = (sent: readonly PaneToHost[]): TerminalSize[] =>
  sent.flatMap((message) => (message.type === 'resize' ? [message.size] : []));
const typed = (sent: readonly PaneToHost[]): string =>
  sent.map((message) => (message.type === 'input' ? new TextDecoder().decode(message.bytes) : '')).join('');

/** Answers whether the page left the event to the browser. */
function paste(host: HTMLElement, text: string): boolean {
  const event = new Event('paste', { bubbles: true, cancelable: true });
  Object.assign(event, { clipboardData: { getData: () => text } });
  return host.querySelector('textarea')?.dispatchEvent(event) ?? false;
}

beforeEach(() => {
  vi.useFakeTimers();
  // The ruler of the matches is drawn on one; this page has none.
  const nothingDrawn = { clearRect: () => {}, fillRect: () => {} };
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(nothingDrawn as never);
  boxChanged = [];
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(listener: () => void) {
        boxChanged.push(listener);
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
});

afterEach(() => {
  for (const controller of open.splice(0)) {
    controller.dispose();
  }
  vi.useRealTimers();
  vi.restoreAllMocks();
  document.body.replaceChildren();
});

/** Lets the promises of attaching and xterm's own timers run. */
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(10);

describe('the size', () => {
  it('of a person’s session is that of its pane, once what is retained is on the screen', async () => {
    const { sent, receive } = startTerminal(exampleSession());
    await settle();
    expect(resizes(sent)).toEqual([]);
    receive({ type: 'live' });
    await settle();
    expect(resizes(sent)).toEqual([{ cols: 100, rows: 30 }]);
  });

  it('is asked for once, 75 ms after the pane’s box came to rest', async () => {
    const { sent, receive, setFit } = startTerminal(exampleSession());
    await settle();
    receive({ type: 'live' });
    await settle();
    setFit({ cols: 90, rows: 30 });
    for (const changed of boxChanged) {
      changed();
    }
    await vi.advanceTimersByTimeAsync(70);
    setFit({ cols: 91, rows: 31 });
    for (const changed of boxChanged) {
      changed();
    }
    await vi.advanceTimersByTimeAsync(74);
    expect(resizes(sent)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    for (const changed of boxChanged) {
      changed();
    }
    await vi.advanceTimersByTimeAsync(75);
    expect(resizes(sent)).toEqual([
      { cols: 100, rows: 30 },
      { cols: 91, rows: 31 },
    ]);
  });

  it('is never asked for by a pane without a box, nor by one that is nearly closed', async () => {
    const { sent, box, receive, setFit } = startTerminal(exampleSession());
    await settle();
    box.width = 0;
    receive({ type: 'live' });
    await settle();
    box.width = 20;
    setFit({ cols: 2, rows: 1 });
    for (const changed of boxChanged) {
      changed();
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(resizes(sent)).toEqual([]);
  });

  it('of an agent’s session is the agent’s, however large the pane', async () => {
    const { sent, receive } = startTerminal(exampleSession({ origin: CODEX }));
    await settle();
    receive({ type: 'live' });
    for (const changed of boxChanged) {
      changed();
    }
    await vi.advanceTimersByTimeAsync(200);
    expect(resizes(sent)).toEqual([]);
  });

  it('of an agent’s session follows the pane when the person wants it to, and is the agent’s again afterwards', async () => {
    const { controller, sent, receive, setFit } = startTerminal(exampleSession({ origin: CODEX }));
    await settle();
    receive({ type: 'live' });
    await settle();
    controller.setFitted(true);
    setFit({ cols: 90, rows: 20 });
    for (const changed of boxChanged) {
      changed();
    }
    await vi.advanceTimersByTimeAsync(80);
    const asked = [
      { cols: 100, rows: 30 },
      { cols: 90, rows: 20 },
    ];
    expect(resizes(sent)).toEqual(asked);
    controller.setFitted(false);
    for (const changed of boxChanged) {
      changed();
    }
    await vi.advanceTimersByTimeAsync(80);
    expect(resizes(sent)).toEqual(asked);
    controller.setFitted(true);
    expect(resizes(sent).at(-1)).toEqual({ cols: 90, rows: 20 });
  });

  it('is no longer asked for when the child has ended', async () => {
    const { sent, receive } = startTerminal(exampleSession(ended(0)));
    await settle();
    receive({ type: 'live' });
    receive({ type: 'ended' });
    await settle();
    expect(resizes(sent)).toEqual([]);
  });
});

describe('output', () => {
  it('is parsed in turns, and without a pause for a moment after the person interrupted the program', async () => {
    const openTurns = vi.spyOn(ParseTurns.prototype, 'open');
    const { host, receive } = startTerminal(exampleSession());
    const haste = openTurns.mock.lastCall?.[1];
    await settle();
    receive({ type: 'live' });
    await settle();
    expect(haste?.()).toBe('in-turn');
    const init = { key: 'c', code: 'KeyC', keyCode: 67, ctrlKey: true, bubbles: true };
    host.querySelector('textarea')?.dispatchEvent(new KeyboardEvent('keydown', init));
    expect(haste?.()).toBe('interrupted');
    await vi.advanceTimersByTimeAsync(PANE_INTERRUPTED_MS);
    expect(haste?.()).toBe('in-turn');
  });
});

describe('whoever only watches an agent’s session', () => {
  it('tells its program nothing of the focus until she types', async () => {
    const { controller, host, sent, receive } = startTerminal(exampleSession({ origin: CODEX, keyboard: 'agent' }));
    await settle();
    receive(output('\u001B[?1004h', 8));
    receive({ type: 'live' });
    await settle();
    const area = host.querySelector('textarea');
    area?.dispatchEvent(new FocusEvent('focus'));
    area?.dispatchEvent(new FocusEvent('blur'));
    expect(typed(sent)).toBe('');
    controller.setKeyboard('person');
    area?.dispatchEvent(new FocusEvent('focus'));
    expect(typed(sent)).toBe('\u001B[I');
  });
});

const anyCase = (text: string) => ({ text, matchCase: false, wholeWord: false });

describe('a text that is looked for', () => {
  it('tells when it comes to the end, goes by case, and by whole words wherever they stand in a line', async () => {
    const { controller, found, receive } = startTerminal(exampleSession());
    await settle();
    receive(output('concat Cat cat\r\ncat_s\r\n', 23));
    await settle();
    const count = async (query: FindQuery): Promise<number | undefined> => {
      controller.find(query, 'older');
      await settle();
      return found.at(-1)?.count;
    };
    expect(await count(anyCase('cat'))).toBe(4);
    expect(await count({ text: 'cat', matchCase: true, wholeWord: false })).toBe(3);
    expect(await count({ text: 'cat', matchCase: false, wholeWord: true })).toBe(2);
    const whole = { text: 'cat', matchCase: true, wholeWord: true };
    expect(await count(whole)).toBe(1);
    expect(await count({ text: 'a.*', matchCase: false, wholeWord: true })).toBe(0);
    controller.find(anyCase(''), 'older');
    expect([0, 1, 2, 3, 4].map(() => controller.find(anyCase('cat'), 'older'))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(controller.find(anyCase('none'), 'older')).toBe(false);
  });

  it('is told apart from what the terminal shows no more, and from what was skipped', async () => {
    const { controller, receive } = startTerminal(exampleSession());
    await settle();
    const lines = Array.from({ length: 6_000 }, (_none, index) => `needle ${String(index).padStart(4, '0')}\r\n`);
    for (let line = 0; line < lines.length; line += 1_000) {
      receive(output(lines.slice(line, line + 1_000).join(''), (line + 1_000) * 13));
      await settle();
    }
    receive({ type: 'skipped', bytes: 26, modes: '', rendition: '' });
    receive(output('needle the last\r\n', 6_002 * 13 + 17));
    await settle();
    const hits = Array.from({ length: 6_003 }, (_none, index) => 6_002 - index).map((line) => ({
      ...{ lineOffset: line * 13, offset: line * 13, endOffset: line * 13 + 6, line: 'needle', column: 0, length: 6 },
      atMs: 0,
    }));
    const missing = controller.notShown(hits, anyCase('needle')).map(({ offset }) => offset / 13);
    // Two were skipped. Of the rest the buffer has 5,000 lines, with the screen, what says so, and the last one.
    const shown = controller.text.split('\n').filter((line) => line.startsWith('needle')).length;
    expect(missing.slice(0, 2)).toEqual([6_001, 6_000]);
    expect(missing.slice(2)).toEqual(Array.from({ length: 6_001 - shown }, (_none, index) => 6_000 - shown - index));
  });

  it('while the pane is still drawing what was printed is found anew when all is drawn, unless the person went on', async () => {
    for (const steps of [0, 1]) {
      const { controller, found, receive } = startTerminal(exampleSession({ origin: CODEX }));
      await settle();
      receive(output('error one\r\nerror two\r\n', 22));
      await settle();
      controller.find(anyCase('error'), 'older');
      for (let step = 0; step < steps; step += 1) {
        controller.find(anyCase('error'), 'older');
      }
      receive(output('error three\r\nerror four\r\n', 47));
      receive({ type: 'live' });
      await expect.poll(() => found.at(-1)).toEqual({ index: steps === 0 ? 3 : 0, count: 4 });
      expect(controller.selection).toBe('error');
      controller.dispose();
    }
  });

  it('is counted, but not gone to, in a terminal that is drawn again where the person had scrolled to', async () => {
    // Cells have a size, so that there is something to scroll.
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(16);
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(320);
    for (const linesFromBottom of [0, 120]) {
      const { controller, found, receive } = startTerminal(exampleSession({ origin: CODEX }), linesFromBottom);
      await settle();
      controller.find(anyCase('error'), 'older');
      const text = `error one\r\n${'fine\r\n'.repeat(100)}error two\r\n${'fine\r\n'.repeat(100)}`;
      receive(output(text, text.length));
      await settle();
      receive({ type: 'live' });
      await expect.poll(() => found.at(-1)).toEqual({ index: 1, count: 2 });
      await settle();
      // In the middle of its 24 rows, where it was gone to: of the 203 lines that of the match is the 102nd.
      expect(controller.linesFromBottom).toBe(linesFromBottom === 120 ? 120 : 203 - 24 - (101 - 12));
      controller.dispose();
    }
  });

  it('is gone on with from what is seen in a terminal that is drawn again where the person had scrolled to', async () => {
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(16);
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(320);
    const lines = Array.from({ length: 202 }, (_none, line) =>
      [0, 70, 101, 150, 200].includes(line) ? 'error' : 'fine',
    );
    const text = `${lines.join('\r\n')}\r\n`;
    // Of 24 rows and 203 lines; which of the five is shown, and which after a step.
    for (const [linesFromBottom, direction, indices] of [
      [120, 'older', [1, 0]],
      [120, 'newer', [1, 2]],
      [50, 'older', [3, 2]],
      // Lines 108 to 131: none is seen, and that of line 101 is the next.
      [71, 'older', [2, 2]],
      [71, 'newer', [2, 3]],
    ] as const) {
      const { controller, found, receive } = startTerminal(exampleSession({ origin: CODEX }), linesFromBottom);
      await settle();
      controller.find(anyCase('error'), 'older');
      receive(output(text, text.length));
      await settle();
      receive({ type: 'live' });
      await expect.poll(() => found.at(-1)).toEqual({ index: indices[0], count: 5 });
      expect(controller.linesFromBottom).toBe(linesFromBottom);
      expect(controller.find(anyCase('error'), direction)).toBe(true);
      await settle();
      expect(found.at(-1)).toEqual({ index: indices[1], count: 5 });
      controller.find(anyCase('error'), 'older');
      await settle();
      expect(found.at(-1)).toEqual({ index: indices[1] === 0 ? 4 : indices[1] - 1, count: 5 });
      controller.dispose();
    }
  });

  it('is found from the newest on, counted, and selected; then nothing is', async () => {
    const { controller, found, receive } = startTerminal(exampleSession());
    await settle();
    receive(output('error one\r\nfine\r\nerror two\r\n', 27));
    await settle();
    for (const direction of ['older', 'older', 'newer'] as const) {
      controller.find(anyCase('error'), direction);
      await settle();
    }
    expect(found.map(({ index, count }) => `${index} of ${count}`)).toEqual(['1 of 2', '0 of 2', '1 of 2']);
    expect(controller.selection).toBe('error');
    controller.find(anyCase('no such text'), 'older');
    await settle();
    expect(found.at(-1)).toMatchObject({ count: 0 });
    controller.find(anyCase(''), 'older');
    expect(controller.selection).toBe('');
  });
});

describe('a line at which something was typed', () => {
  const span = (number: number, offset: number, by: TimelineEntry['by']): TimelineEntry => ({
    ...{ number, offset, by, atMs: Date.UTC(2026, 0, 1, 12, 0, number) },
    act: { kind: 'wrote', times: 1, bytes: number },
  });

  it('has one mark that names all who typed there, by shape and words; and none where the settings want none', async () => {
    const { controller, host, receive } = startTerminal(exampleSession());
    await settle();
    receive({ type: 'live' });
    receive(output('$ ', 2));
    const inputs = [span(1, 2, { kind: 'agent', client: 'codex' }), span(2, 2, { kind: 'person' })];
    receive({ ...output('ls\r\n$ ', 8), inputs } as HostToPane);
    receive({ type: 'inputs', entries: [span(3, 8, { kind: 'terminal' })] });
    await vi.advanceTimersByTimeAsync(100);
    const marks = (): Element[] => [...host.querySelectorAll('.input-mark')];
    expect(marks().map((mark) => [mark.getAttribute('role'), mark.getAttribute('aria-label')])).toEqual([
      ['img', expect.stringMatching(/^codex typed 1 B · .+; you typed 2 B · /)],
      ['img', expect.stringMatching(/^the terminal typed 3 B · /)],
    ]);
    expect(marks().map((mark) => [...mark.children].map((sign) => sign.getAttribute('data-by')))).toEqual([
      ['agent', 'person'],
      ['terminal'],
    ]);
    receive({
      type: 'inputs',
      entries: [{ ...span(3, 8, { kind: 'terminal' }), act: { kind: 'wrote', times: 2, bytes: 9 } }],
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(marks()[1]?.getAttribute('title')).toMatch(/^the terminal typed 9 B \(2 times\)/);
    controller.setLook({ ...USUAL_LOOK, theme: {}, inputMarks: false });
    await vi.advanceTimersByTimeAsync(100);
    expect(marks()).toEqual([]);
  });

  it('is gone to from the newest on, and left by typing', async () => {
    const { controller, notes, receive } = startTerminal(exampleSession());
    await settle();
    receive({ type: 'live' });
    receive({ ...output('$ one\r\n$ ', 9), inputs: [span(1, 2, { kind: 'person' })] } as HostToPane);
    receive({ ...output('two\r\n$ ', 16), inputs: [span(2, 9, { kind: 'person' })] } as HostToPane);
    await vi.advanceTimersByTimeAsync(100);
    expect(controller.goToInput('next')).toBe('No later input in this pane');
    expect(controller.goToInput('previous')).toMatch(/^Input 2 of 2: you typed 2 B · /);
    expect(controller.goToInput('previous')).toMatch(/^Input 1 of 2: you typed 1 B · /);
    expect(controller.goToInput('previous')).toBe('No earlier input in this pane');
    expect(controller.goToInput('next')).toMatch(/^Input 2 of 2: /);
    expect(notes).toEqual([]);
    receive({
      type: 'inputs',
      entries: [{ ...span(2, 9, { kind: 'person' }), act: { kind: 'wrote', times: 2, bytes: 7 } }],
    });
    await settle();
    controller.paste('x');
    controller.paste('y');
    expect(notes).toEqual([expect.stringMatching(/^Input 2 of 2: you typed 7 B/), null]);
  });
});

describe('a paste', () => {
  it('is cleaned before the program gets it, and its line ends as Enter does', async () => {
    const { host, sent } = startTerminal(exampleSession());
    await settle();
    paste(host, 'one\u001B[201~\n');
    expect(typed(sent)).toBe('one[201~\r');
  });

  it('is bracketed when the program asked for it', async () => {
    const { host, sent, receive } = startTerminal(exampleSession());
    await settle();
    receive(output('\u001B[?2004h', 8));
    await settle();
    paste(host, 'ls\n');
    expect(typed(sent)).toBe('\u001B[200~ls\r\u001B[201~');
  });

  it('of several lines is held back where the program does not ask for it in one piece, and typed by the word of it', async () => {
    const { host, controller, receive, sent, held } = startTerminal(exampleSession());
    await settle();
    paste(host, 'one\u001B[201~\ntwo\n');
    expect([typed(sent), held]).toEqual(['', ['one[201~\ntwo\n']]);
    controller.pasteNow('one\ntwo');
    expect(typed(sent)).toBe('one\rtwo');
    receive(output('\u001B[?2004h', 8));
    await settle();
    paste(host, 'x\ny');
    expect(typed(sent)).toBe('one\rtwo\u001B[200~x\ry\u001B[201~');
    expect(held).toHaveLength(1);
  });

  it('is not prevented, or the menu would take the key for one that nobody took and paste again', async () => {
    const { host } = startTerminal(exampleSession());
    await settle();
    expect(paste(host, 'ls')).toBe(true);
    const area = host.querySelector('textarea');
    if (area === null) {
      throw new Error('The terminal has no text area.');
    }
    area.value = 'ls';
    area.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste', bubbles: true }));
    expect(area.value).toBe('');
  });

  it('goes nowhere in an ended session', async () => {
    const { host, sent, controller } = startTerminal(exampleSession());
    await settle();
    controller.setChildEnded();
    paste(host, 'rm -rf /\n');
    expect(typed(sent)).toBe('');
  });
});

describe('lines of a pipe', () => {
  it('begin at the left, though a pipe sends no carriage return', async () => {
    const { controller, receive } = startTerminal(exampleSession({ backend: 'pipe', size: null, origin: CODEX }));
    await settle();
    receive(output('one\ntwo\n', 8));
    await settle();
    expect(controller.text).toBe('one\ntwo');
  });
});

describe('a terminal that is gone', () => {
  it('lets go of its port, and of one that is still on its way', async () => {
    const { controller, close, opening } = startTerminal(exampleSession());
    controller.dispose();
    expect(opening.signal?.aborted).toBe(true);
    await settle();
    expect(close).toHaveBeenCalledOnce();
  });

  it('leaves no element and no timer behind', async () => {
    const { controller, host, receive } = startTerminal(exampleSession());
    await settle();
    receive({ type: 'live' });
    await settle();
    for (const changed of boxChanged) {
      changed();
    }
    controller.dispose();
    controller.dispose();
    expect(host.childElementCount).toBe(0);
    expect(host.dataset).toEqual({});
  });
});

describe('a lost connection', () => {
  it('is told as a problem', async () => {
    const { lose, problems } = startTerminal(exampleSession());
    await settle();
    lose();
    expect(problems).toEqual([OUTPUT_LOST]);
  });

  it('is told in plain words where there never was one, with what was thrown beside them', async () => {
    const { problems } = startTerminal(exampleSession(), 0, new Error('EIO: read'));
    await settle();
    expect(problems).toEqual([
      { sentence: expect.stringMatching(/^(?!.*EIO)This session’s output could not be read/), detail: 'EIO: read' },
    ]);
  });

  it('is none after the end of the output', async () => {
    const { lose, problems, receive } = startTerminal(exampleSession());
    await settle();
    receive({ type: 'ended' });
    await settle();
    lose();
    expect(problems).toEqual([]);
  });
});

describe('the clipboard', () => {
  const output = (text: string, endOffset: number, replay: boolean): HostToPane => {
    return { type: 'output', bytes: new TextEncoder().encode(text), endOffset, replay };
  };

  it('is asked for by what a program writes now, not by what is shown again, and a question about it has no answer', async () => {
    const { clipboard, sent, receive } = startTerminal(exampleSession());
    await settle();
    receive(output('\u001B]52;c;b2xk\u0007', 12, true));
    receive(output('\u001B]52;c;bGF0ZQ==\u0007', 30, false));
    receive({ type: 'live' });
    receive(output('\u001B]52;c;bmV3\u0007\u001B]52;c;?\u001B\\', 60, false));
    await settle();
    expect(clipboard).toEqual(['c;bmV3', 'c;?']);
    expect(sent.filter(({ type }) => type === 'input')).toEqual([]);
  });
});

describe('a terminal out of view', () => {
  const kinds = (sent: readonly PaneToHost[]): PaneToHost[] =>
    sent.filter(({ type }) => type === 'hold' || type === 'resume');

  it('wants nothing until it is in view again, and bells only where they are heard', async () => {
    const { controller, sent, rings, receive } = startTerminal(exampleSession());
    await settle();
    controller.setInView(false);
    controller.setInView(false);
    controller.setLook({ ...USUAL_LOOK, theme: {}, bell: 'sound' });
    receive({ type: 'bell' });
    controller.setInView(true);
    controller.setInView(true);
    controller.setLook({ ...USUAL_LOOK, theme: {}, bell: 'none' });
    expect(kinds(sent)).toEqual([{ type: 'hold', bells: false }, { type: 'hold', bells: true }, { type: 'resume' }]);
    expect(rings).toEqual(['rung']);
  });

  it('is held from its first byte on when it was hidden before its port came', async () => {
    const { controller, sent } = startTerminal(exampleSession());
    controller.setInView(false);
    await settle();
    expect(sent).toEqual([{ type: 'hold', bells: false }]);
  });

  it('goes on from where it was, and takes what it missed for old: it neither rings nor reaches the clipboard', async () => {
    const { controller, clipboard, rings, receive } = startTerminal(exampleSession());
    await settle();
    controller.setLook({ ...USUAL_LOOK, theme: {}, bell: 'sound' });
    receive(output('before, ', 8));
    receive({ type: 'live' });
    await settle();
    controller.setInView(false);
    controller.setInView(true);
    receive({ ...output('\u001B]52;c;b2xk\u0007\u0007meanwhile, ', 32), replay: true } as HostToPane);
    receive({ type: 'live' });
    await settle();
    expect([controller.text, clipboard, rings]).toEqual(['before, meanwhile,', [], []]);
    receive(output('\u001B]52;c;bmV3\u0007\u0007now', 60));
    await settle();
    expect([controller.text, clipboard, rings]).toEqual(['before, meanwhile, now', ['c;bmV3'], ['rung']]);
  });

  it('stays where the person had scrolled to, and keeps what was selected', async () => {
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(16);
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(320);
    const { controller, receive } = startTerminal(exampleSession({ origin: CODEX }), 60);
    await settle();
    const lines = Array.from({ length: 100 }, (_line, index) => `line ${index}`).join('\r\n');
    receive(output(lines, lines.length));
    receive({ type: 'live' });
    await settle();
    controller.find({ text: 'line 20', matchCase: false, wholeWord: true }, 'older');
    const { linesFromBottom, selection } = controller;
    expect([linesFromBottom > 40, selection]).toEqual([true, 'line 20']);
    controller.setInView(false);
    controller.setInView(true);
    receive({ ...output('\r\nmore', lines.length + 6), replay: true } as HostToPane);
    receive({ type: 'live' });
    await settle();
    expect([controller.linesFromBottom, controller.selection]).toEqual([linesFromBottom + 1, selection]);
  });

  it('tells the program of the focus when it is known that it wants to hear of it, once', async () => {
    const { controller, sent, receive } = startTerminal(exampleSession());
    await settle();
    receive(output('\u001B[?1004h', 8));
    receive({ type: 'live' });
    await settle();
    controller.setInView(false);
    controller.setInView(true);
    controller.focus();
    await settle();
    expect(typed(sent)).toBe('');
    receive({ type: 'live' });
    await settle();
    expect(typed(sent)).toBe('\u001B[I');
  });

  it('is told to be stale, which is no lost connection', async () => {
    const { controller, problems, receive } = startTerminal(exampleSession());
    await settle();
    controller.setInView(false);
    controller.setInView(true);
    receive({ type: 'stale' });
    expect(problems).toEqual(['stale']);
  });
});
