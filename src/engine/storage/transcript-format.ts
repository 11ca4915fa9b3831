import type { OutputStreamName } from '../../shared/session.ts';

/**
 * One record of a transcript: a header of 24 bytes, little endian, and its payload.
 *
 * | at | type | what |
 * | --- | --- | --- |
 * | 0 | u8 | kind, see `KIND_CODES` |
 * | 1 | 3 bytes | `SS1`: by it damage is told from a record |
 * | 4 | u32 | length of the payload, in bytes |
 * | 8 | f64 | `seq` of the session's log; of a piece of output its own, else the next to come |
 * | 16 | f64 | Unix time in milliseconds |
 *
 * The payload of output is its bytes as they were printed; of all other kinds it is JSON.
 */
export interface TranscriptRecord {
  readonly kind: RecordKind;
  readonly seq: number;
  readonly atMs: number;
  readonly payload: Uint8Array;
}

/** `session`: what is known of it, at the begin of each segment and at the end. */
export type RecordKind = OutputStreamName | 'session' | 'size' | 'act' | 'exited' | 'closed';

/** Length of a record's header, in bytes. */
export const HEADER_BYTES = 24;

const SIGNATURE = [0x53, 0x53, 0x31] as const;

const KIND_CODES: Readonly<Record<RecordKind, number>> = {
  pty: 1,
  stdout: 2,
  stderr: 3,
  size: 16,
  exited: 17,
  closed: 18,
  session: 19,
  act: 20,
};

const KINDS_BY_CODE: ReadonlyMap<number, RecordKind> = new Map(
  (Object.keys(KIND_CODES) as RecordKind[]).map((kind) => [KIND_CODES[kind], kind]),
);

/** The header that goes before the payload. */
export function recordHeader({ kind, seq, atMs, payload }: TranscriptRecord): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  header[0] = KIND_CODES[kind];
  header.set(SIGNATURE, 1);
  view.setUint32(4, payload.length, true);
  view.setFloat64(8, seq, true);
  view.setFloat64(16, atMs, true);
  return header;
}

export function isOutputKind(kind: RecordKind): kind is OutputStreamName {
  return kind === 'pty' || kind === 'stdout' || kind === 'stderr';
}

/** The records of a segment, and whether what follows the last of them is something else than the begin of one. */
export function readRecords(segment: Uint8Array): {
  readonly records: TranscriptRecord[];
  readonly isDamaged: boolean;
} {
  const records = [...parseRecords(segment)];
  const read = records.reduce((sum, { payload }) => sum + HEADER_BYTES + payload.length, 0);
  const rest = segment.subarray(read, read + 1 + SIGNATURE.length);
  // A machine that lost its power leaves zeros where the file had grown and nothing was written yet.
  const isCutShort =
    rest.length <= SIGNATURE.length ||
    rest.every((byte) => byte === 0) ||
    (KINDS_BY_CODE.has(rest[0] ?? 0) && isSigned(rest, 0));
  return { records, isDamaged: !isCutShort };
}

function isSigned(segment: Uint8Array, at: number): boolean {
  return SIGNATURE.every((byte, index) => segment[at + 1 + index] === byte);
}

/** The records of a segment, up to the first that is not whole: a crash or a full disk cuts the last one short. */
function* parseRecords(segment: Uint8Array): Generator<TranscriptRecord> {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  let at = 0;
  while (at + HEADER_BYTES <= segment.length) {
    const kind = KINDS_BY_CODE.get(view.getUint8(at));
    const length = view.getUint32(at + 4, true);
    const begin = at + HEADER_BYTES;
    if (kind === undefined || !isSigned(segment, at) || begin + length > segment.length) {
      return;
    }
    const seq = view.getFloat64(at + 8, true);
    const atMs = view.getFloat64(at + 16, true);
    if (!Number.isSafeInteger(seq) || !Number.isFinite(atMs)) {
      return;
    }
    yield {
      kind,
      seq,
      atMs,
      payload: segment.subarray(begin, begin + length),
    };
    at = begin + length;
  }
}
