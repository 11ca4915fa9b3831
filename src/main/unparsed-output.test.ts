import { expect, test } from 'vitest';
import { UnparsedOutput } from './unparsed-output.ts';

const ESC = '\u001B';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('what was not acknowledged is taken back from where the pane is, with all that it chose', () => {
  const unparsed = new UnparsedOutput();
  expect(unparsed.take()).toBeNull();
  unparsed.given(0, bytes(`${ESC}[?1h`));
  unparsed.given(5, bytes(`${ESC}[32m${ESC}[?1049h`));
  unparsed.skipped({ from: 18, bytes: 1_000, chosen: `${ESC}[?1047l${ESC}[?2004h${ESC}[1m` });
  unparsed.given(1_018, bytes(`${ESC}[3`));
  unparsed.given(1_021, bytes('3m$ '));
  unparsed.acknowledged(10);
  unparsed.acknowledged(5);
  const taken = unparsed.take();
  expect({ from: taken?.from, to: taken?.to }).toEqual({ from: 10, to: 1_025 });
  expect(taken?.modes.modes).toBe(`${ESC}[?1047l${ESC}[?2004h`);
  expect(taken?.modes.rendition).toBe(`${ESC}[32m${ESC}[1m${ESC}[1m${ESC}[33m`);
  expect(unparsed.take()).toBeNull();
});

test('what was acknowledged is not kept', () => {
  const unparsed = new UnparsedOutput();
  unparsed.given(0, bytes('one'));
  unparsed.skipped({ from: 3, bytes: 10, chosen: '' });
  unparsed.acknowledged(13);
  expect(unparsed.take()).toBeNull();
});

test('what was cut by a skip is not joined with what comes after it', () => {
  const unparsed = new UnparsedOutput();
  unparsed.given(0, bytes(`one${ESC}[?2004`));
  unparsed.skipped({ from: 10, bytes: 90, chosen: '' });
  unparsed.given(100, bytes('hello'));
  expect(unparsed.take()?.modes.modes).toBe('');
});
