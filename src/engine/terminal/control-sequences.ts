/* oxlint-disable no-control-regex -- control characters are what this is about */
/**
 * What a piece of output does to the screen besides printing:
 * - `none`: its control sequences change colours, titles and modes, and can be taken out;
 * - `line`: it goes back within a line (a progress bar, an edited input line);
 * - `screen`: it moves the cursor between lines, so that only a terminal knows what is seen in the end.
 */
export type ScreenEffect = 'none' | 'line' | 'screen';

// A run of carriage returns is looked at from its begin only: from each of them, half a megabyte would take for ever.

// Escape sequences as ECMA-48 and xterm's "Control Sequences" have them. No group is repeated, so that a payload of
// megabytes costs no stack.
const CSI = String.raw`\u001B\[[0-?]*[ -/]*[@-~]`;
const OSC = String.raw`\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)`;
const STRING = String.raw`\u001B[PX^_][^\u001B]*\u001B\\`;
const OTHER = String.raw`\u001B(?:[ -/]+[0-~]|[0-OQ-WYZ\\\`a-~])`;

const SEQUENCE = new RegExp(`${CSI}|${OSC}|${STRING}|${OTHER}`, 'g');

/** Control characters that are neither a tab, a newline nor the begin of a sequence; C1 and DEL among them. */
const CONTROLS = /[\u0000-\u0008\u000E-\u001F\u007F-\u009F]/g;

/** Within its line: CUF, CUB, CHA, HPA, HPR, ICH, DCH, ECH, EL, ED below, REP, tab stops. */
const WITHIN_LINE = /^\u001B\[(?:[0-9;]*[CDG`a@PXKbIZ]|0?J)$/;

/** Changes nothing that is printed: colours, modes other than the alternate screen's, cursor shapes, reports. */
const WITHOUT_EFFECT =
  /^\u001B(?:\[[0-9;:]*m|\[[?>=<][0-9;:]*[ -/]*[a-zA-Z]|\[[0-9;]*(?: q|[nct])|\[[0-9;]*[hl]|[\]PX^_].*|[=>\\]|[()]B)$/s;

/** DECSET and DECRST of the alternate screen, whatever else they set. */
const ALTERNATE = /^\u001B\[\?(?:[0-9]+;)*(?:47|1047|1049)(?:;[0-9]+)*[hl]$/;

/** Longest escape sequence that is waited for at the end of output, in bytes; what is longer is none. */
const MAX_OPEN_SEQUENCE = 4_096;

/** The strongest effect of anything in a text. */
export function screenEffectOf(text: string): ScreenEffect {
  // A carriage return before a newline goes nowhere, nor do several.
  let effect: ScreenEffect = /[\b\u000E]|(?<!\r)\r+(?![\r\n]|$)/.test(text) ? 'line' : 'none';
  for (const [sequence] of text.matchAll(SEQUENCE)) {
    if (sequence.length <= MAX_OPEN_SEQUENCE && ALTERNATE.test(sequence)) {
      return 'screen';
    }
    if (WITHOUT_EFFECT.test(sequence)) {
      continue;
    }
    if (!WITHIN_LINE.test(sequence)) {
      return 'screen';
    }
    // At the end of a line there is nothing to erase, and in a text without other effects the cursor is always there.
    if (effect === 'none' && !/^\u001B\[0?[KJ]$/.test(sequence)) {
      effect = 'line';
    }
  }
  return effect;
}

/** A text without its control sequences and control characters, its line ends as newlines. */
export function withoutControls(text: string): string {
  return text
    .replace(SEQUENCE, '')
    .replace(/(?<!\r)\r+\n|[\v\f]/g, '\n')
    .replace(CONTROLS, '')
    .replaceAll('\r', '');
}

/** A sequence that has begun and not ended; or a carriage return, which may be half of a line end. */
const OPEN_END = /(?:\u001B(?:\[[0-?]*[ -/]*|\][^\u0007\u001B]*\u001B?|[PX^_][^\u001B]*\u001B?|[ -/]*)|(?<!\r)\r+)$/;

/** Bytes at the end that begin an escape sequence or a line end whose rest has not come. */
export function openEndLength(bytes: Uint8Array): number {
  // One character a byte, whatever the bytes are.
  const tail = Buffer.from(bytes.slice(-MAX_OPEN_SEQUENCE)).toString('latin1');
  return OPEN_END.exec(tail)?.[0].length ?? 0;
}
