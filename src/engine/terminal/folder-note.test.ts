import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FolderNote, type ToldFolder } from './folder-note.ts';
import { ProgressNote } from './progress-note.ts';
import { QueryScan } from './query-scan.ts';

/** What holds after this output, which is cut into pieces of so many bytes. */
function after(output: string | Uint8Array, pieceBytes = 1_000): ToldFolder | null {
  const note = new FolderNote();
  const scan = new QueryScan(new ProgressNote(), note);
  const bytes = Buffer.from(output);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    scan.scan(bytes.subarray(at, at + pieceBytes));
  }
  return note.folder;
}

const told = (address: string): string => `\u001B]7;${address}\u0007`;
const folder = (path: string, host = 'ada-desk'): ToldFolder => ({ host, path });

describe('the folder that a program tells', () => {
  test.each([
    ['as shells write it', told('file://ada-desk/srv/web'), folder('/srv/web')],
    ['ended by ST', '\u001B]7;file://ada-desk/srv\u001B\\', folder('/srv')],
    ['by the one-character forms', '\u009D7;file://ada-desk/srv\u009C', folder('/srv')],
    ['without a host', told('file:///srv'), folder('/srv', '')],
    ['with escaped signs', told('file://h/a%20b/%C3%A9%0Ac'), folder('/a b/é\nc', 'h')],
    ['with signs that should have been escaped', told('file://h/a b/é©😀;c'), folder('/a b/é©😀;c', 'h')],
    ['the last one', `${told('file://h/a')} text ${told('file://h/b')}`, folder('/b', 'h')],
  ])('is known %s', (_what, output, expected) => {
    expect(after(output)).toEqual(expected);
  });

  test.each([
    ['no file', told('https://h/srv')],
    ['no path', told('file://h')],
    ['a relative path', told('srv/web')],
    ['half an escape', told('file://h/a%2')],
    ['no UTF-8 in its escapes', told('file://h/%ff')],
    ['no UTF-8', Buffer.from('\u001B]7;file://h/\u00FF\u0007', 'latin1')],
    ['a control character', told('file://h/a\tb')],
    ['a host that is none', told('file://h host/a')],
    ['no end', '\u001B]7;file://h/a'],
    ['another number', '\u001B]77;file://h/a\u0007'],
    ['more than a path can be', told(`file://h/${'a'.repeat(20_000)}`)],
  ])('says nothing with %s, and the one before holds', (_what, output) => {
    expect(after(output)).toBeNull();
    expect(after(Buffer.concat([Buffer.from(told('file://h/before')), Buffer.from(output)]))).toEqual(
      folder('/before', 'h'),
    );
  });

  test('is the same, however the bytes are cut', () => {
    const path = fc.string({ unit: 'grapheme', maxLength: 20 });
    fc.assert(
      fc.property(fc.array(path, { maxLength: 4 }), fc.integer({ min: 1, max: 9 }), (paths, pieceBytes) => {
        const output = paths.map((one) => `text ${told(`file://h/${encodeURIComponent(one)}`)}`).join('');
        const last = paths.at(-1);
        expect(after(output, pieceBytes)).toEqual(last === undefined ? null : folder(`/${last}`, 'h'));
      }),
    );
  });
});
