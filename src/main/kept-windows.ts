import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { keptPageSchema } from '../shared/kept-window.ts';
import type { Logger } from '../shared/logger.ts';

/** Changes are written together after this time, in milliseconds; at the end of the app at once. */
const WRITE_AFTER_MS = 300;

/**
 * What was opened is written at once, and what is opened soon after that together: so many milliseconds after the write, and
 * so many times as long as it took. A storm of openings takes a fifth of this thread at most; what opens by itself
 * is written before it is drawn.
 */
const OPENED_TOGETHER_MS = 16;
const WRITE_PART = 4;

/** A window's place on the screen, in the system's own pixels. */
const boundsSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(1).max(100_000),
  height: z.number().int().min(1).max(100_000),
});

/** One window's entry. What of it cannot be read is left out, and the rest kept. */
const entrySchema = z.object({
  bounds: boundsSchema.nullable().catch(null),
  isMaximized: z.boolean().catch(false),
  page: keptPageSchema.nullable().catch(null),
});

export type KeptEntry = z.output<typeof entrySchema>;

/** Of a window that was never arranged. */
export const NOTHING_KEPT: KeptEntry = { bounds: null, isMaximized: false, page: null };

const fileSchema = z.object({ version: z.literal(1), windows: z.array(entrySchema.catch(NOTHING_KEPT)) });

export interface KeptWindowsOptions {
  readonly file: string;
  readonly log: Logger;
  /** What is to be in the file now, the window that was used last first. */
  readonly entries: () => readonly KeptEntry[];
}

/** The file that says how the windows were arranged. One that cannot be read counts as none, and is written anew. */
export class KeptWindows {
  readonly #options: KeptWindowsOptions;
  /** The write that is to come, with its time in `performance.now()`; null while none is. */
  #next: { readonly at: number; readonly takeBack: () => void } | null = null;
  /** Until then what is opened waits for what is opened after it, in `performance.now()`. */
  #restsUntil = 0;

  constructor(options: KeptWindowsOptions) {
    this.#options = options;
  }

  /** What was kept, the window that was used last first; empty when nothing can be read. */
  read(): readonly KeptEntry[] {
    const { file, log } = this.#options;
    try {
      return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).windows;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        log.warn('the arrangement of the windows could not be read; they begin anew', { file });
      }
      return [];
    }
  }

  /** Something changed: the file is written soon. */
  changed(): void {
    this.#write(performance.now() + WRITE_AFTER_MS);
  }

  /** Something is open that was not: the file is written before a page has drawn it, or together with what comes next. */
  opened(): void {
    this.#write(this.#restsUntil);
  }

  /**
   * What must not come back is gone: the file is written before anything else is waited for. Once for all that goes
   * together.
   */
  closed(): void {
    this.#write(0);
  }

  /** Writes what is not written yet. A full disk costs the arrangement, and nothing else. */
  flush(): void {
    if (this.#next === null) {
      return;
    }
    this.#next.takeBack();
    this.#next = null;
    const { file, log, entries } = this.#options;
    const next = `${file}.next`;
    const began = performance.now();
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(next, `${JSON.stringify({ version: 1, windows: entries() })}\n`, { mode: 0o600 });
      renameSync(next, file);
    } catch (error) {
      log.warn('the arrangement of the windows could not be kept', { why: String(error) });
    }
    const ended = performance.now();
    this.#restsUntil = ended + Math.max(OPENED_TOGETHER_MS, WRITE_PART * (ended - began));
  }

  /** Sees to a write at that time, or before it. */
  #write(at: number): void {
    if (this.#next !== null && this.#next.at <= at) {
      return;
    }
    this.#next?.takeBack();
    const waitMs = at - performance.now();
    if (waitMs <= 0) {
      const turn = setImmediate(() => this.flush());
      this.#next = { at, takeBack: () => clearImmediate(turn) };
    } else {
      const timer = setTimeout(() => this.flush(), waitMs);
      this.#next = { at, takeBack: () => clearTimeout(timer) };
    }
  }
}
