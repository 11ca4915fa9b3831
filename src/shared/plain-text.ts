/** Longest string (OSC, DCS and their like) that is passed over, in characters: one that never ends hides no more than this. */
const MAX_STRING = 64 * 1024;

const BEL = 0x07;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const DELETE = 0x7f;
const C1_CSI = 0x9b;
const C1_END = 0x9f;

/** What opens a string after ESC, and as one character: DCS, SOS, OSC, PM, APC. */
const STRING_OPENERS = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f]);
const C1_STRING_OPENERS = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);

type State = 'text' | 'after-esc' | 'after-intermediate' | 'csi' | 'string' | 'string-esc';

/** A `TextDecoder`, which not every place that this runs in has by itself. */
interface StreamingDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream: boolean }): string;
}

/**
 * Output as text that does nothing to a terminal, from pieces cut anywhere: control sequences and control characters are
 * left out, the line ends of a terminal are plain ones. Grammar: vt100.net/emu/dec_ansi_parser.
 */
export class PlainText {
  readonly #decoder: StreamingDecoder;
  #state: State = 'text';
  #stringLength = 0;
  /** A CR came last: with an LF after it, it is a line end. */
  #heldCr = false;

  /** The decoder is this one's alone: it has half characters in it. */
  constructor(decoder: StreamingDecoder) {
    this.#decoder = decoder;
  }

  push(bytes: Uint8Array): string {
    return this.pushText(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The same for what is text already. */
  pushText(text: string): string {
    let plain = '';
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#state === 'text' && isPlain(code) && !this.#heldCr) {
        const start = at;
        while (at + 1 < text.length && isPlain(text.charCodeAt(at + 1))) {
          at += 1;
        }
        plain += text.slice(start, at + 1);
      } else {
        plain += this.#take(code);
      }
    }
    return plain;
  }

  /** Nothing more comes: answers what was held back. */
  end(): string {
    const rest = this.pushText(this.#decoder.decode());
    const cr = this.#heldCr ? '\r' : '';
    this.#heldCr = false;
    return rest + cr;
  }

  #take(code: number): string {
    const cr = this.#heldCr && code !== LF ? '\r' : '';
    this.#heldCr = false;
    if (code === ESC) {
      this.#state = this.#state === 'string' ? 'string-esc' : 'after-esc';
      return cr;
    }
    if (code === CAN || code === SUB) {
      this.#state = 'text';
      return cr;
    }
    switch (this.#state) {
      case 'text':
        return cr + this.#takeText(code);
      case 'after-esc':
        this.#state = stateAfterEsc(code);
        this.#stringLength = 0;
        break;
      case 'after-intermediate':
        this.#state = code >= 0x30 ? 'text' : 'after-intermediate';
        break;
      case 'csi':
        this.#state = code >= 0x40 && code <= 0x7e ? 'text' : 'csi';
        break;
      case 'string':
        this.#stringLength += 1;
        this.#state = code === BEL || code === 0x9c || this.#stringLength > MAX_STRING ? 'text' : 'string';
        break;
      case 'string-esc':
        // ESC \ ends it, and so does any other sequence.
        this.#state = code === 0x5c ? 'text' : stateAfterEsc(code);
        this.#stringLength = 0;
        break;
    }
    return cr;
  }

  #takeText(code: number): string {
    if (code === CR) {
      this.#heldCr = true;
    } else if (code === C1_CSI) {
      this.#state = 'csi';
    } else if (C1_STRING_OPENERS.has(code)) {
      this.#state = 'string';
      this.#stringLength = 0;
    } else if (isPlain(code)) {
      return String.fromCharCode(code);
    }
    return '';
  }
}

function isPlain(code: number): boolean {
  return code === LF || code === TAB || (code >= 0x20 && (code < DELETE || code > C1_END));
}

function stateAfterEsc(code: number): State {
  if (code === 0x5b) {
    return 'csi';
  }
  if (STRING_OPENERS.has(code)) {
    return 'string';
  }
  return code >= 0x20 && code <= 0x2f ? 'after-intermediate' : 'text';
}
