/** What ends at a place where output was cut may begin a sequence; no sequence that is looked for is longer. */
const MAX_SEQUENCE = 64;

/** The alternate screen, by any of its three modes (DECSET 47, 1047, 1049). */
const SCREENS = new Set(['?47', '?1047', '?1049']);

/** These act at once and choose nothing that lasts but the cursor's place: 80 or 132 columns, origin, a saved cursor. */
const ACTS = new Set(['?3', '?6', '?1048']);

/** Modes kept: a program that makes up numbers must not fill the memory. */
const MAX_MODES = 256;

/** Rendition changes kept since the last reset of it; more than can have an effect. */
const MAX_RENDITIONS = 32;

/**
 * What outlasts the text around it (invisible-island.net/xterm/ctlseqs): DECSET and DECRST, SM and RM, the scroll region, the
 * cursor's shape, character sets, the keypad, and both resets (DECSTR, RIS). The rendition (SGR) is looked for by itself.
 */
const MODES =
  // oxlint-disable-next-line no-control-regex -- sequences begin with ESC
  /\u001B(?:\[(?<mark>\??)(?<numbers>[\d;]*)(?<act>[hl]|r| q)|\[!(?<soft>p)|(?<set>[()])(?<name>[0-9A-Z])|(?<single>[=>c]))|(?<shift>[\u000E\u000F])/g;

/** The usual forms of a reset of the rendition; another is found as well, with more work. */
const RESETS = ['\u001B[0m', '\u001B[m', '\u001Bc', '\u001B[!p'];

/** At one place. */
const MODE_HERE = new RegExp(MODES.source, 'y');

const ESC = '\u001B';
const SHIFT_OUT = '\u000E';
const SHIFT_IN = '\u000F';

/** What is looked for begins with one of these: ESC, SO, SI. */
const CONTROLS = [0x1b, 0x0e, 0x0f];

/** Each screen has its own; that of the alternate one begins anew with each way there. */
const NORMAL_REGION = 'r';
const ALTERNATE_REGION = 'alternate r';
const NOT_OF_BOTH = new Set(['screen', 'reset', NORMAL_REGION, ALTERNATE_REGION]);

/** What DECSTR leaves alone: the screen, the mouse and its coding, the cursor's shape. */
const BEYOND_SOFT_RESET = new Set([
  'screen',
  ' q',
  '?9',
  '?1000',
  '?1002',
  '?1003',
  '?1005',
  '?1006',
  '?1015',
  '?1016',
]);

// oxlint-disable-next-line no-control-regex -- sequences begin with ESC
const RENDITION = /\u001B\[([\d;:]*)m/g;

/** Whether anything in a piece of output may begin what chooses a mode. */
export function hasControls(bytes: Uint8Array): boolean {
  return CONTROLS.some((control) => bytes.includes(control));
}

/**
 * The modes that skipped output leaves a terminal in, as sequences which choose them again: a program that switched to
 * mouse reports, to another screen or to red in the midst of a flood did so for a pane that skipped it, too.
 *
 * Output may be cut anywhere. Costs some milliseconds for a megabyte.
 */
export class SkippedModes {
  /** By what they choose, so that the last one of each kind counts; in the order in which they were last chosen. */
  readonly #modes = new Map<string, string>();
  #hasOrigin = false;
  #renditions: string[] = [];
  #cut = '';

  feed(bytes: Uint8Array): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#cut === '' && !hasControls(buffer)) {
      return;
    }
    const text = this.#cut + buffer.toString('latin1');
    const escape = text.lastIndexOf('\u001B');
    // Kept whole, so that it is found again when it was no half one: to choose a mode twice changes nothing.
    this.#cut = escape === -1 || text.length - escape > MAX_SEQUENCE ? '' : text.slice(escape);
    this.#noteModes(text);
    this.#noteRenditions(text);
  }

  /** All but the rendition; empty when nothing was chosen. To write them may move the cursor. */
  get modes(): string {
    return [...this.#modes.values()].join('');
  }

  /**
   * As `modes` for a fresh terminal, which needs no reset, and without what belongs to one of the screens: the choice of
   * it, and the scroll regions.
   */
  get modesOfBoth(): string {
    return [...this.#modes].map(([kind, sequence]) => (NOT_OF_BOTH.has(kind) ? '' : sequence)).join('');
  }

  /** Chooses the scroll region of the normal screen, or of the screen in use; empty where nothing did. */
  region(screen: 'normal' | 'used'): string {
    return this.#modes.get(screen === 'normal' ? NORMAL_REGION : this.#usedRegion) ?? '';
  }

  get isOnAlternate(): boolean {
    return this.#modes.get('screen')?.endsWith('h') === true;
  }

  /** Whether rows are counted from the scroll region's first (DECOM); `modes` leave that out, since to choose it moves the cursor. */
  get hasOrigin(): boolean {
    return this.#hasOrigin;
  }

  /** First line of the scroll region, from 0. */
  get regionTop(): number {
    return Math.max(0, this.#lines.top - 1);
  }

  /** Whether less than the whole of a screen with so many rows scrolls. */
  hasRegion(rows: number): boolean {
    const { top, bottom } = this.#lines;
    return top > 1 || (bottom > 0 && bottom < rows);
  }

  /** How text is drawn; empty for as before. */
  get rendition(): string {
    return this.#renditions.join('');
  }

  /** As in DECSTBM: from 1, 0 where it says nothing. */
  get #lines(): { readonly top: number; readonly bottom: number } {
    const [top, bottom] = this.region('used').slice('\u001B['.length, -1).split(';');
    return { top: Number(top ?? 0), bottom: Number(bottom ?? 0) };
  }

  get #usedRegion(): string {
    return this.isOnAlternate ? ALTERNATE_REGION : NORMAL_REGION;
  }

  #noteModes(text: string): void {
    if (text.includes(SHIFT_OUT) || text.includes(SHIFT_IN)) {
      for (const match of text.matchAll(MODES)) {
        this.#noteMatch(match);
      }
      return;
    }
    // Most sequences of a flood are renditions: an expression that is tried at each takes three times as long.
    for (let at = text.indexOf(ESC); at !== -1; at = text.indexOf(ESC, at + 1)) {
      if (!isRendition(text, at)) {
        MODE_HERE.lastIndex = at;
        const match = MODE_HERE.exec(text);
        if (match !== null) {
          this.#noteMatch(match);
        }
      }
    }
  }

  #noteMatch({ 0: sequence, groups }: RegExpExecArray | RegExpMatchArray): void {
    const { mark = '', numbers = '', act, set, single, shift, soft } = groups ?? {};
    if (single === 'c') {
      this.#reset();
    } else if (soft !== undefined) {
      this.#softReset(sequence);
    } else if (act === 'h' || act === 'l') {
      for (const number of numbers.split(';')) {
        this.#noteMode(`${mark}${number}`, act);
      }
    } else if (mark === '') {
      this.#note(act === 'r' ? this.#usedRegion : (act ?? set ?? (shift === undefined ? 'keypad' : 'shift')), sequence);
    }
  }

  #noteMode(mode: string, act: 'h' | 'l'): void {
    if (mode === '?6') {
      this.#hasOrigin = act === 'h';
    }
    if (SCREENS.has(mode)) {
      if (act === 'l') {
        this.#modes.delete(ALTERNATE_REGION);
      }
      // Back without the cursor that was saved on the way there, which may have been skipped.
      this.#note('screen', act === 'h' ? '\u001B[?1049h' : '\u001B[?1047l');
    } else if (!ACTS.has(mode)) {
      this.#note(mode, `\u001B[${mode}${act}`);
    }
  }

  #noteRenditions(text: string): void {
    // What was chosen before the last reset has no effect: mostly the last few bytes tell all.
    const lastReset = Math.max(...RESETS.map((reset) => text.lastIndexOf(reset)));
    if (lastReset !== -1) {
      this.#renditions = [];
    }
    for (const [sequence, numbers = ''] of text.slice(Math.max(0, lastReset)).matchAll(RENDITION)) {
      if (/^(?:0?$|0;)/.test(numbers)) {
        this.#renditions = [];
      }
      this.#renditions.push(sequence);
      if (this.#renditions.length > MAX_RENDITIONS) {
        this.#renditions.shift();
      }
    }
  }

  /** `ESC c` itself would take away what the pane shows. */
  #reset(): void {
    this.#modes.clear();
    this.#hasOrigin = false;
    this.#note('reset', '\u001B[!p');
  }

  #softReset(sequence: string): void {
    this.#hasOrigin = false;
    for (const kind of this.#modes.keys()) {
      const isOtherRegion = this.isOnAlternate && kind === NORMAL_REGION;
      if (!BEYOND_SOFT_RESET.has(kind) && !isOtherRegion) {
        this.#modes.delete(kind);
      }
    }
    this.#note('reset', sequence);
  }

  #note(kind: string, sequence: string): void {
    this.#modes.delete(kind);
    this.#modes.set(kind, sequence);
    if (this.#modes.size > MAX_MODES) {
      const [oldest = ''] = this.#modes.keys();
      this.#modes.delete(oldest);
    }
  }
}

/** Whether an SGR begins at an ESC. */
function isRendition(text: string, escape: number): boolean {
  let at = escape + 2;
  for (let code = text.charCodeAt(at); code >= 0x30 && code <= 0x3b; code = text.charCodeAt(at)) {
    at += 1;
  }
  return text[escape + 1] === '[' && text[at] === 'm';
}
