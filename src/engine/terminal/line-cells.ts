import { CSI, SequenceEnd } from './sequence-end.ts';

const BS = 0x08;
const TAB = 0x09;
const LF = 0x0a;
const FF = 0x0c;
const CR = 0x0d;
const ESC = 0x1b;
const SPACE = 0x20;
const DELETE = 0x7f;
const C1_END = 0x9f;
const REPLACEMENT = 0xfffd;

/** After ESC: another line, or a screen that begins anew (IND, NEL, RI, DECRC, RIS). */
const ESC_OTHER_LINE = new Set('DEM8c');

/** Finals of CSI that leave the line: cursor to another row, scrolling, whole rows that come and go. */
const CSI_OTHER_LINE = new Set('ABEFHfdeLMSTru');

/** DECSET and DECRST of the alternate screen. */
const SCREENS = new Set(['47', '1047', '1049']);

/** Columns between tab stops. */
const TAB_WIDTH = 8;

/** Furthest place that a sequence may move to, in cells: a program that makes up numbers must not fill the memory. */
const MAX_MOVE = 2_000;

/** Cells of a row beyond which no sequence makes more, for the same reason. */
const MAX_ROW = 1024 * 1024;

/** Bytes of a sequence's numbers; one with more is no sequence that anything means. */
const MAX_PARAMETERS = 256;

/** Cells that are moved or filled in the time that one byte takes to be looked at. */
const CELLS_PER_WORK = 8;

/** `row`: one is whole, and can be read until the next call. `working`: there is more to do. */
export type LineProgress = 'row' | 'working' | 'done';

/** Cells of one line as a terminal without a right margin would show them in the end; see `begin`. */
export class LineCells {
  /** Code points, and the index of the first byte of each: right up to `length`. */
  codes = new Uint32Array(1_024);
  begins = new Uint32Array(1_024);
  length = 0;
  /** Work of the last call, in bytes: those that it looked at, and what it moved. */
  spent = 0;
  #column = 0;
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #to = 0;
  #isRowTold = false;
  /** What was moved and filled in this call, as bytes. */
  #moved = 0;
  readonly #sequenceEnd = new SequenceEnd();
  /** Index of the ESC of the sequence whose end is looked for; -1 outside of one. */
  #escape = -1;

  /**
   * Begins with bytes without a newline: `advance` tells what they show, as rows, mostly one. What was written over is not
   * in it. Where the cursor goes to another line, a row ends, since what comes next stands elsewhere. Colours, titles and
   * modes leave no trace, tabs are blanks.
   */
  begin(bytes: Uint8Array, from: number, to: number): void {
    this.#bytes = bytes;
    this.#at = from;
    this.#to = to;
    this.#escape = -1;
    this.#beginRow();
  }

  /** Goes on up to the end of a row, for about so much work. */
  advance(maxWork: number): LineProgress {
    if (this.#isRowTold) {
      this.#beginRow();
    }
    const began = this.#at;
    this.#moved = 0;
    const isRowOver = this.#obeyUpTo(began + maxWork);
    this.spent = this.#at - began + this.#moved;
    if (!isRowOver && this.#at < this.#to) {
      return 'working';
    }
    this.#isRowTold = this.length > 0;
    return this.#isRowTold ? 'row' : 'done';
  }

  /** Answers whether a row ended that has something in it. */
  #obeyUpTo(limit: number): boolean {
    const [bytes, to] = [this.#bytes, this.#to];
    let [at, escape] = [this.#at, this.#escape];
    let isOver = false;
    while (at < to && at + this.#moved < limit && !isOver) {
      const byte = bytes[at] ?? 0;
      if (escape >= 0) {
        const end = this.#sequenceEnd.find(limit - this.#moved);
        isOver = end !== null && this.#obey(bytes, escape, end) && this.#endsRow();
        escape = end === null ? escape : -1;
        at = end ?? this.#sequenceEnd.at;
      } else if (byte >= SPACE && byte < DELETE) {
        this.#put(byte, at);
        at += 1;
      } else if (byte === ESC) {
        escape = at;
        this.#sequenceEnd.begin(bytes, at, to);
        at += 1;
      } else if (byte > DELETE) {
        at = this.#putLong(bytes, at, to);
      } else {
        if (byte >= LF && byte <= FF) {
          isOver = this.#endsRow();
        } else {
          this.#control(byte);
        }
        at += 1;
      }
    }
    this.#at = at;
    this.#escape = escape;
    return isOver;
  }

  /** The cursor goes elsewhere. Answers whether there is anything in the row that it leaves. */
  #endsRow(): boolean {
    this.#column = 0;
    return this.length > 0;
  }

  #beginRow(): void {
    this.length = 0;
    this.#column = 0;
    this.#isRowTold = false;
  }

  #control(byte: number): void {
    if (byte === CR) {
      this.#column = 0;
    } else if (byte === BS) {
      this.#goTo(this.#column - 1);
    } else if (byte === TAB) {
      this.#goTo(this.#column + TAB_WIDTH - (this.#column % TAB_WIDTH));
    }
  }

  #goTo(column: number): void {
    this.#column = Math.max(0, Math.min(column, this.length + MAX_MOVE, Math.max(MAX_ROW, this.#column)));
  }

  #put(code: number, at: number): void {
    const column = this.#column;
    if (column >= this.length) {
      this.#extend(column + 1, at);
    }
    this.codes[column] = code;
    this.begins[column] = at;
    this.#column = column + 1;
  }

  /** A character of several bytes. Answers the index after it. */
  #putLong(bytes: Uint8Array, at: number, to: number): number {
    const lead = bytes[at] ?? 0;
    const length = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    let code = lead & (0xff >> (length + 1));
    for (let next = at + 1; next < at + length; next += 1) {
      const byte = next < to ? (bytes[next] ?? 0) : 0;
      if ((byte & 0xc0) !== 0x80) {
        this.#put(REPLACEMENT, at);
        return next;
      }
      code = (code << 6) | (byte & 0x3f);
    }
    if (length === 1 || code > 0x10ffff) {
      this.#put(REPLACEMENT, at);
    } else if (code > C1_END) {
      this.#put(code, at);
    }
    return at + length;
  }

  /** Makes room for so many cells; new ones are blank. */
  #extend(length: number, at: number): void {
    if (length > this.codes.length) {
      const room = Math.max(length, 2 * this.codes.length);
      const [codes, begins] = [this.codes, this.begins];
      this.codes = new Uint32Array(room);
      this.codes.set(codes);
      this.begins = new Uint32Array(room);
      this.begins.set(begins);
    }
    this.#moves(length - this.length);
    this.codes.fill(SPACE, this.length, length);
    this.begins.fill(at, this.length, length);
    this.length = length;
  }

  #moves(cells: number): void {
    this.#moved += cells / CELLS_PER_WORK;
  }

  /** Does what a sequence does within the line. Answers whether it leaves it. */
  #obey(bytes: Uint8Array, at: number, end: number): boolean {
    if (bytes[at + 1] !== CSI) {
      return end - at === 2 && ESC_OTHER_LINE.has(String.fromCharCode(bytes[at + 1] ?? 0));
    }
    const final = String.fromCharCode(bytes[end - 1] ?? 0);
    if (final === 'm') {
      return false;
    }
    if (end - at > MAX_PARAMETERS) {
      return false;
    }
    const parameters = Buffer.from(bytes.buffer, bytes.byteOffset + at + 2, Math.max(0, end - at - 3)).toString(
      'latin1',
    );
    if (/[^\d;:]/.test(parameters)) {
      const isOfScreen = (final === 'h' || final === 'l') && parameters.startsWith('?');
      return (
        isOfScreen &&
        parameters
          .slice(1)
          .split(';')
          .some((number) => SCREENS.has(number))
      );
    }
    const number = Number.parseInt(parameters, 10);
    return CSI_OTHER_LINE.has(final) || this.#edit(final, Number.isNaN(number) ? 0 : number, at);
  }

  /** Answers whether it does more than change this line. */
  #edit(final: string, number: number, at: number): boolean {
    const count = Math.min(Math.max(1, number), MAX_MOVE);
    switch (final) {
      case 'C':
      case 'a':
        this.#goTo(this.#column + count);
        return false;
      case 'D':
        this.#goTo(this.#column - count);
        return false;
      case 'G':
      case '`':
        this.#goTo(count - 1);
        return false;
      case 'I':
        this.#goTo(this.#column + TAB_WIDTH * count - (this.#column % TAB_WIDTH));
        return false;
      case 'Z':
        this.#goTo(TAB_WIDTH * (Math.ceil(this.#column / TAB_WIDTH) - count));
        return false;
      case 'b':
        this.#repeat(count, at);
        return false;
      case 'X':
        this.codes.fill(SPACE, this.#column, Math.min(this.length, this.#column + count));
        return false;
      case 'P':
        this.#deleteCells(count);
        return false;
      case '@':
        this.#insertCells(count, at);
        return false;
      case 'J':
      case 'K':
        this.#erase(number);
        return final === 'J' && number > 0;
      default:
        return false;
    }
  }

  #repeat(count: number, at: number): void {
    const code = this.codes[this.#column - 1];
    if (code !== undefined && this.#column <= this.length) {
      this.#moves(CELLS_PER_WORK * count);
      for (let done = 0; done < count && this.#column < MAX_ROW; done += 1) {
        this.#put(code, at);
      }
    }
  }

  #deleteCells(count: number): void {
    const column = this.#column;
    if (column < this.length) {
      this.#moves(this.length - column);
      this.codes.copyWithin(column, column + count, this.length);
      this.begins.copyWithin(column, column + count, this.length);
      this.length = Math.max(column, this.length - count);
    }
  }

  #insertCells(count: number, at: number): void {
    const [column, { length }] = [this.#column, this];
    if (column < length && length + count <= MAX_ROW) {
      this.#moves(length - column);
      this.#extend(length + count, at);
      this.codes.copyWithin(column + count, column, length);
      this.begins.copyWithin(column + count, column, length);
      this.codes.fill(SPACE, column, column + count);
    }
  }

  /** 0: from the cursor on. 1: up to it. 2: all. */
  #erase(which: number): void {
    if (which === 0) {
      this.length = Math.min(this.length, this.#column);
    } else {
      this.#moves(this.length);
      this.codes.fill(SPACE, 0, which === 1 ? Math.min(this.length, this.#column + 1) : this.length);
    }
  }
}
