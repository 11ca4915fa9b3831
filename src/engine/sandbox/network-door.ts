import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../../shared/errors.ts';

/** What of the host is brought into a sandbox that may reach some hosts. */
export interface NetworkDoor {
  /** Absolute path of the program that listens inside; see `relay.c`. */
  readonly relay: string;
  /** Absolute path of the socket to which it leads. */
  readonly socket: string;
}

/** Where both lie inside. */
export const DOOR_INSIDE: NetworkDoor = { relay: '/run/shellscope/relay', socket: '/run/shellscope/network' };

/**
 * Where the relay listens on the sandbox's own loopback: nobody else is there, and it is below the ports that the system
 * gives to who asks for any.
 */
const RELAY_PORT = 31_280;

const PROXY_URL = `http://127.0.0.1:${RELAY_PORT}`;

/** What runs inside before the command's own words. */
export const RELAY_WORDS: readonly string[] = [DOOR_INSIDE.relay, DOOR_INSIDE.socket, String(RELAY_PORT)];

/** What servers inside are reached by, which are inside as well. */
const INSIDE = 'localhost,127.0.0.1,::1';

/**
 * By what programs find a proxy: there is no standard, and curl(1) reads `http_proxy` in small letters only. Without
 * SOCKS, for which many programs lack the library; it is spoken at the same place.
 */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map((name) => [
      name,
      PROXY_URL,
    ]),
  ),
  NO_PROXY: INSIDE,
  no_proxy: INSIDE,
  // Node reads the others only with it, from 24 on.
  NODE_USE_ENV_PROXY: '1',
};

/** Where `npm run build` leaves the relay: seen from a bundle in out/, and from this file. */
const RELAY_PLACES = ['../native/relay', '../../../out/native/relay'].map((path) => join(import.meta.dirname, path));

/** Throws `sandbox-missing` before the project was built. */
export function relayProgram(): string {
  const relay = RELAY_PLACES.find((path) => existsSync(path));
  if (relay === undefined) {
    throw new EngineError('sandbox-missing', 'the relay of sandboxes is not built: run `npm run build` first');
  }
  return relay;
}
