import { describe, expect, it } from 'vitest';
import { checkSettings } from './settings-check.ts';
import { settingsFields, unknownPaths } from './settings-fields.ts';
import { windowSettingsSchema } from './settings-schema.ts';

const check = (file: unknown, before: Readonly<Record<string, unknown>> = {}) =>
  checkSettings(windowSettingsSchema, file, before);

describe('a checked settings file', () => {
  it('has the defaults of all that it does not say', () => {
    const { values, problems } = check({});
    expect(problems).toEqual([]);
    expect(values.terminal.fontSize).toBe(13);
    expect(values.appearance.theme).toBe('system');
  });

  it('keeps for a wrong setting what it was before, and takes the rest', () => {
    const before = { terminal: { fontSize: 20, bell: 'none' } };
    const file = { terminal: { fontSize: 99, cursorBlink: true }, appearance: { theme: 'neon' } };
    const { values, problems, usable } = check(file, before);
    expect(values.terminal).toMatchObject({ fontSize: 20, cursorBlink: true, bell: 'visual' });
    expect(values.appearance.theme).toBe('system');
    expect(problems).toEqual([
      {
        path: 'appearance.theme',
        why: 'must be one of "system", "light", "dark", "high-contrast", "high-contrast-light"',
      },
      { path: 'terminal.fontSize', why: 'must be at most 40' },
    ]);
    expect(usable).toEqual({ terminal: { fontSize: 20, cursorBlink: true }, appearance: {} });
  });

  it.each([
    [{ terminal: { fontSize: 'big' } }, 'terminal.fontSize', 'must be a number'],
    [{ terminal: { fontSize: 13.5 } }, 'terminal.fontSize', 'must be a whole number'],
    [{ terminal: { cursorBlink: 'yes' } }, 'terminal.cursorBlink', 'must be true or false'],
    [{ terminal: { lightColours: '' } }, 'terminal.lightColours', 'must not be empty'],
    [{ terminal: [] }, 'terminal', 'must be an object: { … }'],
    [{ colourSchemes: { A: { foreground: 'red' } } }, 'colourSchemes.A.foreground', /must be a colour/],
    [{ terminal: { fontFamily: 'x; } body { display: none' } }, 'terminal.fontFamily', /must be names of fonts/],
    [
      { colourSchemes: { A: { foreground: '#ffffff', background: '#000000', ansi: [] } } },
      'colourSchemes.A.ansi',
      'must have the sixteen colours, black to bright white',
    ],
    [[], null, 'must be an object: { … }'],
  ])('says in words what is wrong with %j', (file, path, why) => {
    expect(check(file).problems[0]).toEqual({ path, why: typeof why === 'string' ? why : expect.stringMatching(why) });
  });

  it('keeps a whole scheme out for one wrong colour, and only that', () => {
    const scheme = { foreground: '#ffffff', background: '#000000', ansi: Array.from({ length: 16 }, () => '#ffffff') };
    const { values } = check({ colourSchemes: { good: scheme, bad: { ...scheme, ansi: ['#ffffff'] } } });
    expect(Object.keys(values.colourSchemes)).toEqual(['good']);
  });
});

describe('the form', () => {
  it('is made of the schema: titles, bounds, choices and defaults', () => {
    const fields = settingsFields(windowSettingsSchema);
    expect(fields.every(({ description }) => description.endsWith('.'))).toBe(true);
    expect(fields.find(({ path }) => path === 'terminal.fontSize')).toEqual({
      path: 'terminal.fontSize',
      section: 'Terminal',
      title: 'Font size',
      description: 'At 100% zoom.',
      input: { kind: 'number', least: 6, most: 40, step: 1, unit: 'px', isWhole: true },
      default: 13,
      protects: false,
    });
    expect(new Set(fields.map(({ input }) => input.kind))).toEqual(
      new Set(['choice', 'number', 'colour-scheme', 'text', 'switch']),
    );
  });

  it('knows what nothing in a file is known of, in sections too, but not the person’s own names', () => {
    const file = { later: 1, terminal: { fontsize: 3, fontSize: 4 }, colourSchemes: { Mine: {} } };
    expect(unknownPaths(windowSettingsSchema, file)).toEqual(['later', 'terminal.fontsize']);
  });
});
