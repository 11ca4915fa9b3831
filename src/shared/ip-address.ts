/** An address of the internet protocol as a number. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** All addresses that begin with the same bits. */
export interface IpRange {
  readonly family: 4 | 6;
  /** The first of them. */
  readonly first: bigint;
  /** How many bits all of them share. */
  readonly bits: number;
}

/** Bits of an address. */
const BITS = { 4: 32, 6: 128 } as const;

/**
 * Reads an address in its usual form: four decimal numbers, or groups of hexadecimal digits (RFC 4291, 2.2), without
 * brackets. Null for anything else, also for the forms that only inet_aton(3) knows (`127.1`, `0x7f000001`, `010.0.0.1`)
 * and for one with a zone.
 */
export function parseAddress(text: string): IpAddress | null {
  return text.includes(':') ? parseSix(text) : parseFour(text);
}

/** Reads `ADDRESS` or `ADDRESS/BITS`. Null where a bit behind the shared ones is set: that is not what was meant. */
export function parseRange(text: string): IpRange | null {
  const [, addressText = '', bitsText] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(addressText);
  if (address === null) {
    return null;
  }
  const all = BITS[address.family];
  const bits = bitsText === undefined ? all : Number(bitsText);
  const isWhole = bits <= all && address.value % (1n << BigInt(all - Math.min(bits, all))) === 0n;
  return isWhole ? { family: address.family, first: address.value, bits } : null;
}

export function isInRange(address: IpAddress, { family, first, bits }: IpRange): boolean {
  const shift = BigInt(BITS[family] - bits);
  return address.family === family && address.value >> shift === first >> shift;
}

function parseFour(text: string): IpAddress | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1) ?? [];
  const areNumbers = parts.length === 4 && parts.every((part) => Number(part) <= 255 && String(Number(part)) === part);
  return areNumbers ? { family: 4, value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) } : null;
}

/** Sixteen bits of a version 6 address. */
const GROUP = /^[0-9a-f]{1,4}$/i;

function parseSix(text: string): IpAddress | null {
  const halves = text.split('::');
  if (halves.length > 2) {
    return null;
  }
  const [before, after] = halves.map((half) => groupsOf(half));
  if (before === null || before === undefined || after === null) {
    return null;
  }
  if (after === undefined) {
    return before.length === 8 ? joined(before) : null;
  }
  const lacking = 8 - before.length - after.length;
  return lacking < 1 ? null : joined([...before, ...Array<bigint>(lacking).fill(0n), ...after]);
}

/** The groups of one side of `::`, the last two perhaps written as a version 4 address. */
function groupsOf(half: string): readonly bigint[] | null {
  if (half === '') {
    return [];
  }
  const words = half.split(':');
  const embedded = parseFour(words.at(-1) ?? '');
  const hexadecimal = embedded === null ? words : words.slice(0, -1);
  if (!hexadecimal.every((word) => GROUP.test(word))) {
    return null;
  }
  const groups = hexadecimal.map((word) => BigInt(`0x${word}`));
  return embedded === null ? groups : [...groups, embedded.value >> 16n, embedded.value & 0xffffn];
}

function joined(groups: readonly bigint[]): IpAddress {
  return { family: 6, value: groups.reduce((sum, group) => (sum << 16n) + group, 0n) };
}
