import { connect, type LookupFunction, type Socket } from 'node:net';
import { hostPatternFor } from '../../shared/host-pattern.ts';
import { parseAddress } from '../../shared/ip-address.ts';
import type { HostRefusal, HostRules } from './host-rules.ts';

/** Looks a name up: its addresses, the preferred one first. Rejects when it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** What a program in a sandbox wanted to reach, and was not let. */
export interface RefusedHost {
  /** A name or an address, as it was understood. */
  readonly host: string;
  readonly port: number;
  readonly why: Exclude<HostRefusal, null>;
}

/** How a connection was tried. */
export type Opened =
  | { readonly kind: 'open'; readonly socket: Socket }
  | { readonly kind: 'refused'; readonly text: string }
  /** It was allowed, and there was nobody, or nobody by that name. */
  | { readonly kind: 'failed'; readonly text: string };

export interface HostGateOptions {
  readonly rules: HostRules;
  readonly resolve: Resolve;
  readonly onRefused: (refused: RefusedHost) => void;
}

/** Milliseconds until somebody who does not answer is given up; programs themselves wait longer. */
const CONNECT_TIMEOUT_MS = 20_000;

/**
 * The only way from a sandbox with a list of hosts to the network: names are looked up here, and what was looked up is
 * what is judged and connected to.
 */
export class HostGate {
  readonly #options: HostGateOptions;

  constructor(options: HostGateOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async open(asked: string, port: number): Promise<Opened> {
    const host = canonicalHost(asked);
    if (host === null || port < 1 || port > 65_535) {
      return { kind: 'failed', text: `shellscope: ${JSON.stringify(asked)} at port ${port} is no host.\n` };
    }
    const byName = this.#options.rules.judgeHost(host, port);
    if (byName !== null) {
      return this.#refuse({ host, port, why: byName }, null);
    }
    const addresses = await this.#addresses(host);
    if (addresses.length === 0) {
      return { kind: 'failed', text: `shellscope: ${host} has no address.\n` };
    }
    const judged = addresses.map((address) => ({ address, why: this.#options.rules.judgeAddress(address, port) }));
    const good = judged.filter(({ why }) => why === null).map(({ address }) => address);
    const [first] = judged;
    if (good.length === 0 && first !== undefined && first.why !== null) {
      return this.#refuse({ host, port, why: first.why }, first.address);
    }
    return connected(host, port, good);
  }

  async #addresses(host: string): Promise<readonly string[]> {
    if (parseAddress(host) !== null) {
      return [host];
    }
    try {
      return await this.#options.resolve(host);
    } catch {
      // Nobody by that name, or no name server: the program is told that there is no address.
      return [];
    }
  }

  #refuse(refused: RefusedHost, address: string | null): Opened {
    this.#options.onRefused(refused);
    return { kind: 'refused', text: refusalText(refused, address) };
  }
}

/** For the program and whoever reads its output. */
function refusalText({ host, port, why }: RefusedHost, address: string | null): string {
  const at = `${host}:${port}`;
  switch (why) {
    case 'not-listed':
      return (
        `shellscope: ${at} is not among the hosts that this sandbox may reach.\n` +
        `To allow it, add "${hostPatternFor(host, port)}" to network.allowed in the settings.\n`
      );
    case 'denied':
      return `shellscope: ${at} is among the hosts that the settings deny (network.denied).\n`;
    case 'not-public':
      return (
        `shellscope: ${at} leads to ${address ?? host}, which is no public address.\n` +
        `To allow it, add "${hostPatternFor(address ?? host, port)}" to network.allowed in the settings, too.\n`
      );
  }
}

/**
 * A name or address in the one form in which it is judged and looked up: lower case, ASCII, without the last dot, an
 * address in its shortest form. Null for what is no host.
 */
export function canonicalHost(text: string): string | null {
  // URL reads more than a host: what stands before or behind it would be taken off in silence.
  if (/[\s/?#@\\%]/.test(text) || text === '') {
    return null;
  }
  const isSix = parseAddress(text)?.family === 6;
  if (text.includes(':') && !isSix) {
    return null;
  }
  try {
    const { hostname } = new URL(isSix ? `ws://[${text}]` : `ws://${text}`);
    const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
    return host === '' ? null : host;
  } catch {
    // The parser's way to say that it is no host.
    return null;
  }
}

/** Connects to whichever of the addresses answers first, in their order. */
function connected(host: string, port: number, addresses: readonly string[]): Promise<Opened> {
  // The name is not looked up again: it could lead elsewhere by now.
  const known: LookupFunction = (_name, _options, answer) => {
    answer(
      null,
      addresses.map((address) => ({ address, family: parseAddress(address)?.family ?? 0 })),
    );
  };
  return new Promise((resolve) => {
    const socket = connect({ host, port, lookup: known, autoSelectFamily: true, allowHalfOpen: true });
    const fail = (why: string) => {
      socket.destroy();
      resolve({ kind: 'failed', text: `shellscope: ${host}:${port} cannot be reached: ${why}.\n` });
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => fail(`no answer within ${CONNECT_TIMEOUT_MS / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.removeAllListeners('error');
      // Whoever takes it listens for what becomes of it; until then nobody must die of it.
      socket.on('error', () => {});
      resolve({ kind: 'open', socket });
    });
  });
}
