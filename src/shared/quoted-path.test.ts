import { describe, expect, it } from 'vitest';
import { quotedPath } from './quoted-path.ts';

describe('a path on a command line', () => {
  it.each([
    ['/home/ada/notes.txt', '/home/ada/notes.txt'],
    ['/home/ada/my notes.txt', "'/home/ada/my notes.txt'"],
    ["/tmp/it's", String.raw`'/tmp/it'\''s'`],
    ['/tmp/$(reboot);`x`&*?[a]{b}~!#"\\', "'/tmp/$(reboot);`x`&*?[a]{b}~!#\"\\'"],
    ['/tmp/größe', "'/tmp/größe'"],
  ])('%s is %s', (path, quoted) => {
    expect(quotedPath(path, 'linux')).toBe(quoted);
  });

  it.each(['', '/tmp/a\nreboot', '/tmp/\u001B[201~', '/tmp/\u202Etxt.exe'])('%j is not typed', (path) => {
    expect(quotedPath(path, 'linux')).toBeNull();
  });

  it('has double quotes on Windows where it needs them', () => {
    expect(quotedPath(String.raw`C:\Users\ada\a.txt`, 'win32')).toBe(String.raw`C:\Users\ada\a.txt`);
    expect(quotedPath(String.raw`C:\Program Files\a & b`, 'win32')).toBe(String.raw`"C:\Program Files\a & b"`);
  });
});
