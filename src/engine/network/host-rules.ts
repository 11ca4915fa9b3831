import { EngineError } from '../../shared/errors.ts';
import { matchesHost, parseHostPattern, type HostPattern, type ListedHosts } from '../../shared/host-pattern.ts';
import { isInRange, parseAddress } from '../../shared/ip-address.ts';
import { isPublicAddress, meantAddress } from './special-addresses.ts';

/** Why a host is not reached; null when it may be. */
export type HostRefusal = 'denied' | 'not-listed' | 'not-public' | null;

/** Which hosts may be reached. Pure. */
export class HostRules {
  readonly #allowed: readonly HostPattern[];
  readonly #denied: readonly HostPattern[];

  /** Throws `invalid-argument` for what is no pattern. */
  constructor({ allowed, denied }: ListedHosts) {
    this.#allowed = allowed.map(known);
    this.#denied = denied.map(known);
  }

  /** By the name that was asked for, before anybody looks it up: a look-up tells the name to others. */
  judgeHost(host: string, port: number): HostRefusal {
    if (this.#denied.some((pattern) => matchesHost(pattern, host, port))) {
      return 'denied';
    }
    return this.#allowed.some((pattern) => matchesHost(pattern, host, port)) ? null : 'not-listed';
  }

  /**
   * By an address that an allowed name has: one that is not public is reached only where a rule names it, since whoever
   * has the name can let it lead to this machine and its network.
   */
  judgeAddress(address: string, port: number): HostRefusal {
    const fits = (pattern: HostPattern) =>
      pattern.kind === 'range' && (matchesHost(pattern, address, port) || this.#isMeant(pattern, address, port));
    if (this.#denied.some(fits)) {
      return 'denied';
    }
    return isPublicAddress(address) || this.#allowed.some(fits) ? null : 'not-public';
  }

  #isMeant(pattern: HostPattern, text: string, port: number): boolean {
    const address = parseAddress(text);
    return (
      address !== null &&
      pattern.kind === 'range' &&
      isInRange(meantAddress(address), pattern.range) &&
      matchesHost({ kind: 'any', ports: pattern.ports }, text, port)
    );
  }
}

function known(text: string): HostPattern {
  const pattern = parseHostPattern(text);
  if ('wrong' in pattern) {
    throw new EngineError('invalid-argument', pattern.wrong);
  }
  return pattern;
}
