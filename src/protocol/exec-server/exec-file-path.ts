/**
 * Paths as bytes. A name on Linux is any bytes without `/` and NUL, so that a path which goes through a string loses
 * what is not UTF-8; as file URIs (RFC 8089) all of them can be written.
 */

/** An absolute path of this machine, as the system call takes it. Without a trailing `/`, unless it is the root. */
export type FilePath = Buffer;

const SLASH = 0x2f;

/** The bytes of a percent-encoded text; null when a % begins no escape. */
export function percentDecoded(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'utf8');
  const decoded = Buffer.alloc(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== 0x25) {
      decoded[length++] = byte;
      continue;
    }
    const digits = bytes.toString('latin1', at + 1, at + 3);
    if (!/^[0-9a-f]{2}$/i.test(digits)) {
      return null;
    }
    decoded[length++] = Number.parseInt(digits, 16);
    at += 2;
  }
  return decoded.subarray(0, length);
}

/** Takes trailing slashes away: a file may be named with one, as by the real server (0.169). */
export function trimmedPath(path: Buffer): FilePath {
  let { length } = path;
  while (length > 1 && path[length - 1] === SLASH) {
    length -= 1;
  }
  return path.subarray(0, length);
}

/** The file URI of a path, in the spelling of the real server: what a URL may hold as it is stays as it is. */
export function uriOfPath(path: FilePath): string {
  let uri = 'file://';
  for (const byte of path) {
    const character = String.fromCharCode(byte);
    uri += /[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]^|]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return uri;
}

/** For texts that a person reads: what is not UTF-8 becomes U+FFFD. */
export function shownPath(path: FilePath): string {
  return path.toString('utf8');
}

export function joinedPath(directory: FilePath, name: Uint8Array): FilePath {
  return directory.length === 1 ? Buffer.concat([directory, name]) : Buffer.concat([directory, Buffer.from('/'), name]);
}

/** The names that a path is made of, without empty ones. */
export function pathComponents(path: Uint8Array): Buffer[] {
  const components: Buffer[] = [];
  let start = 0;
  for (let at = 0; at <= path.length; at += 1) {
    if (at === path.length || path[at] === SLASH) {
      if (at > start) {
        components.push(Buffer.from(path.subarray(start, at)));
      }
      start = at + 1;
    }
  }
  return components;
}
