import { describe, expect, it } from 'vitest';
import { scrolledAwayFrom } from './scrolled-away.ts';

const lines = (count: number, line = 'text'): string => `${line}\r\n`.repeat(count);
const from = (output: string): number => scrolledAwayFrom(Buffer.from(output), 5);

describe('lines that scroll a screen of five rows away', () => {
  it.each([
    ['plain text', lines(20)],
    ['colours, tabs and bars in a line', lines(20, '\u001B[31ma\u001B[0m\tb\r50 %\u001B[K')],
    ['pastes, application keys, the cursor’s looks', lines(20, '\u001B[?2004h\u001B[?1h\u001B=\u001B[3 q\u001B[?25lx')],
  ])('are found where there is %s', (_what, output) => {
    const begin = from(output);
    expect(begin).toBeGreaterThan(0);
    expect(output.slice(0, begin).endsWith('\r\n')).toBe(true);
    expect(output.slice(begin).split('\n').length - 1).toBe(6);
  });

  it.each([
    ['too few lines', lines(6)],
    ['a cursor that moves', `${lines(20)}\u001B[2A${lines(3)}`],
    ['another screen', `${lines(20)}\u001B[?1049h${lines(3)}`],
    ['a scroll region', `${lines(20)}\u001B[2;4r${lines(3)}`],
    ['text that does not wrap', `${lines(20)}\u001B[?7l${lines(3)}`],
    ['an origin', `${lines(20)}\u001B[?6h${lines(3)}`],
    ['line drawing characters', `${lines(20)}\u001B(0${lines(3)}`],
    ['another way to the next line', 'text\n'.repeat(20)],
    ['nothing', ''],
  ])('are not found where there is %s', (_what, output) => {
    expect(from(output)).toBe(-1);
  });
});
