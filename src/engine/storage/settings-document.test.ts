import { describe, expect, it } from 'vitest';
import { SettingsDocument, SettingsSyntaxError } from './settings-document.ts';

const FILE = `{
  // why it is so large
  "terminal": {
    "fontSize": 18, "later": [1, 2],
  },
}
`;

describe('a settings document', () => {
  it('reads comments and commas at the end', () => {
    expect(new SettingsDocument(FILE).value).toEqual({ terminal: { fontSize: 18, later: [1, 2] } });
  });

  it('changes one setting and leaves the rest as it was written', () => {
    const document = new SettingsDocument(FILE);
    expect(document.with(['terminal', 'fontSize'], 12).text).toBe(FILE.replace('18', '12'));
    expect(document.with(['terminal', 'fontSize'], 12).with(['terminal', 'fontSize'], 18).text).toBe(FILE);
    const more = document.with(['appearance', 'theme'], 'dark');
    expect(more.text).toContain('// why it is so large');
    expect(more.value).toEqual({ terminal: { fontSize: 18, later: [1, 2] }, appearance: { theme: 'dark' } });
  });

  it('takes a setting out, with the section that it leaves empty', () => {
    const document = new SettingsDocument('').with(['a', 'b'], 1);
    expect(document.value).toEqual({ a: { b: 1 } });
    expect(document.with(['a', 'b'], undefined).value).toEqual({});
    expect(document.with(['a', 'none'], undefined)).toBe(document);
  });

  it('knows the line of a setting, or of what is around it', () => {
    const document = new SettingsDocument(FILE);
    expect(document.lineOf(['terminal', 'fontSize'])).toBe(4);
    expect(document.lineOf(['terminal', 'later', 1])).toBe(4);
    expect(document.lineOf(['terminal', 'none'])).toBe(3);
    expect(document.lineOf(['none'])).toBeNull();
  });

  it.each([
    ['{\n "a" 1\n}', 2, 'a colon is missing'],
    ['{\n "a": 1\n "b": 2\n}', 3, 'a comma is missing'],
    ['{\n "a": nonsense\n}', 2, /neither true, false nor null/],
    ['{\n "a": {\n', 3, /closing } is missing/],
    ['{}\n{}', 2, /follows after the end/],
  ])('says of %j in which line what is wrong', (text, line, why) => {
    const read = (): SettingsDocument => new SettingsDocument(text);
    expect(read).toThrow(SettingsSyntaxError);
    expect(read).toThrow(
      expect.objectContaining({ line, why: typeof why === 'string' ? why : expect.stringMatching(why) }),
    );
  });
});
