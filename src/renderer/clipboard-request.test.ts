import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CLIPBOARD_PAYLOAD, readClipboardRequest } from './clipboard-request.ts';
import { base64Of as base64 } from './testing/osc-52.ts';

const NOTHING = { kind: 'nothing' };

describe('what a program wants of the clipboard', () => {
  it.each(['c', 's', '', 'pc', 'cp', 'c0', 'sc'])('is a text for the selection “%s”', (selection) => {
    expect(readClipboardRequest(`${selection};${base64('grüße, 你好 👋\n')}`)).toEqual({
      kind: 'write',
      text: 'grüße, 你好 👋\n',
    });
  });

  it.each([
    ['what the person has marked', `p;${base64('x')}`],
    ['the second selection', `q;${base64('x')}`],
    ['a cut buffer', `0;${base64('x')}`],
    ['a selection that there is none of', `x;${base64('x')}`],
    ['more selections than there are', `${'c'.repeat(17)};${base64('x')}`],
    ['a question what is on it', 'c;?'],
    ['a question what is on it, without a selection', ';?'],
    ['that it be emptied', 'c;'],
    ['that it be emptied, by what is no base64', 'c;!'],
    ['half a base64', 'c;AAAAA'],
    ['a further field', `c;${base64('x')};${base64('y')}`],
    ['no field', base64('x')],
    ['nothing at all', ''],
    ['bytes that are no UTF-8', `c;${base64(Uint8Array.of(0x61, 0xff))}`],
    ['half a character', `c;${base64(Uint8Array.of(0xc3))}`],
  ])('is nothing for %s', (_what, payload) => {
    expect(readClipboardRequest(payload)).toEqual(NOTHING);
  });

  it('is a text without its padding, too', () => {
    expect(readClipboardRequest('c;YQ')).toEqual({ kind: 'write', text: 'a' });
  });

  it('is too large from a bound on, and then not decoded', () => {
    const most = 'a'.repeat((MAX_CLIPBOARD_PAYLOAD * 3) / 4);
    expect(readClipboardRequest(`c;${base64(most)}`)).toEqual({ kind: 'write', text: most });
    expect(readClipboardRequest(`c;${base64(`${most}a`)}`)).toEqual({ kind: 'too-large', bytes: most.length + 3 });
    expect(readClipboardRequest(`c;${'!'.repeat(9_000_000)}`)).toEqual({ kind: 'too-large', bytes: 6_750_000 });
    expect(readClipboardRequest('c'.repeat(9_000_000))).toEqual(NOTHING);
  });

  it('is any text as it was, and never an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        expect(readClipboardRequest(`c;${base64(text)}`)).toEqual({ kind: 'write', text });
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (payload) => {
        expect(['write', 'nothing']).toContain(readClipboardRequest(payload).kind);
      }),
    );
  });
});
