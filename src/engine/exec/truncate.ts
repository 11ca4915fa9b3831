/** A text that was cut to fit. */
export interface TruncatedText {
  readonly text: string;
  /** Bytes that were taken out of the middle; 0 when the text was left as it is. */
  readonly leftOutBytes: number;
}

/** The two ends of a text whose middle is not at hand. */
export interface TextEnds {
  readonly head: string;
  readonly tail: string;
  /** Bytes between them. */
  readonly skippedBytes: number;
}

/** Says in the text how much is missing. For a larger number it must not be shorter. */
export type Marker = (leftOutBytes: number) => string;

/**
 * Cuts a text in the middle so that it has at most `maxBytes` bytes of UTF-8, the marker included: the head and the
 * tail of an output say more than its middle. No character is broken. Of several markers the first is taken that leaves
 * half of the room to the text, else the last that fits at all; where none fits, nothing is left.
 */
export function truncateMiddle(
  whole: string | TextEnds,
  maxBytes: number,
  ...markers: readonly Marker[]
): TruncatedText {
  const head = Buffer.from(typeof whole === 'string' ? whole : whole.head);
  const tail = typeof whole === 'string' ? head : Buffer.from(whole.tail);
  const totalBytes = typeof whole === 'string' ? head.length : head.length + whole.skippedBytes + tail.length;
  if (typeof whole === 'string' && totalBytes <= maxBytes) {
    return { text: whole, leftOutBytes: 0 };
  }
  // No marker is longer than the one for all of it: what is left out is less, and its number no longer.
  const lengthOf = (candidate: Marker) => Buffer.byteLength(candidate(totalBytes));
  const marker =
    markers.find((candidate) => lengthOf(candidate) <= maxBytes / 2) ??
    markers.findLast((candidate) => lengthOf(candidate) <= maxBytes);
  if (marker === undefined) {
    return { text: '', leftOutBytes: totalBytes };
  }
  const room = maxBytes - lengthOf(marker);
  const headEnd = characterStart(head, Math.min(head.length, Math.ceil(room / 2)));
  const tailStart = nextCharacterStart(tail, Math.max(0, tail.length - (room - headEnd)));
  const leftOutBytes = totalBytes - headEnd - (tail.length - tailStart);
  return {
    text: head.toString('utf8', 0, headEnd) + marker(leftOutBytes) + tail.toString('utf8', tailStart),
    leftOutBytes,
  };
}

/** The start of the character that holds the byte at `at`; the end itself when nothing follows. */
function characterStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > 0 && isContinuation(bytes[start])) {
    start -= 1;
  }
  return start;
}

function nextCharacterStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start < bytes.length && isContinuation(bytes[start])) {
    start += 1;
  }
  return start;
}

/** 10xxxxxx (RFC 3629). */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}
