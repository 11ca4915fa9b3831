import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionInfo } from '../../shared/session.ts';
import type { OutputPage } from '../session/output-ring.ts';
import type { LedgerHost } from './process-ledger.ts';
import { isOutputKind, type TranscriptRecord } from './transcript-format.ts';
import { readOutput, readSegment, segmentName, segmentOffsets } from './transcript-segments.ts';

/** Who writes into a host's folder, for the next host to tell whether it still runs. */
export const HOST_FILE = 'host.json';

/** Age from which on a folder that does not say whose it is belongs to nobody that runs, in milliseconds. */
const NAMELESS_FOR_MS = 60_000;

/** What is kept of a session that has ended. */
export interface KeptTranscript {
  readonly epoch: string;
  /** As it was last known: of a host that was killed, from before its end. */
  readonly session: SessionInfo;
  /** Offsets of the oldest byte that is kept, and after the newest. */
  readonly startOffset: number;
  readonly endOffset: number;
  /** False when its host was killed: how the session ended is not known. */
  readonly isWhole: boolean;
}

/** A transcript that nobody writes to any more. */
export interface ArchivedTranscript {
  readonly epoch: string;
  readonly folder: string;
  readonly changedAtMs: number;
  /** On the disk. */
  readonly bytes: number;
}

/** The transcripts that hosts which have ended left in `folder`, the oldest first. Folders with nothing in them leave. */
export async function archivedTranscripts(
  folder: string,
  own: string,
  ended: (hosts: readonly LedgerHost[]) => Promise<ReadonlySet<string>>,
): Promise<readonly ArchivedTranscript[]> {
  const hostIds = (await foldersIn(folder)).filter((name) => name !== own);
  const hosts = await Promise.all(hostIds.map((hostId) => hostOf(join(folder, hostId))));
  const endedIds = await ended(hosts.filter((host) => host !== null && host !== 'nameless'));
  const left = hostIds.filter((hostId, index) => hosts[index] === 'nameless' || endedIds.has(hostId));
  const archived: ArchivedTranscript[] = [];
  for (const hostId of left) {
    const hostFolder = join(folder, hostId);
    const found = await Promise.all(
      (await foldersIn(hostFolder)).map((epoch) => measured(epoch, join(hostFolder, epoch))),
    );
    const kept = found.filter(({ bytes }) => bytes > 0);
    archived.push(...kept);
    // A session that had printed nothing when its host was killed has a file, with nothing in it.
    const empty =
      kept.length === 0 ? [hostFolder] : found.filter(({ bytes }) => bytes === 0).map((each) => each.folder);
    await Promise.all(empty.map((each) => rm(each, { recursive: true, force: true })));
  }
  return archived.toSorted((a, b) => a.changedAtMs - b.changedAtMs);
}

/** What a transcript holds; null when nothing of it can be read. */
export async function lookAtTranscript({ epoch, folder }: ArchivedTranscript): Promise<KeptTranscript | null> {
  const offsets = await segmentOffsets(folder);
  const [startOffset = 0] = offsets;
  // A host that was killed at the wrong moment has left a last segment with nothing in it.
  for (const lastOffset of offsets.slice(-2).reverse()) {
    const kept = keptIn(await readSegment(folder, lastOffset), lastOffset);
    if (kept !== null) {
      return { epoch, startOffset, ...kept };
    }
  }
  return null;
}

/** What the segment that begins at an offset tells of its session; null where it does not. */
function keptIn(
  records: readonly TranscriptRecord[],
  lastOffset: number,
): Omit<KeptTranscript, 'epoch' | 'startOffset'> | null {
  const known = records.findLast(({ kind }) => kind === 'session');
  if (known === undefined) {
    return null;
  }
  const outputBytes = records.reduce((sum, { kind, payload }) => sum + (isOutputKind(kind) ? payload.length : 0), 0);
  let session: SessionInfo;
  try {
    session = JSON.parse(Buffer.from(known.payload).toString()) as SessionInfo;
  } catch {
    // A machine that lost its power left something else in its place.
    return null;
  }
  return {
    session,
    endOffset: lastOffset + outputBytes,
    isWhole: records.some(({ kind }) => kind === 'closed'),
  };
}

/** A page of it from an offset on; null when nothing from there on is kept. */
export async function readTranscript(
  { folder }: ArchivedTranscript,
  from: number,
  maxBytes: number,
): Promise<OutputPage | null> {
  return readOutput(folder, await segmentOffsets(folder), { from, to: Number.MAX_SAFE_INTEGER, maxBytes });
}

/** Null for a host that may run and did not say yet who it is. */
async function hostOf(folder: string): Promise<LedgerHost | 'nameless' | null> {
  try {
    return JSON.parse(await readFile(join(folder, HOST_FILE), 'utf8')) as LedgerHost;
  } catch {
    const { mtimeMs } = await stat(folder);
    return Date.now() - mtimeMs > NAMELESS_FOR_MS ? 'nameless' : null;
  }
}

async function measured(epoch: string, folder: string): Promise<ArchivedTranscript> {
  const facts = await Promise.all(
    (await segmentOffsets(folder)).map((offset) => stat(join(folder, segmentName(offset)))),
  );
  return {
    epoch,
    folder,
    changedAtMs: Math.max(0, ...facts.map(({ mtimeMs }) => mtimeMs)),
    bytes: facts.reduce((sum, { size }) => sum + size, 0),
  };
}

/** Names of folders, none where there is no such folder. */
async function foldersIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return [];
    }
    throw error;
  }
}
