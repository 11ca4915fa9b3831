/** A text that was cut to fit. */
export interface TruncatedText {
  readonly text: string;
  /** Bytes of UTF-8 that were taken out of the middle; 0 when the text was left as it is. */
  readonly leftOutBytes: number;
}

/**
 * Cuts a text in the middle so that it has at most `maxBytes` bytes of UTF-8, the marker included: the head and the
 * tail of an output say more than its middle. No character is broken. Where not even the marker fits, nothing is left.
 */
export function truncateMiddle(
  text: string,
  maxBytes: number,
  markerFor: (leftOutBytes: number) => string,
): TruncatedText {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) {
    return { text, leftOutBytes: 0 };
  }
  // No marker is longer than the one for all of it: what is left out is less, and its number no longer.
  const room = maxBytes - Buffer.byteLength(markerFor(bytes.length));
  if (room < 0) {
    return { text: '', leftOutBytes: bytes.length };
  }
  const headEnd = characterStart(bytes, Math.ceil(room / 2));
  const tailStart = nextCharacterStart(bytes, bytes.length - Math.floor(room / 2));
  const leftOutBytes = tailStart - headEnd;
  const marker = markerFor(leftOutBytes);
  return {
    text: bytes.toString('utf8', 0, headEnd) + marker + bytes.toString('utf8', tailStart),
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
