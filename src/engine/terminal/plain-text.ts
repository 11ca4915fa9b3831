import type { TerminalSize } from '../../shared/session.ts';
import { screenEffectOf, withoutControls } from './control-sequences.ts';
import { feed, headlessTerminal, linesOf } from './headless-terminal.ts';

/** Output to be made into text, and what is known of the place it begins at. */
export interface PlainTextRequest {
  readonly text: string;
  /** Some of the output just before it, from the start of a line on; what the reader has had already. */
  readonly context: string;
  /** Whether the alternate screen was on where the context begins. */
  readonly onAlternate: boolean;
  /** Null on pipes. */
  readonly size: TerminalSize | null;
}

/** Of a child without a terminal: wide enough to wrap nothing that goes back within a line. */
const PIPE_SIZE: TerminalSize = { cols: 2_000, rows: 24 };

/**
 * Lines given to one terminal, so that none leaves it at the top: 5,000 lines of 80 cells take some 5 MB. More are
 * rendered part by part.
 */
const RENDERED_LINES = 4_000;

/** Between two lines that have nothing to do with each other: colours and character sets begin anew. */
const NEXT_LINE = '\u001B[m\u000F\r\n';

/** What of a part the next one is told as its context, in characters. */
const CONTEXT_CHARACTERS = 4_096;

/**
 * Output as a person would have seen it, for a model: no escape codes, a progress bar in its last state, lines as they
 * were printed and not as they were wrapped. What only changes colours and titles is taken out; a terminal is asked
 * only about lines that go back, and about all of it where the cursor moves between lines. There, tabs are blanks.
 *
 * Answers only what is new after `context`: of a line that was changed since, all of it again. What a full-screen
 * program draws on the alternate screen is no text.
 */
export async function plainText(request: PlainTextRequest): Promise<string> {
  const { text, context, onAlternate, size } = request;
  const effect = screenEffectOf(text);
  if (effect === 'screen' || onAlternate || (effect === 'line' && screenEffectOf(context) === 'screen')) {
    return renderedScreen(request);
  }
  return effect === 'none' && !/[\r\b]$/.test(context) ? withoutControls(text) : renderedLines(text, context, size);
}

/** Each line by itself: only those that go back are given to the terminal. */
async function renderedLines(text: string, context: string, size: TerminalSize | null): Promise<string> {
  const begun = context.slice(context.lastIndexOf('\n') + 1);
  const lines = text.split('\n');
  const isDirty = (line: string, at: number) => screenEffectOf(line) !== 'none' || (at === 0 && /[\r\b]$/.test(begun));
  const dirty = lines.flatMap((line, at) => (isDirty(line, at) ? [at === 0 ? begun + line : line] : []));
  const [before = '', ...rendered] = await renderEach([begun, ...dirty], size);
  let next = 0;
  const answer = lines.map((line, at) => {
    if (!isDirty(line, at)) {
      return withoutControls(line);
    }
    const after = rendered[next++] ?? '';
    return at === 0 && after.startsWith(before) ? after.slice(before.length) : after;
  });
  return withoutControls(answer.join('\n'));
}

/** What each line looks like in the end. They go through one terminal, one below the other. */
async function renderEach(lines: readonly string[], size: TerminalSize | null): Promise<readonly string[]> {
  const rendered: string[] = [];
  for (let at = 0; at < lines.length; at += RENDERED_LINES) {
    const part = lines.slice(at, at + RENDERED_LINES);
    const seen = await seenLines(part.join(NEXT_LINE), size);
    // None of them can leave its line, so that there are as many as before; the last ones may be empty.
    rendered.push(...part.map((_line, index) => seen[index] ?? ''));
  }
  return rendered;
}

async function seenLines(text: string, size: TerminalSize | null): Promise<readonly string[]> {
  // Wrapped lines take several rows.
  const { cols } = size ?? PIPE_SIZE;
  const scrollback = RENDERED_LINES + Math.ceil(text.length / Math.max(1, cols - 1));
  const terminal = headlessTerminal({ size: size ?? PIPE_SIZE, scrollback, convertEol: true });
  try {
    await feed(terminal, text);
    return linesOf(terminal.buffer.normal);
  } finally {
    terminal.dispose();
  }
}

async function renderedScreen({ text, context, onAlternate, size }: PlainTextRequest): Promise<string> {
  const cut = nthLineEnd(text, RENDERED_LINES);
  if (cut < text.length) {
    const [head, tail] = [text.slice(0, cut), text.slice(cut)];
    const next = lineTail(context + head);
    const isOnAlternate = await endsOnAlternate(context + head, onAlternate);
    const first = await renderedScreen({ text: head, context, onAlternate, size });
    return first + (await plainText({ text: tail, context: next, onAlternate: isOnAlternate, size }));
  }
  const terminal = headlessTerminal({
    size: size ?? PIPE_SIZE,
    scrollback: RENDERED_LINES + CONTEXT_CHARACTERS,
    convertEol: size === null,
  });
  try {
    await feed(terminal, (onAlternate ? '\u001B[?1049h' : '') + context);
    const before = linesOf(terminal.buffer.normal);
    await feed(terminal, text);
    return withoutControls(newLines(before, linesOf(terminal.buffer.normal)));
  } finally {
    terminal.dispose();
  }
}

/** What the lines after have that those before had not: the rest of the last line, or all from the first changed one on. */
function newLines(before: readonly string[], after: readonly string[]): string {
  const changed = before.findIndex((line, at) => after[at] !== line);
  if (changed === -1) {
    return ['', ...after.slice(before.length)].join('\n');
  }
  const [old = '', now = ''] = [before[changed], after[changed]];
  const grew = changed === before.length - 1 && now.startsWith(old);
  return [grew ? now.slice(old.length) : now, ...after.slice(changed + 1)].join('\n');
}

async function endsOnAlternate(text: string, onAlternate: boolean): Promise<boolean> {
  const terminal = headlessTerminal({ size: { cols: 80, rows: 24 }, scrollback: 0, convertEol: false });
  try {
    await feed(terminal, (onAlternate ? '\u001B[?1049h' : '') + text);
    return terminal.buffer.active.type === 'alternate';
  } finally {
    terminal.dispose();
  }
}

/** Where the line with that number ends, after its newline; the end of the text when it has fewer. */
function nthLineEnd(text: string, lines: number): number {
  let at = 0;
  for (let line = 0; line < lines; line += 1) {
    const end = text.indexOf('\n', at);
    if (end === -1) {
      return text.length;
    }
    at = end + 1;
  }
  return at;
}

function lineTail(text: string): string {
  const tail = text.slice(-CONTEXT_CHARACTERS);
  return tail.length === text.length ? tail : tail.slice(tail.indexOf('\n') + 1);
}
