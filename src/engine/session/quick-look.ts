/* oxlint-disable no-control-regex -- control characters are what this is about */
import type { FindQuery } from '../../shared/output-search.ts';

/** Changes nothing that can be read where nothing moves the cursor back: colours, and the rest of a line erased. */
const WITHOUT_EFFECT = /\u001B\[(?:[0-9;:]*m|0?K)/g;

/** Whatever else is no text, so that only `LineCells` can tell what is to be read. */
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]|\r(?!\n)/;

const ESC = 0x1b;

/**
 * Whether bytes certainly show no match of a text. Most output is lines one below the other, and in most of it is nothing
 * that is looked for: as one string that is seen ten times as fast as character by character. Of a part of a line nothing is certain that has a sequence in it.
 */
export function hasNoMatch(bytes: Uint8Array, { text, matchCase }: FindQuery, isPart: boolean): boolean {
  // What lower case is may depend on what stands around a character.
  const isSimple = matchCase || /^[\u0020-\u007E]*$/.test(text);
  const hasSequences = bytes.includes(ESC);
  if (!isSimple || (isPart && hasSequences)) {
    return false;
  }
  const printed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const shown = hasSequences ? printed.replace(WITHOUT_EFFECT, '') : printed;
  if (CONTROLS.test(shown) || (text.includes(' ') && shown.includes('\t'))) {
    return false;
  }
  return matchCase ? !shown.includes(text) : !shown.toLowerCase().includes(text.toLowerCase());
}
