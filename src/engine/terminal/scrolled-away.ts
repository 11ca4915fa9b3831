import { screenEffectOf } from './control-sequences.ts';
import { SkippedModes } from './skipped-modes.ts';

/** Modes that change nothing about where and how text is drawn: keys, mouse and focus reports, pastes, the cursor's looks. */
// oxlint-disable-next-line no-control-regex -- these are control sequences
const HARMLESS_MODES = /^(?:\u001B(?:\[\?(?:1|12|25|9|100[0-6]|1015|1016|2004|2026)[hl]|\[\d* q|[=>]))*$/;

/** DECOM, which `SkippedModes` leaves out. */
// oxlint-disable-next-line no-control-regex -- this is a control sequence
const ORIGIN = /\u001B\[\?(?:\d+;)*6[;hl]/;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Where in a stretch of output the lines begin after which a screen with so many rows has nothing of before: nothing in
 * them goes anywhere but on, so that all of it has scrolled away. -1 where there are none. For a terminal on its normal
 * screen that scrolls as a whole.
 */
export function scrolledAwayFrom(bytes: Uint8Array, rows: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The line that ends here begins the text, and the one after the last may have only begun.
  let lineEnd = buffer.length;
  for (let line = 0; line < rows + 2; line += 1) {
    lineEnd = lineEnd <= 0 ? -1 : buffer.lastIndexOf(LINE_FEED, lineEnd - 1);
  }
  if (lineEnd <= 0 || buffer[lineEnd - 1] !== CARRIAGE_RETURN) {
    return -1;
  }
  const begin = lineEnd + 1;
  const text = buffer.toString('latin1', begin);
  if (screenEffectOf(text) === 'screen' || ORIGIN.test(text)) {
    return -1;
  }
  const own = new SkippedModes();
  own.feed(bytes.subarray(begin));
  return HARMLESS_MODES.test(own.modes) ? begin : -1;
}
