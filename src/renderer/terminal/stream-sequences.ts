import type { HostToPane } from '../../shared/ipc.ts';
import { bytesText } from '../text/quantity-text.ts';

/**
 * Written when the child is gone: a killed program leaves its modes behind. Mouse reporting would swallow the selection,
 * synchronised output would freeze the picture, and a cursor says that one can type.
 */
export const END_OF_OUTPUT_MODES = '\u001B[?1000;1002;1003;1004;1006;2004;2026l\u001B[?25l';

/** What a terminal with the mode 1004 says that comes into focus. */
export const FOCUS_IN = '\u001B[I';

/** CAN ends a sequence that the lost bytes have cut in half. */
const ABORT_SEQUENCE = '\u0018';

/** To choose some modes moves the cursor to the top, over what is shown. */
const TO_LAST_LINE = '\u001B[9999;1H';

/** Focus in and out (1004), and the mouse as SGR, urxvt and X10 tell it (1006, 1015, 1000). */
export function isReport(data: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these are the reports
  return /^\u001B\[(?:[IO]|<[\d;]+[Mm]|[\d;]+M|M[^]{3})$/.test(data);
}

/** A line of its own, in reverse video, where the bytes are missing, and the modes as they left them. */
export function skippedLine(
  { bytes, modes, rendition }: Extract<HostToPane, { type: 'skipped' }>,
  isInside: boolean,
): string {
  const line = `\u001B[7m ${bytesText(bytes)} of output skipped \u001B[0m\r\n`;
  const chosen = modes === '' ? '' : `${modes}${TO_LAST_LINE}`;
  return `${isInside ? `${ABORT_SEQUENCE}\u001B[0m${chosen}\r\n` : chosen}${line}${rendition}`;
}
