/** What no shell takes for anything but itself. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Tab, line feed, escape and their like, and what reorders text: typed, they would do something. */
const UNTYPEABLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

/**
 * An absolute path as one word of a shell's command line; null for one with characters that cannot be typed safely.
 * POSIX (XCU 2.2.2): between single quotes nothing has a meaning, and a quote of the path ends them, comes escaped, and
 * begins them anew. Windows: no file name has a double quote in it.
 */
export function quotedPath(path: string, platform: 'linux' | 'darwin' | 'win32'): string | null {
  if (path === '' || UNTYPEABLE.test(path)) {
    return null;
  }
  if (platform === 'win32') {
    return /^[A-Za-z0-9_.:\\/-]+$/.test(path) ? path : `"${path}"`;
  }
  return PLAIN.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
