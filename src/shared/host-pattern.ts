import { isInRange, parseAddress, parseRange, type IpRange } from './ip-address.ts';

/** Hosts by patterns; see `parseHostPattern`. */
export interface ListedHosts {
  readonly allowed: readonly string[];
  /** Wins over what is allowed. */
  readonly denied: readonly string[];
}

/**
 * Which hosts may be reached (or not), and at which ports:
 * - `any` every host that has a public address
 * - `name` one host by its name
 * - `below` every host below a name, and not that itself
 * - `range` addresses, public or not
 */
export type HostPattern = { readonly ports: Ports } & (
  | { readonly kind: 'any' }
  | { readonly kind: 'name' | 'below'; readonly name: string }
  | { readonly kind: 'range'; readonly range: IpRange }
);

/** `usual`: what is meant where no port is said. */
export type Ports = 'usual' | 'any' | number;

/** HTTP and HTTPS. */
const USUAL_PORTS: readonly number[] = [80, 443];

/** A name as the name system knows it (RFC 1123; RFC 5891 for what is not ASCII), at most 253 characters. */
const NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Reads `example.org`, `*.example.org`, `*`, `192.0.2.7`, `10.0.0.0/8`, `[2001:db8::1]`, each perhaps with `:PORT` or
 * `:*`. Answers a sentence that says what is wrong and what would be right.
 */
export function parseHostPattern(text: string): HostPattern | { readonly wrong: string } {
  const [, hostText = '', portText] = /^(\[[^\]]*\](?:\/\d+)?|[^:]*)(?::(\*|\d{1,5}))?$/.exec(text) ?? [];
  if (hostText === '') {
    return wrong(text, /:\/\//.test(text) ? 'leave out what stands before and behind the name' : HOW);
  }
  const ports = portText === undefined ? 'usual' : portText === '*' ? 'any' : Number(portText);
  if (typeof ports === 'number' && (ports < 1 || ports > 65_535)) {
    return wrong(text, 'a port is a number from 1 to 65535');
  }
  if (hostText === '*') {
    return { kind: 'any', ports };
  }
  const range = parseRange(hostText.replace(/^\[([^\]]*)\]/, '$1'));
  if (range !== null) {
    return { kind: 'range', range, ports };
  }
  if (hostText.includes('/')) {
    return wrong(text, 'of a range write the first address, e.g. 10.0.0.0/8');
  }
  return namePattern(text, hostText.toLowerCase(), ports);
}

function namePattern(text: string, host: string, ports: Ports): HostPattern | { readonly wrong: string } {
  const isBelow = host.startsWith('*.');
  const name = isBelow ? host.slice(2) : host;
  if (name.includes('*')) {
    return wrong(text, 'a * stands alone, or before the first dot: *.example.org');
  }
  if (/[^\x20-\x7e]/.test(name)) {
    return wrong(text, 'write the name in ASCII, as xn--…');
  }
  if (!NAME.test(name) || name.endsWith('.')) {
    return wrong(text, HOW);
  }
  if (/(^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name)) {
    return wrong(text, 'that is no name; of an address all four numbers are written, in decimal');
  }
  if (isBelow && !name.includes('.')) {
    return wrong(text, `that is every host below .${name}; name them, e.g. *.example.${name}`);
  }
  return { kind: isBelow ? 'below' : 'name', name, ports };
}

const HOW =
  'write a name (example.org), all below one (*.example.org), an address, or *; and :PORT where it is not 80 or 443';

function wrong(text: string, why: string): { readonly wrong: string } {
  return { wrong: `'${text}' is no host: ${why}` };
}

/** Does it fit a host by its name (lower case, ASCII), or by its address where that is what was asked for? */
export function matchesHost(pattern: HostPattern, host: string, port: number): boolean {
  if (!matchesPort(pattern.ports, port)) {
    return false;
  }
  switch (pattern.kind) {
    case 'any':
      return true;
    case 'name':
      return host === pattern.name;
    case 'below':
      return host.endsWith(`.${pattern.name}`);
    case 'range': {
      const address = parseAddress(host);
      return address !== null && isInRange(address, pattern.range);
    }
  }
}

function matchesPort(ports: Ports, port: number): boolean {
  return ports === 'any' || (ports === 'usual' ? USUAL_PORTS.includes(port) : ports === port);
}

/** How to write the rule for one host at one port. */
export function hostPatternFor(host: string, port: number): string {
  const written = host.includes(':') ? `[${host}]` : host;
  return USUAL_PORTS.includes(port) ? written : `${written}:${port}`;
}
