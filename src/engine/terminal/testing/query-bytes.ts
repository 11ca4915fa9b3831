import fc from 'fast-check';

/** Questions that xterm.js 6 answers, in each way of writing them. */
export const ANSWERED_QUERIES = {
  DA1: '\u001B[c',
  'DA1 with a parameter': '\u001B[0c',
  'DA1 with a control character inside': '\u001B[\r0\nc',
  'DA1 by a one-character CSI': '\u009Bc',
  DA2: '\u001B[>c',
  'DA2 with a parameter': '\u001B[>0c',
  DSR: '\u001B[5n',
  CPR: '\u001B[6n',
  DECXCPR: '\u001B[?6n',
  DECRQM: '\u001B[?2004$p',
  'DECRQM of an ANSI mode': '\u001B[4$p',
  'DECRQSS of the margins': '\u001BP$qr\u001B\\',
  'DECRQSS of the cursor style': '\u001BP$q q\u001B\\',
  'DECRQSS by one-character DCS and ST': '\u0090$qm\u009C',
  'OSC 4': '\u001B]4;1;?\u001B\\',
  'OSC 4 for two': '\u001B]4;0;?;200;?\u0007',
  'OSC 10': '\u001B]10;?\u001B\\',
  'OSC 10 for all three': '\u001B]10;?;?;?\u0007',
  'OSC 11': '\u001B]11;?\u0007',
  'OSC 12': '\u001B]12;?\u009C',
} as const;

/** Questions that it leaves without an answer. */
export const UNANSWERED_QUERIES = {
  DA3: '\u001B[=c',
  XTVERSION: '\u001B[>q',
  'XTVERSION with a parameter': '\u001B[>0q',
  'the kitty keyboard': '\u001B[?u',
  'size in pixels': '\u001B[14t',
  'size of a cell': '\u001B[16t',
  'size in cells': '\u001B[18t',
  printer: '\u001B[?15n',
  'light or dark': '\u001B[?996n',
  XTGETTCAP: '\u001BP+q544e\u001B\\',
  ENQ: '\u0005',
} as const;

/** Output that looks much like a question. */
export const NO_QUERIES = {
  text: 'plain text [6n ]11;? $q\r\n',
  colours: '\u001B[1;31mred\u001B[0m',
  'a reply that is echoed': '\u001B[?1;2c',
  'mode set': '\u001B[?2004h',
  'soft reset': '\u001B[!p',
  'cursor style': '\u001B[2 q',
  'restore the cursor': '\u001B[u',
  'a colour that is set': '\u001B]11;#102030\u001B\\',
  'a title with a question mark': '\u001B]0;what?\u0007',
  'a question that is cancelled': '\u001B[6\u0018n',
  'a colour question that is cancelled': '\u001B]11;?\u001A',
  'a sixel picture': '\u001BPq#0;2;0;0;0~?\u001B\\',
  'characters that begin with 0xC2': '«©»',
} as const;

const pieces: readonly string[] = [
  ...Object.values(ANSWERED_QUERIES),
  ...Object.values(UNANSWERED_QUERIES),
  ...Object.values(NO_QUERIES),
];

/** Single bytes that mean something to a terminal, and some that break a character or a sequence. */
const CRUMBS = [
  ...[0x1b, 0x5b, 0x5d, 0x50, 0x5c, 0x07, 0x18, 0x05, 0x0a, 0xc2, 0x9b, 0x9c, 0x9d, 0x90, 0x80, 0xff, 0xe2, 0x7f],
  ...Buffer.from('?>=$+;:0156ncpqtur m!'),
];

/** Output full of questions, of parts of questions and of what is like them. */
export const queryfulOutput: fc.Arbitrary<Buffer> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...pieces).map((text) => Buffer.from(text)) },
      fc.array(fc.constantFrom(...CRUMBS), { maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
      fc.tuple(fc.constantFrom(...pieces), fc.nat(8)).map(([text, cut]) => Buffer.from(text).subarray(0, cut)),
      fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ maxLength: 80 }).map((text) => Buffer.from(text)),
    ),
    { maxLength: 20, size: 'max' },
  )
  .map((parts) => Buffer.concat(parts));

/** The bytes in pieces of these lengths, over and over. */
export function cut(bytes: Buffer, lengths: readonly number[]): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = Math.max(1, lengths[parts.length % Math.max(1, lengths.length)] ?? bytes.length);
    parts.push(bytes.subarray(at, at + length));
    at += length;
  }
  return parts;
}
