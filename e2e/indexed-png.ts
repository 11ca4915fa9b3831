import { crc32, deflateSync } from 'node:zlib';

const PALETTE_SIZE = 256;

/** The most frequent colours stand as they are: surfaces may differ in a few steps of each channel. */
const EXACT_COLOURS = 128;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * A PNG with a palette, a third of the size of one without. Of rare colours that are nearly alike, as at the edges of
 * letters, the most frequent stands for all; so the few dots of another hue keep theirs. `pixels` is red, green, blue and
 * alpha of each, row by row; alpha is left out.
 */
export function indexedPng(pixels: Uint8Array, width: number, height: number): Buffer {
  const colours = new Map<number, number>();
  const colourAt = (index: number): number =>
    ((pixels[index * 4] ?? 0) << 16) | ((pixels[index * 4 + 1] ?? 0) << 8) | (pixels[index * 4 + 2] ?? 0);
  for (let index = 0; index < width * height; index += 1) {
    const colour = colourAt(index);
    colours.set(colour, (colours.get(colour) ?? 0) + 1);
  }
  const byFrequency = [...colours].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  // The upper four bits of each channel. Where two meet in one place of the map, the first, more frequent one stays.
  const kinds = new Map(byFrequency.toReversed().map((colour) => [colour & 0xf0f0f0, colour]));
  const exact = byFrequency.slice(0, EXACT_COLOURS);
  const palette = [...new Set([...exact, ...[...kinds.values()].toReversed()])].slice(0, PALETTE_SIZE);
  const places = new Map([...colours.keys()].map((colour) => [colour, nearest(palette, colour)]));

  // Each row begins with its filter: none, which is best for a palette.
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      rows[row * (width + 1) + 1 + column] = places.get(colourAt(row * width + column)) ?? 0;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, by palette.
  header.set([8, 3], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function nearest(palette: readonly number[], colour: number): number {
  const wanted = channels(colour);
  const distances = palette.map((candidate) =>
    channels(candidate).reduce((sum, value, index) => sum + (value - (wanted[index] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function channels(colour: number): readonly number[] {
  return [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
}

/** Length, name, data, checksum of name and data (PNG specification, 5.3). */
function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}
