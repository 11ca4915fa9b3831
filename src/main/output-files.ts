import { rmSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../engine/engine.ts';
import type { Disposable } from '../shared/disposable.ts';
import { EngineError } from '../shared/errors.ts';
import type { OutputCursor } from '../shared/output-cursor.ts';
import { PlainText } from '../shared/plain-text.ts';
import type { OutputStreamName, SessionId } from '../shared/session.ts';

/** Output that is held at a time, in bytes. */
const PAGE_BYTES = 1024 * 1024;

export interface OutputFilesOptions {
  readonly engine: Engine;
  /** For these files alone; what is in it is removed at the start and at the end. */
  readonly folder: string;
  /** Opens a file in the person's program for it. Answers why it could not be opened; empty when it was. */
  readonly openFile: (file: string) => Promise<string>;
}

/**
 * All that is kept of a session's output, as text in a file: a pane has its newest 5,000 lines. The file has what was printed
 * until it was asked for, is its owner's alone, and goes with the app: what it is made from stays.
 */
export class OutputFiles implements Disposable {
  readonly #options: OutputFilesOptions;

  constructor(options: OutputFilesOptions) {
    this.#options = options;
    this.#removeAll();
  }

  /** Makes the file, or makes it anew, and opens it. Rejects with `not-supported` when no program does. */
  async open(id: SessionId): Promise<void> {
    const { epoch, outputBytes } = await this.#options.engine.get(id);
    const folder = join(this.#options.folder, epoch);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${id.replaceAll(/[^\w.-]+/g, '-').slice(0, 80)}.txt`);
    await this.#write({ id, file, epoch, endOffset: outputBytes });
    const failure = await this.#options.openFile(file);
    if (failure !== '') {
      throw new EngineError('not-supported', `No program opened ${file}: ${failure}`);
    }
  }

  dispose(): void {
    this.#removeAll();
  }

  async #write({
    id,
    file: path,
    epoch,
    endOffset,
  }: {
    readonly id: SessionId;
    readonly file: string;
    readonly epoch: string;
    readonly endOffset: number;
  }): Promise<void> {
    const streams = new Map<OutputStreamName, PlainText>();
    const streamOf = (name: OutputStreamName): PlainText => {
      const stream = streams.get(name) ?? new PlainText(new TextDecoder());
      streams.set(name, stream);
      return stream;
    };
    const file = await open(path, 'w', 0o600);
    try {
      // Not the oldest byte that is kept: what the disk's budget took is said.
      let cursor: OutputCursor = { epoch, offset: 0 };
      let isLineBegun = false;
      for (let isOver = endOffset === 0; !isOver;) {
        const page = await this.#options.engine.page(id, { cursor, maxBytes: PAGE_BYTES, waitMs: 0 });
        const gone = page.goneBytes === 0 ? '' : `[${page.goneBytes} bytes that were printed here are kept no more]\n`;
        const text = page.pieces.map(({ stream, bytes }) => streamOf(stream).push(bytes)).join('');
        await file.appendFile(gone + inLines(text, isLineBegun));
        isLineBegun = text === '' ? isLineBegun : !/[\r\n]$/.test(text);
        isOver = page.cursor.offset >= endOffset || page.pieces.length === 0;
        cursor = page.cursor;
      }
      const rest = [...streams.values()].map((stream) => stream.end()).join('');
      await file.appendFile(inLines(rest, isLineBegun));
    } finally {
      await file.close();
    }
  }

  #removeAll(): void {
    rmSync(this.#options.folder, { recursive: true, force: true });
  }
}

/** What went back to the start of a line, as a progress bar does, goes to the next one: an editor shows what was printed. */
export function inLines(text: string, isLineBegun: boolean): string {
  return text.replaceAll(/\r+(\n?)/g, (_returns, lineFeed: string, at: number) => {
    const isAtStart = at === 0 ? !isLineBegun : text[at - 1] === '\n';
    return lineFeed !== '' || !isAtStart ? '\n' : '';
  });
}
