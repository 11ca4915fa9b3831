import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from '../../shared/logger.ts';
import type { SessionInfo } from '../../shared/session.ts';
import { TurnoverMap, TurnoverSet } from '../../shared/turnover.ts';
import type { EarlierSession } from '../session/earlier-session.ts';
import type { OutputRecorder } from '../session/output-recorder.ts';
import type { OutputPage } from '../session/output-ring.ts';
import { openEarlier, type EarlierFacts, type KeptEarlierSession } from './earlier-transcript.ts';
import type { LedgerHost } from './process-ledger.ts';
import {
  archivedTranscripts,
  HOST_FILE,
  lookAtTranscript,
  readTranscript,
  type ArchivedTranscript,
  type KeptTranscript,
} from './transcript-archive.ts';
import { Transcript } from './transcript.ts';

/** Bytes on the disk of one session, and of all that this host writes or found; the oldest leave first. */
const BYTES_PER_SESSION = 256 * 1024 * 1024;
const BYTES_IN_ALL = 4 * 1024 * 1024 * 1024;

/** Transcripts of ended sessions; a million of them that printed nothing would not fit the memory that knows of them. */
const MAX_ARCHIVED = 10_000;

/** Where transcripts lie, and how much of them. */
export interface TranscriptPlace {
  /** One folder per host and run lies in it, and in that one folder per session. */
  readonly folder: string;
  /** Default: 256 MiB. */
  readonly bytesPerSession?: number;
  /** Default: 4 GiB. */
  readonly bytesInAll?: number;
}

export interface TranscriptsOptions extends TranscriptPlace {
  readonly hostId: string;
  readonly host: Promise<LedgerHost>;
  /** The ids of those that have ended: the transcripts of a host that runs are its own business. */
  readonly ended: (hosts: readonly LedgerHost[]) => Promise<ReadonlySet<string>>;
  readonly log: Logger;
}

/** What is there of some sessions of earlier runs, by their epochs. */
export interface EarlierSessions {
  readonly found: readonly EarlierFacts[];
  /** Nothing of them is kept any more. */
  readonly gone: readonly string[];
  /** What is kept of them cannot be understood. */
  readonly damaged: readonly string[];
}

/** Transcripts that are looked at side by side; each may be a segment in memory. */
const LOOKED_AT_ONCE = 8;

interface Archived extends ArchivedTranscript {
  /** Of this host; it may still be asked by the session's readers. */
  readonly transcript?: Transcript;
}

/** What sessions printed, on the disk: of this host as they print it, and what earlier hosts have left. */
export class Transcripts {
  readonly #options: TranscriptsOptions;
  readonly #hostFolder: string;
  /** Being written, the oldest first. */
  readonly #open = new TurnoverSet<Transcript>();
  /** The oldest first. */
  #archived: Archived[] = [];
  /** Of earlier runs: what was asked for by its epoch. */
  readonly #earlier = new TurnoverMap<string, KeptEarlierSession>();
  /** Settles when the next host could tell whose folder this host's is; never rejects. */
  readonly hostIsNamed: Promise<void>;
  readonly #ready: Promise<void>;
  #bytes = 0;

  constructor(options: TranscriptsOptions) {
    this.#options = options;
    this.#hostFolder = join(options.folder, options.hostId);
    const named = this.#nameHost();
    this.hostIsNamed = named.catch(() => {});
    this.#ready = named
      .then(() => this.#findArchived())
      .catch((error: unknown) => {
        options.log.warn('what earlier runs printed cannot be read', { why: String(error) });
      });
  }

  /** Begins the transcript of a session; what is in it is on the disk from its first record on. */
  record(epoch: string, info: () => SessionInfo): OutputRecorder {
    const transcript: Transcript = new Transcript({
      folder: join(this.#hostFolder, epoch),
      log: this.#options.log,
      info,
      onKept: (byteCount) => this.#kept(transcript, byteCount),
      onClosed: () => {
        this.#open.delete(transcript);
        const { folder, keptBytes: bytes } = transcript;
        if (bytes > 0) {
          this.#archived.push({ epoch, folder, changedAtMs: Date.now(), bytes, transcript });
          this.#keepWithinBudget();
        }
      },
    });
    this.#open.add(transcript);
    return transcript;
  }

  /** What is kept of sessions that have ended, also in earlier runs; the newest first. */
  async list(): Promise<readonly KeptTranscript[]> {
    await this.#ready;
    const found: KeptTranscript[] = [];
    for (const archived of this.#archived.toReversed()) {
      const kept = await lookAtTranscript(archived);
      if (kept !== null) {
        found.push(kept);
      }
    }
    return found;
  }

  /** A page of what is kept of a session that has ended; null when nothing of it is from there on. */
  async read(epoch: string, from: number, maxBytes: number): Promise<OutputPage | null> {
    await this.#ready;
    const archived = this.#archived.find((transcript) => transcript.epoch === epoch);
    return archived === undefined ? null : readTranscript(archived, from, maxBytes);
  }

  /** What is kept of these sessions, of earlier runs or ended in this one; `opened` has them afterwards. */
  async findEarlier(epochs: readonly string[]): Promise<EarlierSessions> {
    await this.#ready;
    const archived = new Map(this.#archived.map((one) => [one.epoch, one]));
    const found: EarlierFacts[] = [];
    const gone: string[] = [];
    const damaged: string[] = [];
    const left = [...new Set(epochs)];
    const lookAtNext = async (): Promise<void> => {
      for (let epoch = left.shift(); epoch !== undefined; epoch = left.shift()) {
        const one = archived.get(epoch);
        const opened = one === undefined ? 'gone' : await this.#openEarlier(one);
        if (opened === 'gone' || opened === 'damaged') {
          (opened === 'gone' ? gone : damaged).push(epoch);
        } else if (one !== undefined) {
          this.#earlier.set(epoch, opened);
          const hostId = basename(dirname(one.folder));
          found.push({ session: opened.info, hostId, wasTyped: opened.wasTyped });
        }
      }
    };
    await Promise.all(Array.from({ length: LOOKED_AT_ONCE }, lookAtNext));
    return { found, gone, damaged };
  }

  /** Those of these epochs that `findEarlier` has found. */
  opened(epochs: readonly string[]): readonly EarlierSession[] {
    return epochs.flatMap((epoch) => this.#earlier.get(epoch) ?? []);
  }

  /** After the end of all sessions. */
  async dispose(): Promise<void> {
    await this.#ready;
    if (!this.#archived.some(({ transcript }) => transcript !== undefined)) {
      await this.#remove(this.#hostFolder);
    }
  }

  async #nameHost(): Promise<void> {
    const { host } = this.#options;
    await mkdir(this.#hostFolder, { recursive: true, mode: 0o700 });
    await writeFile(join(this.#hostFolder, HOST_FILE), JSON.stringify(await host), { mode: 0o600 });
  }

  async #findArchived(): Promise<void> {
    const { folder, hostId, ended } = this.#options;
    const earlier = await archivedTranscripts(folder, hostId, ended);
    this.#archived = [...earlier, ...this.#archived];
    this.#bytes += earlier.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#keepWithinBudget();
  }

  async #openEarlier(archived: Archived): Promise<KeptEarlierSession | 'gone' | 'damaged'> {
    try {
      const opened = await openEarlier(archived, this.#options.log);
      if (opened === 'damaged') {
        this.#options.log.warn('a transcript of an earlier run is damaged', { folder: archived.folder });
      }
      return opened;
    } catch (error) {
      this.#options.log.warn('a transcript of an earlier run cannot be read', {
        folder: archived.folder,
        why: String(error),
      });
      return 'damaged';
    }
  }

  #kept(transcript: Transcript, byteCount: number): void {
    this.#bytes += byteCount;
    if (byteCount <= 0) {
      return;
    }
    while (transcript.keptBytes > (this.#options.bytesPerSession ?? BYTES_PER_SESSION) && transcript.dropOldest()) {
      // Until it fits.
    }
    this.#keepWithinBudget();
  }

  /** What has ended leaves before what is still written, the oldest first. */
  #keepWithinBudget(): void {
    const budget = this.#options.bytesInAll ?? BYTES_IN_ALL;
    while (this.#bytes > budget || this.#archived.length > MAX_ARCHIVED) {
      const oldest = this.#archived.shift();
      if (oldest !== undefined) {
        this.#bytes -= oldest.bytes;
        oldest.transcript?.removed();
        this.#earlier.get(oldest.epoch)?.output.removed();
        void this.#remove(oldest.folder);
      } else if (![...this.#open].toSorted((a, b) => b.keptBytes - a.keptBytes)[0]?.dropOldest()) {
        return;
      }
    }
  }

  async #remove(folder: string): Promise<void> {
    try {
      await rm(folder, { recursive: true, force: true });
    } catch (error) {
      this.#options.log.warn('a transcript stays on the disk', { why: String(error) });
    }
  }
}
