/** What a program says where it is. `host` is as it was told: empty, a name of this machine, or of another. */
export interface ToldFolder {
  readonly host: string;
  /** Absolute, with `/`. */
  readonly path: string;
}

/** Bytes of a note that are read: PATH_MAX of Linux, each byte of it written as `%xx`, and a host's name. */
const MAX_NOTE_BYTES = 3 * 4096 + 256;

const FIRST_PRINTABLE = 0x20;

/**
 * What a program says of its folder by `OSC 7 ; file://host/path ST`, as shells do before each prompt (freedesktop.org,
 * "terminal-wg" specification 20; vte's `vte.sh`). The last one holds. One that is no such address says nothing.
 *
 * Made to be fed byte by byte.
 */
export class FolderNote {
  #bytes: number[] = [];
  #folder: ToldFolder | null = null;

  /** What holds; null when nothing was told. */
  get folder(): ToldFolder | null {
    return this.#folder;
  }

  /** Whoever told of it has gone. */
  forget(): void {
    this.#folder = null;
  }

  /** A note begins: what follows `OSC 7 ;`. */
  begin(): void {
    this.#bytes = [];
  }

  /** The next byte of the note. False when it is none that could be a folder, and need not be read on. */
  take(byte: number): boolean {
    this.#bytes.push(byte);
    return byte >= FIRST_PRINTABLE && this.#bytes.length <= MAX_NOTE_BYTES;
  }

  /** The note is whole. */
  end(): void {
    this.#folder = folderOfAddress(this.#bytes) ?? this.#folder;
    this.#bytes = [];
  }
}

/** Null for what is no address of a folder, and for a name that is no UTF-8. */
function folderOfAddress(bytes: readonly number[]): ToldFolder | null {
  try {
    const address = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
    const [, host, path] = /^file:\/\/([\w.:[\]-]*)(\/.*)$/su.exec(address) ?? [];
    return host === undefined || path === undefined ? null : { host, path: decodeURIComponent(path) };
  } catch {
    // Neither is worth a word: what it says of itself is not known then.
    return null;
  }
}
