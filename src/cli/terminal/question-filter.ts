/** Longest sequence that is held back until it is whole, in bytes; a longer one is no question and passes. */
const MAX_HELD_BYTES = 4_096;

const BEL = 0x07;
const ENQ = 0x05;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const BACKSLASH = 0x5c;
/** After an ESC. */
const DCS = 0x50;
const DECID = 0x5a;
const CSI = 0x5b;
const OSC = 0x5d;

/** OSC numbers of what can be asked for: the palette, colours of the terminal, the clipboard. */
const ASKABLE_OSC = new Set(['4', '5', '10', '11', '12', '13', '14', '17', '19', '52']);

/**
 * Takes the questions to a terminal out of what a session prints, so that the person's own terminal does not answer what
 * the host has answered already: a replay would have it type the answers to old questions into the child.
 *
 * ```
 * CSI … c   CSI … n   CSI … $ p   CSI > q   CSI ? u   CSI Ps t     DCS $ q …   DCS + q …     OSC 10 ; ?   ENQ
 * ```
 */
export class QuestionFilter {
  /** A sequence that is not whole yet, from its ESC on. */
  #held: number[] = [];

  /** What may be shown of these bytes and of what was held back before. */
  push(bytes: Uint8Array): Uint8Array {
    if (this.#held.length === 0 && !bytes.includes(ESC) && !bytes.includes(ENQ)) {
      return bytes;
    }
    const shown: number[] = [];
    for (const byte of bytes) {
      this.#take(byte, shown);
    }
    return Uint8Array.from(shown);
  }

  /** What is left when nothing more comes. */
  end(): Uint8Array {
    const rest = Uint8Array.from(this.#held);
    this.#held = [];
    return rest;
  }

  #take(byte: number, shown: number[]): void {
    const held = this.#held;
    if (held.length === 0) {
      if (byte === ESC) {
        held.push(byte);
      } else if (byte !== ENQ) {
        shown.push(byte);
      }
      return;
    }
    const isString = held[1] === OSC || held[1] === DCS;
    if (byte === CAN || byte === SUB || held.length >= MAX_HELD_BYTES || (byte === ESC && !isString)) {
      // Cut off: what comes is no part of it.
      this.#release(shown);
      this.#take(byte, shown);
      return;
    }
    held.push(byte);
    if (isWhole(held)) {
      if (!isQuestion(held)) {
        shown.push(...held);
      }
      this.#held = [];
    }
  }

  #release(shown: number[]): void {
    shown.push(...this.#held);
    this.#held = [];
  }
}

function isWhole(sequence: readonly number[]): boolean {
  const [, kind] = sequence;
  const last = sequence.at(-1) ?? 0;
  if (kind === CSI) {
    return sequence.length > 2 && last >= 0x40 && last <= 0x7e;
  }
  return (kind !== OSC && kind !== DCS) || last === BEL || (last === BACKSLASH && sequence.at(-2) === ESC);
}

function isQuestion(sequence: readonly number[]): boolean {
  const [, kind] = sequence;
  const text = String.fromCharCode(...sequence.slice(2));
  if (kind === CSI) {
    return isCsiQuestion(text);
  }
  if (kind === DCS) {
    return /^[\d;]*[$+]q/.test(text);
  }
  if (kind === OSC) {
    const end = sequence.at(-1) === BEL ? 1 : 2;
    const [number = '', ...payload] = text.slice(0, -end).split(';');
    return ASKABLE_OSC.has(number) && payload.includes('?');
  }
  return kind === DECID;
}

function isCsiQuestion(text: string): boolean {
  return (
    /^[>=]?[\d;]*c$/.test(text) ||
    /^\??[\d;]*n$/.test(text) ||
    /^\??[\d;]*\$p$/.test(text) ||
    /^>[\d;]*q$/.test(text) ||
    /^\?u$/.test(text) ||
    /^(?:11|13|14|15|16|18|19|20|21)(?:;\d*)*t$/.test(text) ||
    /^[\d;]*x$/.test(text)
  );
}
