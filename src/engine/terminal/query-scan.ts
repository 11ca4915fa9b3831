import { FolderNote } from './folder-note.ts';
import { ProgressNote } from './progress-note.ts';

/**
 * What a stretch of output asks of a terminal.
 *
 * - `nothing`: no question ends in it.
 * - `unanswered`: a question that the terminal we claim to be leaves without an answer, in a window as in the host.
 * - `answered`: a question that it may answer. May, since only a terminal can tell: a colour number may be out of range.
 */
export type Asked = 'nothing' | 'unanswered' | 'answered';

const ENQ = 0x05;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const DELETE = 0x7f;
/** First byte of U+0080 to U+00BF in UTF-8, where the one-character forms of CSI, DCS, OSC and ST are. */
const C1_LEAD = 0xc2;
const C1_DCS = 0x90;
const C1_CSI = 0x9b;
const C1_ST = 0x9c;
const C1_OSC = 0x9d;

const SEMICOLON = 0x3b;
const COLON = 0x3a;
const QUESTION_MARK = 0x3f;
const GREATER_THAN = 0x3e;
const EQUALS = 0x3d;
const DOLLAR = 0x24;
const PLUS = 0x2b;
const NONE = 0;

// The answers as numbers, so that the greatest one is what a stretch asks.
const NOTHING = 0;
const UNANSWERED = 1;
const ANSWERED = 2;
const NAMES: readonly [Asked, Asked, Asked] = ['nothing', 'unanswered', 'answered'];

/** Also inside what is skipped: the payload of a string that asks nothing, or the rest of a malformed sequence. */
const TEXT = 0;
const AFTER_ESC = 1;
const IN_CSI = 2;
const IN_DCS_HEAD = 3;
const IN_DCS_QUESTION = 4;
const IN_OSC_NUMBER = 5;
const IN_OSC_COLOURS = 6;
const IN_OSC_NOTE = 7;
const IN_OSC_FOLDER = 8;

/** Numbers are counted up to here; no question has a larger one. */
const LARGEST_NUMBER = 100_000;

/** Window reports (CSI Ps t): state, position, sizes in pixels and cells, icon label, title. */
const WINDOW_REPORTS = new Set([11, 13, 14, 15, 16, 18, 19, 20, 21]);

/** OSC numbers of colours: a palette entry, foreground, background, cursor. */
const COLOUR_NUMBERS = new Set([4, 10, 11, 12]);

/** OSC number of notes to the terminal, about progress among others. */
const NOTE_NUMBER = 9;

/** OSC number of the folder that a program is in. */
const FOLDER_NUMBER = 7;

/**
 * Bytes looked at one by one before the search is handed to memchr, whose call costs as much as some fifty of them. Lower
 * makes coloured text slower, higher plain text.
 */
const NEAR_BYTES = 48;

const STARTS_SOMETHING = new Uint8Array(256);
STARTS_SOMETHING[ESC] = 1;
STARTS_SOMETHING[C1_LEAD] = 1;
STARTS_SOMETHING[ENQ] = 1;

/** Final bytes of the CSI questions. */
const ENDS_A_QUESTION = new Uint8Array(256);
for (const final of 'cnpqtu') {
  ENDS_A_QUESTION[final.charCodeAt(0)] = 1;
}

/**
 * Finds terminal questions in output that comes in pieces cut anywhere. Keeps a few numbers between the pieces and
 * allocates nothing.
 *
 * It never misses what xterm.js 6 answers, and tells of it at the very byte at which xterm.js answers: the final byte of a
 * CSI, and of a string ended by ST the *ESC* of `ESC \`. It may tell of more. Grammar: the state machine of
 * vt100.net/emu/dec_ansi_parser; sequences: invisible-island.net/xterm/ctlseqs, and for `CSI ? u` the kitty keyboard
 * protocol.
 *
 * ```
 * CSI c  CSI > c  CSI 5 n  CSI 6 n  CSI ? 6 n  CSI Ps $ p  CSI ? Ps $ p  DCS $ q … ST       answered
 * OSC 4 ; n ; ? ST  OSC 10 ; ? ST  OSC 11 ; ? ST  OSC 12 ; ? ST                             answered
 * CSI = c  CSI > q  CSI ? u  CSI 14 t and its like  CSI ? Ps n  DCS + q … ST  ENQ           unanswered
 * ```
 *
 * On the way it reads what the program says of its progress and of its folder: strings of the same kind, which cost no look of
 * their own.
 */
export class QueryScan {
  readonly #note: ProgressNote;
  readonly #folder: FolderNote;
  #state = TEXT;
  /** The last byte was 0xC2. */
  #isAfterLead = false;
  /** `<`, `=`, `>` or `?` at the start of a CSI or DCS. */
  #prefix = NONE;
  /** The last byte of 0x20–0x2F in a CSI or DCS. */
  #intermediate = NONE;
  /** First parameter of a CSI, or the number of an OSC. */
  #number = 0;
  #isNumberOver = false;
  /** What the string that is being read asks when it ends. */
  #stringAsks = NOTHING;

  constructor(note = new ProgressNote(), folder = new FolderNote()) {
    this.#note = note;
    this.#folder = folder;
  }

  /** Takes the next bytes and tells what the questions that *end* in them ask. */
  scan(bytes: Uint8Array): Asked {
    let found = NOTHING;
    let at = 0;
    // Where the next one is, at or after `at`; each is looked for again only when it has been passed.
    let escape = -1;
    let lead = -1;
    let enquiry = -1;
    while (at < bytes.length) {
      if (this.#state === TEXT && !this.#isAfterLead) {
        const near = Math.min(bytes.length, at + NEAR_BYTES);
        while (at < near && STARTS_SOMETHING[bytes[at] as number] === 0) {
          at += 1;
        }
        if (at === near) {
          escape = escape < at ? find(bytes, ESC, at) : escape;
          lead = lead < at ? find(bytes, C1_LEAD, at) : lead;
          enquiry = enquiry < at ? find(bytes, ENQ, at) : enquiry;
          at = Math.min(escape, lead, enquiry);
          if (at >= bytes.length) {
            break;
          }
        }
        const harmless = harmlessBytes(bytes, at);
        if (harmless > 0) {
          at += harmless;
          continue;
        }
      }
      found = Math.max(found, this.#take(bytes[at] as number));
      at += 1;
    }
    return NAMES[found] as Asked;
  }

  #take(byte: number): number {
    if (this.#isAfterLead) {
      this.#isAfterLead = false;
      if (byte >= 0x80 && byte < 0xa0) {
        return this.#takeC1(byte);
      }
      if (this.#state === IN_OSC_FOLDER) {
        this.#takeInOscFolder(C1_LEAD);
      }
    }
    switch (byte) {
      case ESC: {
        const asked = this.#endString();
        this.#state = AFTER_ESC;
        return asked;
      }
      case C1_LEAD:
        this.#isAfterLead = true;
        return NOTHING;
      case ENQ:
        return UNANSWERED;
      case CAN:
      case SUB:
        this.#state = TEXT;
        return NOTHING;
      default:
        break;
    }
    switch (this.#state) {
      case AFTER_ESC:
        this.#takeAfterEsc(byte);
        return NOTHING;
      case IN_CSI:
        return this.#takeInCsi(byte);
      case IN_DCS_HEAD:
        this.#takeInDcsHead(byte);
        return NOTHING;
      case IN_OSC_NUMBER:
        this.#takeInOscNumber(byte);
        return NOTHING;
      case IN_OSC_COLOURS:
        if (byte === BEL) {
          return this.#endString();
        }
        if (byte === QUESTION_MARK) {
          this.#stringAsks = ANSWERED;
        }
        return NOTHING;
      case IN_OSC_NOTE:
        this.#takeInOscNote(byte);
        return NOTHING;
      case IN_OSC_FOLDER:
        this.#takeInOscFolder(byte);
        return NOTHING;
      default:
        return NOTHING;
    }
  }

  #takeC1(byte: number): number {
    switch (byte) {
      case C1_ST:
        return this.#endString();
      case C1_CSI:
        this.#begin(IN_CSI);
        return NOTHING;
      case C1_DCS:
        this.#begin(IN_DCS_HEAD);
        return NOTHING;
      case C1_OSC:
        this.#begin(IN_OSC_NUMBER);
        return NOTHING;
      default:
        return NOTHING;
    }
  }

  #takeAfterEsc(byte: number): void {
    if (byte === 0x5b) {
      this.#begin(IN_CSI);
    } else if (byte === 0x50) {
      this.#begin(IN_DCS_HEAD);
    } else if (byte === 0x5d) {
      this.#begin(IN_OSC_NUMBER);
    } else if (!isSkipped(byte)) {
      this.#state = TEXT;
    }
  }

  #takeInCsi(byte: number): number {
    if (isSkipped(byte) || this.#takeHead(byte)) {
      return NOTHING;
    }
    this.#state = TEXT;
    return this.#csiAsks(byte);
  }

  #takeInDcsHead(byte: number): void {
    if (isSkipped(byte) || this.#takeHead(byte)) {
      return;
    }
    const isQuestion = byte === 0x71 && this.#prefix === NONE; // q
    if (isQuestion && this.#intermediate === DOLLAR) {
      this.#stringAsks = ANSWERED;
      this.#state = IN_DCS_QUESTION;
    } else if (isQuestion && this.#intermediate === PLUS) {
      this.#stringAsks = UNANSWERED;
      this.#state = IN_DCS_QUESTION;
    } else {
      this.#state = TEXT;
    }
  }

  /** Takes what stands before the final byte of a CSI or DCS; false for that byte itself. */
  #takeHead(byte: number): boolean {
    if (byte >= 0x40) {
      return false;
    }
    if (byte < 0x30) {
      this.#intermediate = byte;
      this.#isNumberOver = true;
    } else if (byte > SEMICOLON) {
      this.#prefix = byte;
    } else if (byte === SEMICOLON || byte === COLON) {
      this.#isNumberOver = true;
    } else if (!this.#isNumberOver) {
      this.#takeDigit(byte);
    }
    return true;
  }

  #takeInOscNumber(byte: number): void {
    if (byte === SEMICOLON && this.#number === NOTE_NUMBER) {
      this.#state = IN_OSC_NOTE;
      this.#note.begin();
    } else if (byte === SEMICOLON && this.#number === FOLDER_NUMBER) {
      this.#state = IN_OSC_FOLDER;
      this.#folder.begin();
    } else if (byte === SEMICOLON) {
      this.#state = COLOUR_NUMBERS.has(this.#number) ? IN_OSC_COLOURS : TEXT;
    } else if (byte >= 0x30 && byte <= 0x39) {
      this.#takeDigit(byte);
    } else if (byte === BEL || byte === DELETE || !isSkipped(byte)) {
      this.#state = TEXT;
    }
  }

  #takeInOscNote(byte: number): void {
    if (byte === BEL) {
      this.#endString();
    } else if (!isSkipped(byte) && !this.#note.take(byte)) {
      this.#state = TEXT;
    }
  }

  #takeInOscFolder(byte: number): void {
    if (byte === BEL) {
      this.#endString();
    } else if (!this.#folder.take(byte)) {
      this.#state = TEXT;
    }
  }

  #takeDigit(byte: number): void {
    this.#number = Math.min(LARGEST_NUMBER, this.#number * 10 + byte - 0x30);
  }

  #csiAsks(final: number): number {
    const prefix = this.#prefix;
    const number = this.#number;
    if (this.#intermediate !== NONE) {
      const isMode = final === 0x70 && this.#intermediate === DOLLAR; // p
      return isMode && (prefix === NONE || prefix === QUESTION_MARK) ? ANSWERED : NOTHING;
    }
    switch (final) {
      case 0x63: // c
        if (number !== 0) {
          return NOTHING;
        }
        if (prefix === EQUALS) {
          return UNANSWERED;
        }
        return prefix === NONE || prefix === GREATER_THAN ? ANSWERED : NOTHING;
      case 0x6e: // n
        if (number === 6 && (prefix === NONE || prefix === QUESTION_MARK)) {
          return ANSWERED;
        }
        if (prefix === NONE) {
          return number === 5 ? ANSWERED : NOTHING;
        }
        return prefix === QUESTION_MARK ? UNANSWERED : NOTHING;
      case 0x71: // q
        return prefix === GREATER_THAN ? UNANSWERED : NOTHING;
      case 0x74: // t
        return prefix === NONE && WINDOW_REPORTS.has(number) ? UNANSWERED : NOTHING;
      case 0x75: // u
        return prefix === QUESTION_MARK ? UNANSWERED : NOTHING;
      default:
        return NOTHING;
    }
  }

  #begin(state: number): void {
    this.#state = state;
    this.#prefix = NONE;
    this.#intermediate = NONE;
    this.#number = 0;
    this.#isNumberOver = false;
    this.#stringAsks = NOTHING;
  }

  /** What the string that ends here asks, when one is being read. */
  #endString(): number {
    if (this.#state === IN_OSC_NOTE) {
      this.#note.end();
    } else if (this.#state === IN_OSC_FOLDER) {
      this.#folder.end();
    }
    const isString = this.#state === IN_OSC_COLOURS || this.#state === IN_DCS_QUESTION;
    this.#state = TEXT;
    return isString ? this.#stringAsks : NOTHING;
  }
}

/**
 * Control characters take effect inside a sequence without ending it. A byte above ASCII may be part of no character, which
 * a decoder drops, and then the sequence goes on as well.
 */
function isSkipped(byte: number): boolean {
  return byte < 0x20 || byte >= DELETE;
}

/**
 * Length of what stands at `at` when that is clearly no question and all there: a CSI with another final byte, such as the
 * colours and moves that output is full of, or a character that begins with 0xC2. 0 when the state machine has to look.
 */
function harmlessBytes(bytes: Uint8Array, at: number): number {
  const next = bytes[at + 1];
  if (next === undefined || bytes[at] === ENQ) {
    return 0;
  }
  if (bytes[at] === C1_LEAD) {
    return next >= 0x80 && next < 0xa0 ? 0 : 1;
  }
  if (bytes[at] !== ESC || next !== 0x5b) {
    return 0;
  }
  let end = at + 2;
  while (end < bytes.length && (bytes[end] as number) >= 0x20 && (bytes[end] as number) < 0x40) {
    end += 1;
  }
  const final = bytes[end];
  const isFinal = final !== undefined && final >= 0x40 && final < DELETE;
  return isFinal && ENDS_A_QUESTION[final] === 0 ? end + 1 - at : 0;
}

/** First place of the byte at or after `from`, or the length. memchr for what a child printed, which comes as `Buffer`. */
function find(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? bytes.length : at;
}
