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
  const reader = new RecordReader(segment);
  const records: TranscriptRecord[] = [];
  while (reader.advance()) {
    records.push(reader.record);
  }
  const rest = segment.subarray(reader.readBytes, reader.readBytes + 1 + SIGNATURE.length);
  // A machine that lost its power leaves zeros where the file had grown and nothing was written yet.
  const isCutShort =
    rest.length <= SIGNATURE.length ||
    rest.every((byte) => byte === 0) ||
    (KINDS_BY_CODE.has(rest[0] ?? 0) && isSigned(rest, 0));
  return { records, isDamaged: !isCutShort };
}

function isSigned(segment: Uint8Array, at: number): boolean {
  return segment[at + 1] === SIGNATURE[0] && segment[at + 2] === SIGNATURE[1] && segment[at + 3] === SIGNATURE[2];
}

/**
 * Reads the records of a segment, up to the first that is not whole: a crash or a full disk cuts the last one short. Makes
 * no object for each: a million of them keep the collector at work.
 */
export class RecordReader {
  readonly #segment: Uint8Array;
  readonly #view: DataView;
  #next = 0;
  /** Of the record: right once `advance` has answered true. */
  kind: RecordKind = 'session';
  begin = 0;
  end = 0;

  constructor(segment: Uint8Array) {
    this.#segment = segment;
    this.#view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  }

  /** Goes on to the next record. Answers false behind the last one. */
  advance(): boolean {
    const [segment, view, at] = [this.#segment, this.#view, this.#next];
    const begin = at + HEADER_BYTES;
    if (begin > segment.length) {
      return false;
    }
    const kind = KINDS_BY_CODE.get(view.getUint8(at));
    const end = begin + view.getUint32(at + 4, true);
    if (kind === undefined || !isSigned(segment, at) || end > segment.length) {
      return false;
    }
    if (!Number.isSafeInteger(view.getFloat64(at + 8, true)) || !Number.isFinite(view.getFloat64(at + 16, true))) {
      return false;
    }
    this.kind = kind;
    this.begin = begin;
    this.end = end;
    this.#next = end;
    return true;
  }

  /** Bytes of all records up to the end of this one. */
  get readBytes(): number {
    return this.#next;
  }

  get seq(): number {
    return this.#view.getFloat64(this.begin - HEADER_BYTES + 8, true);
  }

  get atMs(): number {
    return this.#view.getFloat64(this.begin - HEADER_BYTES + 16, true);
  }

  get payload(): Uint8Array {
    return this.#segment.subarray(this.begin, this.end);
  }

  get record(): TranscriptRecord {
    return { kind: this.kind, seq: this.seq, atMs: this.atMs, payload: this.payload };
  }
}
