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
 * cursor's shape, character sets, the keypad, and a reset of all. The rendition (SGR) is looked for by itself.
 */
const MODES =
  // oxlint-disable-next-line no-control-regex -- sequences begin with ESC
  /\u001B(?:\[(?<mark>\??)(?<numbers>[\d;]*)(?<act>[hl]|r| q)|(?<set>[()])(?<name>[0-9A-Z])|(?<single>[=>c]))|(?<shift>[\u000E\u000F])/g;

/** The usual forms of a reset of the rendition; another is found as well, with more work. */
const RESETS = ['\u001B[0m', '\u001B[m', '\u001Bc'];

// oxlint-disable-next-line no-control-regex -- sequences begin with ESC
const RENDITION = /\u001B\[([\d;:]*)m/g;

/**
 * The modes that skipped output leaves a terminal in, as sequences which choose them again: a program that switched to
 * mouse reports, to another screen or to red in the midst of a flood did so for a pane that skipped it, too.
 *
 * Output may be cut anywhere. Costs some milliseconds for a megabyte.
 */
export class SkippedModes {
  /** By what they choose, so that the last one of each kind counts; in the order in which they were last chosen. */
  readonly #modes = new Map<string, string>();
  #renditions: string[] = [];
  #cut = '';

  feed(bytes: Uint8Array): void {
    const text = this.#cut + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
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

  /** How text is drawn; empty for as before. */
  get rendition(): string {
    return this.#renditions.join('');
  }

  #noteModes(text: string): void {
    for (const { 0: sequence, groups } of text.matchAll(MODES)) {
      const { mark = '', numbers = '', act, set, single, shift } = groups ?? {};
      if (single === 'c') {
        this.#reset();
      } else if (act === 'h' || act === 'l') {
        for (const number of numbers.split(';')) {
          this.#noteMode(`${mark}${number}`, act);
        }
      } else if (mark === '') {
        this.#note(act ?? set ?? (shift === undefined ? 'keypad' : 'shift'), sequence);
      }
    }
  }

  #noteMode(mode: string, act: 'h' | 'l'): void {
    if (SCREENS.has(mode)) {
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
    this.#note('reset', '\u001B[!p');
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
