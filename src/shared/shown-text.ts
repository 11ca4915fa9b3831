/**
 * Text of others as a person is shown it: a command that she approves, a name, a path, a message. Nothing in it is unseen, and
 * nothing turns the order in which she reads the rest (CVE-2021-42574, "Trojan Source"; Unicode UTS 55).
 */

/**
 * Controls, what draws nothing (no width, direction of writing, fillers, tags, variation selectors), ends of lines and
 * paragraphs, what has no meaning that all agree on, halves of surrogate pairs, and the empty braille pattern.
 */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u2800]`;

/** Spaces that part no words for a shell: all but the plain one. */
const OTHER_SPACE = String.raw`(?! )\p{Zs}`;

/** One sign to the eye, whose joiners and selectors choose how it is drawn: 👩‍👩‍👧, ❤️, 1️⃣ (UTS 51). Of joined ones those that fonts know. */
const EMOJI_PART = String.raw`(?!\p{Cn})\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?`;
const EMOJI = String.raw`\p{RGI_Emoji}|${EMOJI_PART}|[0-9#*]\ufe0f\u20e3`;

/** Scripts whose letters take another shape at a joiner, or at its opposite (Unicode, chapters 9 and 12). */
const JOINED = ['Arab', 'Beng', 'Deva', 'Gujr', 'Guru', 'Knda', 'Mlym', 'Orya', 'Sinh', 'Taml', 'Telu'];
/** Between two letters of one script; a script has signs of its own that are unseen, as U+061C. */
const JOINER = JOINED.map(
  (script) => String.raw`(?!${UNSEEN})\p{Script=${script}}[\u200c\u200d](?=(?!${UNSEEN})\p{Script=${script}})`,
).join('|');

/** What is drawn comes first: its parts are not looked at one by one. */
const IN_WORDS = new RegExp(`(${EMOJI}|${JOINER})|${UNSEEN}`, 'gv');
const IN_TEXT = new RegExp(`(${EMOJI}|${JOINER})|${UNSEEN}|${OTHER_SPACE}`, 'gv');

/** Most texts: looked at letter by letter a long script would cost each drawing of its tab some milliseconds. */
const ASCII = /^[ -~]*$/;

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
]);

/** A text that counts by its characters (a command, a path, a name of a variable): `\u202e`, `\u{e0041}`, `\n` for what is unseen. */
export function shownText(text: string): string {
  return ASCII.test(text) ? text : text.replaceAll(IN_TEXT, escaped);
}

/** The same with its line ends and tabs as they are. */
export function shownLines(text: string): string {
  return text.replaceAll(/[^\t\n]+/g, shownText);
}

/** The first character that `shownLines` would write out; null when there is none. */
export function firstUnseen(text: string): string | null {
  for (const [found, drawn] of text.matchAll(IN_TEXT)) {
    if (drawn === undefined && found !== '\t' && found !== '\n') {
      return found;
    }
  }
  return null;
}

/** Words, in which all spaces are alike: they stand as they are, with line ends and tabs. */
export function shownWords(text: string): string {
  return text.replaceAll(/[^\t\n]+/g, (line) => line.replaceAll(IN_WORDS, escaped));
}

/** A name on one line; see `shownWords`. */
export function oneLine(text: string): string {
  return shownWords(text.replaceAll(/[\t-\r ]+/g, ' ')).trim();
}

/** A command on one line; see `shownText`. */
export function oneLineCommand(text: string): string {
  return shownText(text.replaceAll(/[\t-\r ]+/g, ' ')).trim();
}

function escaped(found: string, drawn: string | undefined): string {
  if (drawn !== undefined) {
    return found;
  }
  const code = (found.codePointAt(0) ?? 0).toString(16);
  return SHORT_ESCAPES.get(found) ?? (code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`);
}
