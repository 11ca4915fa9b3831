import { Terminal } from '@xterm/xterm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HostToPane, PaneToHost } from '../../shared/ipc.ts';
import { PANE_INTERRUPTED_MS } from '../../shared/limits.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import { PaneStream } from './pane-stream.ts';
import { ParseTurns, type ParseHaste } from './parse-turns.ts';
import { screenText } from './screen-text.ts';

const ASK_FOR_DEVICE = '\u001B[c';
const ASK_FOR_CURSOR = '\u001B[6n';

interface World {
  readonly terminal: Terminal;
  readonly stream: PaneStream;
  readonly sent: PaneToHost[];
  readonly facts: string[];
  /** Offsets of which a place was told. */
  readonly places: number[];
  readonly close: ReturnType<typeof vi.fn>;
  readonly pace: { haste: ParseHaste };
  /** Gives what waits a turn, in the frame that is its turn. */
  readonly frame: () => void;
  /** Resolves when everything received so far is parsed. */
  readonly settle: () => Promise<void>;
}

const worlds: World[] = [];

function startWorld({ acceptsInput = true } = {}): World {
  const terminal = new Terminal({ cols: 80, rows: 24, allowProposedApi: true });
  const sent: PaneToHost[] = [];
  const facts: string[] = [];
  const places: number[] = [];
  const close = vi.fn();
  const frames: (() => void)[] = [];
  const pace = { haste: 'whole' as ParseHaste };
  const writes = new ParseTurns((onFrame) => void frames.push(onFrame)).open(
    (data, onParsed) => terminal.write(data, onParsed),
    () => pace.haste,
  );
  const stream = new PaneStream({
    terminal: {
      write: (data, onParsed, droppable) => writes.write(data, onParsed, droppable),
      drop: () => writes.drop(),
      resize: (cols, rows) => terminal.resize(cols, rows),
      onData: (listener) => terminal.onData(listener),
      onBinary: (listener) => terminal.onBinary(listener),
    },
    port: { postMessage: (message) => sent.push(message), close },
    acceptsInput,
    events: {
      onParsed: () => undefined,
      onPlace: (offset) => places.push(offset),
      onInputs: (entries) =>
        facts.push(`input ${entries.map(({ number }) => number).join(',')} at ${terminal.buffer.active.cursorX}`),
      onInterrupted: () => facts.push('interrupted'),
      onSkipped: (bytes) => facts.push(`skipped ${bytes}`),
      onLive: () => facts.push('live'),
      onBell: () => facts.push('bell'),
      onStale: () => facts.push('stale'),
      onEnded: () => facts.push('ended'),
    },
  });
  const settle = (): Promise<void> => new Promise((resolve) => terminal.write('', resolve));
  const frame = (): void => {
    for (const onFrame of frames.splice(0)) {
      onFrame();
    }
  };
  const world = { terminal, stream, sent, facts, places, close, settle, pace, frame };
  worlds.push(world);
  return world;
}

afterEach(() => {
  for (const { stream, terminal } of worlds.splice(0)) {
    stream.dispose();
    terminal.dispose();
  }
});

function output(text: string, endOffset: number, { replay = false } = {}): HostToPane {
  return { type: 'output', bytes: new TextEncoder().encode(text), endOffset, replay };
}

function inputs(sent: readonly PaneToHost[]): string[] {
  return sent.flatMap((message) => (message.type === 'input' ? [new TextDecoder().decode(message.bytes)] : []));
}

function acks(sent: readonly PaneToHost[]): number[] {
  return sent.flatMap((message) => (message.type === 'ack' ? [message.endOffset] : []));
}

describe('acknowledgement', () => {
  it('is sent when the bytes are parsed, not when they arrive', async () => {
    const { stream, sent, settle } = startWorld();
    stream.receive(output('hello', 5));
    expect(sent).toEqual([]);
    await settle();
    expect(sent).toEqual([{ type: 'ack', endOffset: 5 }]);
  });

  it('goes out in lots while more is waiting, and for the rest when nothing is', async () => {
    const { stream, sent, settle } = startWorld();
    const lot = 'x'.repeat(3_000);
    for (let count = 1; count <= 7; count += 1) {
      stream.receive(output(lot, count * 3_000));
    }
    await settle();
    expect(acks(sent)).toEqual([9_000, 18_000, 21_000]);
  });

  it('is cumulative over bytes that never came', async () => {
    const { stream, sent, settle } = startWorld();
    stream.receive({ type: 'skipped', bytes: 1_000_000, modes: '', rendition: '' });
    stream.receive(output('tail', 1_000_004));
    await settle();
    expect(acks(sent)).toEqual([1_000_004]);
  });

  it('stops with the pane', async () => {
    const { stream, sent, settle, close } = startWorld();
    stream.receive(output('hello', 5));
    stream.dispose();
    await settle();
    expect(sent).toEqual([]);
    expect(close).toHaveBeenCalledOnce();
  });
});

describe('what the terminal answers by itself', () => {
  it('is sent for live output', async () => {
    const { stream, sent, settle } = startWorld();
    stream.receive(output(ASK_FOR_CURSOR, 4));
    await settle();
    expect(inputs(sent)).toEqual(['\u001B[1;1R']);
  });

  it('is not sent for replayed output, whatever is around it in the queue', async () => {
    const { stream, sent, settle } = startWorld();
    stream.receive(output(`old${ASK_FOR_DEVICE}`, 6, { replay: true }));
    stream.receive(output(ASK_FOR_CURSOR, 10, { replay: true }));
    stream.receive({ type: 'live' });
    stream.receive(output(ASK_FOR_CURSOR, 14));
    await settle();
    expect(inputs(sent)).toEqual(['\u001B[1;4R']);
  });

  it('is not sent for a question that the replay cuts in two', async () => {
    const { stream, sent, settle } = startWorld();
    stream.receive(output('\u001B[', 2, { replay: true }));
    stream.receive(output('6n', 4, { replay: true }));
    await settle();
    expect(inputs(sent)).toEqual([]);
  });
});

describe('input', () => {
  it('is sent as bytes, also a key that is pressed while the replay waits to be parsed', async () => {
    const { terminal, stream, sent, settle } = startWorld();
    stream.receive(output('old', 3, { replay: true }));
    terminal.input('é');
    await settle();
    expect(sent[0]).toEqual({ type: 'input', bytes: new Uint8Array([0xc3, 0xa9]) });
  });

  it('goes nowhere after the child ended', async () => {
    const { terminal, stream, sent, settle, facts } = startWorld();
    stream.receive(output(`bye${ASK_FOR_CURSOR}`, 7));
    stream.receive({ type: 'ended' });
    await settle();
    await vi.waitFor(() => expect(facts).toEqual(['ended']));
    const before = inputs(sent);
    terminal.input('rm -rf /\r');
    expect(inputs(sent)).toEqual(before);
  });

  it('goes nowhere for a child without a terminal', () => {
    const { terminal, sent } = startWorld({ acceptsInput: false });
    terminal.input('x');
    expect(sent).toEqual([]);
  });

  it('goes nowhere once it was stopped, while output still comes', async () => {
    const { terminal, stream, sent, settle } = startWorld();
    stream.stopInput();
    terminal.input('x');
    stream.receive(output('late', 4));
    await settle();
    expect(sent).toEqual([{ type: 'ack', endOffset: 4 }]);
  });
});

describe('an interrupt', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['\u0003', 'Ctrl-C'],
    ['\u001C', 'Ctrl-\\'],
    ['\u001A', 'Ctrl-Z'],
  ])('%j (%s) counts for a moment', (key) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { terminal, stream } = startWorld();
    terminal.input('c');
    expect(stream.isInterrupted).toBe(false);
    terminal.input(key);
    expect(stream.isInterrupted).toBe(true);
    vi.advanceTimersByTime(PANE_INTERRUPTED_MS);
    expect(stream.isInterrupted).toBe(false);
  });

  it('has what waits held until the host has said what it skips, or has said nothing for a while', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { terminal, stream } = startWorld();
    expect(stream.isSkipAwaited).toBe(false);
    terminal.input('\u0003');
    expect(stream.isSkipAwaited).toBe(true);
    stream.receive({ type: 'together', messages: [] });
    expect(stream.isSkipAwaited).toBe(false);
    terminal.input('\u0003');
    vi.advanceTimersByTime(49);
    expect(stream.isSkipAwaited).toBe(true);
    vi.advanceTimersByTime(1);
    expect(stream.isSkipAwaited).toBe(false);
  });

  it('is none where nothing can be typed', () => {
    const { terminal, stream } = startWorld({ acceptsInput: false });
    terminal.input('\u0003');
    expect(stream.isInterrupted).toBe(false);
  });
});

describe('order', () => {
  it('gives each part of the output the size that it was made for', async () => {
    const { terminal, stream, settle, facts } = startWorld();
    stream.receive({ type: 'size', size: { cols: 10, rows: 5 } });
    stream.receive(output('\u001B[999C|', 7, { replay: true }));
    stream.receive({ type: 'size', size: { cols: 20, rows: 5 } });
    stream.receive(output('\r\n\u001B[999C|', 16, { replay: true }));
    stream.receive({ type: 'live' });
    await settle();
    expect(screenText(terminal.buffer.active)).toBe(`${' '.repeat(9)}|\n${' '.repeat(19)}|`);
    expect(facts).toEqual(['live']);
  });

  it('tells the end only when all output is on the screen', async () => {
    const { terminal, stream, facts } = startWorld();
    let textAtEnd = '';
    stream.receive(output('last words', 10));
    stream.receive({ type: 'ended' });
    await vi.waitFor(() => expect(facts).toEqual(['ended']));
    textAtEnd = screenText(terminal.buffer.active);
    expect(textAtEnd).toBe('last words');
  });

  it('takes back the modes of a program that was killed: mouse, bracketed paste, synchronised output', async () => {
    const { terminal, stream, facts } = startWorld();
    stream.receive(output('\u001B[?1003;1006;2004h\u001B[?1004h\u001B[?2026h', 40));
    stream.receive({ type: 'ended' });
    await vi.waitFor(() => expect(facts).toEqual(['ended']));
    expect(terminal.modes).toMatchObject({
      mouseTrackingMode: 'none',
      bracketedPasteMode: false,
      sendFocusMode: false,
      synchronizedOutputMode: false,
    });
  });

  it('does nothing for what comes after it was disposed', async () => {
    const { terminal, stream, settle, facts } = startWorld();
    stream.receive({ type: 'live' });
    stream.dispose();
    stream.receive(output('late', 4));
    await settle();
    expect(facts).toEqual([]);
    expect(screenText(terminal.buffer.active)).toBe('');
  });
});

describe('skipped bytes', () => {
  it('leave the terminal in the modes and the rendition that they chose', async () => {
    const { terminal, stream, settle } = startWorld();
    stream.receive(output('one', 3));
    const modes = '\u001B[?1049h\u001B[?2004h';
    stream.receive({ type: 'skipped', bytes: 5_000, modes, rendition: '\u001B[1m' });
    stream.receive(output('two', 5_006));
    await settle();
    expect(terminal.buffer.active.type).toBe('alternate');
    expect(terminal.modes.bracketedPasteMode).toBe(true);
    const line = terminal.buffer.active.getLine(terminal.rows - 1);
    expect(line?.translateToString(true)).toBe('two');
    expect(line?.getCell(0)?.isBold()).toBeGreaterThan(0);
    expect(
      terminal.buffer.active
        .getLine(terminal.rows - 2)
        ?.getCell(1)
        ?.isBold(),
    ).toBe(0);
  });

  it('are told on a line of their own, where they are missing', async () => {
    const { terminal, stream, facts, settle } = startWorld();
    stream.receive({ type: 'skipped', bytes: 2_100_000, modes: '', rendition: '' });
    stream.receive(output('one\u001B[3', 6));
    stream.receive({ type: 'skipped', bytes: 800, modes: '', rendition: '' });
    stream.receive(output('two', 809));
    await settle();
    expect(screenText(terminal.buffer.active)).toBe(' 2.1 MB of output skipped\none\n 800 B of output skipped\ntwo');
    expect(facts).toEqual(['skipped 2100000', 'skipped 800']);
  });
});

describe('what an interrupt has the host skip', () => {
  const skipped: HostToPane = { type: 'skipped', from: 0, bytes: 1_000_000, modes: '\u001B[?2004h', rendition: '' };

  it('is dropped where it waits, and told on one line with what was never given', async () => {
    const { terminal, stream, sent, facts, places, settle, pace } = startWorld();
    pace.haste = 'in-turn';
    // Parsed at once: nobody had a turn.
    stream.receive(output('drawn\r\n', 7));
    await settle();
    stream.receive(output('x'.repeat(4_993), 5_000));
    stream.receive({ type: 'skipped', bytes: 3_000, modes: '', rendition: '' });
    const entry: TimelineEntry = {
      ...{ number: 1, atMs: 0, offset: 9_000 },
      ...{ by: { kind: 'person' }, act: { kind: 'wrote', times: 1, bytes: 1 } },
    };
    stream.receive({ ...output('y'.repeat(2_000), 10_000), inputs: [entry] } as HostToPane);
    stream.receive({ type: 'size', size: { cols: 40, rows: 10 } });
    pace.haste = 'interrupted';
    stream.receive({ type: 'together', messages: [skipped, output('$ ', 1_000_002)] });
    await vi.waitFor(() => expect(acks(sent).at(-1)).toBe(1_000_002));
    expect(screenText(terminal.buffer.active)).toMatch(/^drawn\n+ 1\.0 MB of output skipped\n\$$/);
    expect(terminal.modes.bracketedPasteMode).toBe(true);
    expect(terminal.cols).toBe(40);
    expect(facts).toEqual(['input 1 at 0', 'skipped 999993']);
    expect(places).toEqual([0, 7, 7, 1_000_000, 1_000_002]);
  });

  it('is not what a turn has begun with', async () => {
    const { terminal, stream, sent, facts, pace } = startWorld();
    pace.haste = 'in-turn';
    stream.receive(output(`${'x'.repeat(2_046)}\r\n${'y'.repeat(2_000)}`, 4_048));
    stream.receive(skipped);
    pace.haste = 'interrupted';
    stream.receive(output('$ ', 1_000_002));
    await vi.waitFor(() => expect(acks(sent).at(-1)).toBe(1_000_002));
    expect(screenText(terminal.buffer.active)).toMatch(/^[x\n]+ 998 kB of output skipped\n\$$/);
    expect(facts).toEqual([`skipped ${1_000_000 - 2_048}`]);
  });
});

describe('a new size of the pane', () => {
  it('goes to the host and to the terminal', async () => {
    const { terminal, stream, sent, settle } = startWorld();
    stream.requestSize({ cols: 100, rows: 30 });
    await settle();
    expect(sent).toEqual([{ type: 'resize', size: { cols: 100, rows: 30 } }]);
    expect([terminal.cols, terminal.rows]).toEqual([100, 30]);
  });

  it('waits for the output before it, and comes back after output that the host says was made for another', async () => {
    const { terminal, stream, settle } = startWorld();
    stream.receive(output('\u001B[999C|', 7));
    stream.requestSize({ cols: 100, rows: 30 });
    stream.receive({ type: 'size', size: { cols: 90, rows: 24 } });
    stream.receive(output('\r\n\u001B[999C|', 16));
    await settle();
    expect(screenText(terminal.buffer.active)).toBe(`${' '.repeat(79)}|\n${' '.repeat(89)}|`);
    expect([terminal.cols, terminal.rows]).toEqual([100, 30]);
  });
});

describe('the places of the output', () => {
  it('are told before and after each message, and every two kilobytes of a long one', async () => {
    const { stream, places, sent, settle } = startWorld();
    stream.receive(output('a line\r\n', 108));
    stream.receive(output('x\r\n'.repeat(1_400), 4_308));
    await settle();
    expect(places).toEqual([100, 108, 108, 2_156, 4_204, 4_308]);
    expect(acks(sent)).toEqual([4_308]);
  });
});

describe('spans of input', () => {
  const entry: TimelineEntry = {
    ...{ number: 4, atMs: 0, offset: 2 },
    ...{ by: { kind: 'person' }, act: { kind: 'wrote', times: 1, bytes: 1 } },
  };

  it('are told between the bytes that they came between', async () => {
    const { stream, facts, places, settle } = startWorld();
    const at = (number: number, offset: number): TimelineEntry => ({ ...entry, number, offset });
    const inputs = [at(3, 0), entry, at(5, 4), at(6, 4)];
    stream.receive({ ...output('$ ls-l', 6), inputs } as HostToPane);
    stream.receive({ type: 'inputs', entries: [at(7, 6)] });
    await settle();
    expect(facts).toEqual(['input 3 at 0', 'input 4 at 2', 'input 5,6 at 4', 'input 7 at 6']);
    expect(places).toEqual([0, 2, 4, 6]);
  });

  it('do not come between a key and its echo: told at once where nothing waits to be parsed', async () => {
    const { stream, facts, settle } = startWorld();
    stream.receive(output('$ ', 2));
    await settle();
    stream.receive({ ...output('l', 3), inputs: [entry] } as HostToPane);
    expect(facts).toEqual(['input 4 at 2']);
    await settle();
    stream.receive({ type: 'inputs', entries: [entry] });
    expect(facts).toEqual(['input 4 at 2', 'input 4 at 3']);
  });
});

describe('a size that somebody else changes', () => {
  const size = (cols: number, rows: number): HostToPane => ({ type: 'size', size: { cols, rows } });

  it('counts from when the host had told the wanted one', async () => {
    const { stream, terminal, settle } = startWorld();
    stream.requestSize({ cols: 100, rows: 30 });
    stream.receive(output('made before', 11));
    stream.receive(size(100, 30));
    stream.receive(size(80, 24));
    stream.receive(output('made after', 21));
    await settle();
    expect([terminal.cols, terminal.rows]).toEqual([80, 24]);
  });

  it('counts at once when the wish is withdrawn', async () => {
    const { stream, terminal, settle } = startWorld();
    stream.requestSize({ cols: 100, rows: 30 });
    await settle();
    stream.keepToldSize();
    stream.receive(size(80, 24));
    stream.receive(output('made after', 10));
    await settle();
    expect([terminal.cols, terminal.rows]).toEqual([80, 24]);
  });
});

describe('reports of the mouse and of the focus', () => {
  it.each([
    ['\u001B[I', 'focus'],
    ['\u001B[<35;10;4M', 'SGR mouse'],
    ['\u001B[M !!', 'X10 mouse'],
  ])('%j (%s) is sent only by whoever holds the keyboard', (data) => {
    const { stream, terminal, sent } = startWorld();
    stream.setReports(false);
    terminal.input(data);
    terminal.input('k');
    stream.setReports(true);
    terminal.input(data);
    expect(inputs(sent)).toEqual(['k', data]);
  });

  it('are told from keys that begin alike', () => {
    const { stream, terminal, sent } = startWorld();
    stream.setReports(false);
    const keys = ['\u001B[A', '\u001B[1;5C', '\u001BOM', '\u001B[3~', '\u001B[Ik'];
    for (const key of keys) {
      terminal.input(key);
    }
    expect(inputs(sent)).toEqual(keys);
  });
});
