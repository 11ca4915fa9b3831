import type { ColourScheme } from './colour-scheme-schema.ts';

/** Contrast of two colours `#rrggbb`, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrastRatio(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((left, right) => right - left);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The colour that lies `share` (0 to 1) of the way from one to another. */
export function mixColours(from: string, to: string, share: number): string {
  const target = channels(to);
  const mixed = channels(from).map((value, index) => Math.round(value + ((target[index] ?? value) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Red, green, blue, from 0 to 255. */
function channels(colour: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** Relative luminance as WCAG 2.2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const ANSI_NAMES = [
  ...['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'],
  ...['bright black', 'bright red', 'bright green', 'bright yellow'],
  ...['bright blue', 'bright magenta', 'bright cyan', 'bright white'],
];

/**
 * What of a scheme is hard to read on its background, as a sentence; null when nothing is. Black and white are left out:
 * one of the two is meant to be near the background.
 */
export function contrastHint(scheme: ColourScheme, least: number): string | null {
  const named = [
    { name: 'foreground', colour: scheme.foreground },
    ...scheme.ansi.map((colour, index) => ({ name: ANSI_NAMES[index] ?? '', colour })),
  ];
  const weak = named
    .filter(({ name }) => name !== 'black' && name !== 'white')
    .map(({ name, colour }) => ({ name, ratio: contrastRatio(colour, scheme.background) }))
    .filter(({ ratio }) => ratio < least);
  return weak.length === 0
    ? null
    : `On its background these have a contrast below ${least}: ${weak
        .map(({ name, ratio }) => `${name} (${(Math.floor(ratio * 10) / 10).toFixed(1)})`)
        .join(', ')}. Terminals move them until they reach it.`;
}
