/** Longest UTF-8 sequence, in bytes (RFC 3629). */
const MAX_SEQUENCE_BYTES = 4;

/** Bytes at the end that begin a character and do not complete it. */
export function unfinishedLength(bytes: Uint8Array): number {
  for (let length = 1; length < MAX_SEQUENCE_BYTES && length <= bytes.length; length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (!isContinuation) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
      return needed > length ? length : 0;
    }
  }
  return 0;
}
