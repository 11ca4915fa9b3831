import { describe, expect, it } from 'vitest';
import { colourSchemeSchema, type ColourScheme } from './colour-scheme-schema.ts';
import { BUNDLED_SCHEMES, colourSchemeNamed } from './colour-schemes.ts';
import { contrastHint, contrastRatio, mixColours } from './contrast.ts';

const GREY: ColourScheme = {
  foreground: '#dddddd',
  background: '#111111',
  ansi: Array.from({ length: 16 }, () => '#cccccc'),
};

describe('contrast', () => {
  it('is what WCAG says of known pairs, in either order', () => {
    expect(contrastRatio('#000000', '#ffffff')).toBeCloseTo(21);
    expect(contrastRatio('#ffffff', '#000000')).toBeCloseTo(21);
    expect(contrastRatio('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrastRatio('#0b6e75', '#0b6e75')).toBe(1);
  });

  it('is told of what is hard to read, with its ratio', () => {
    expect(contrastHint(GREY, 4.5)).toBeNull();
    const ansi = GREY.ansi.map((colour, index) => (index === 1 ? '#222222' : colour));
    expect(contrastHint({ ...GREY, ansi }, 4.5)).toContain('below 4.5: red (1.1).');
  });

  it('leaves black and white out, of which one is a background', () => {
    const ansi = GREY.ansi.map((colour, index) => (index === 0 ? '#121212' : colour));
    expect(contrastHint({ ...GREY, ansi }, 4.5)).toBeNull();
  });

  it('mixes from one end to the other', () => {
    expect([0, 0.5, 1].map((share) => mixColours('#000000', '#ff8000', share))).toEqual([
      '#000000',
      '#804000',
      '#ff8000',
    ]);
  });
});

describe('the bundled schemes', () => {
  it.each(Object.entries(BUNDLED_SCHEMES))('%s is valid and can be read without being moved', (_name, scheme) => {
    expect(colourSchemeSchema.safeParse(scheme).success).toBe(true);
    expect(contrastHint(scheme, 4.5)).toBeNull();
    expect(contrastRatio(scheme.foreground, scheme.background)).toBeGreaterThan(11);
    expect(contrastRatio(scheme.foreground, scheme.selection)).toBeGreaterThan(4.5);
  });

  it('are found by name, after the person’s own; of no other name there is one', () => {
    expect(colourSchemeNamed('moss', {})).toBe(BUNDLED_SCHEMES.moss);
    expect(colourSchemeNamed('moss', { moss: GREY })).toBe(GREY);
    expect(['theme', 'no such', 'toString', '__proto__'].map((name) => colourSchemeNamed(name, {}))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
