/** Hosts that a listener may be bound to: sessions are for this machine alone. */
const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]'];

/** Where to listen. Port 0 takes a free one. */
export interface ListenAddress {
  readonly host: '127.0.0.1' | '::1';
  readonly port: number;
}

/**
 * Reads `ws://IP:PORT`. Throws an `Error` with the real server's text for anything else, and for an address that other
 * machines can reach.
 */
export function parseListenUrl(text: string): ListenAddress {
  const match = /^ws:\/\/(\[[0-9a-f:]+\]|[0-9.]+):(\d{1,5})$/i.exec(text);
  if (match === null) {
    throw new Error(`invalid websocket --listen URL \`${text}\`; expected \`ws://IP:PORT\``);
  }
  const [, host = '', port = ''] = match;
  if (Number(port) > 65_535) {
    throw new Error(`invalid websocket --listen URL \`${text}\`: a port is at most 65535`);
  }
  if (!LOOPBACK_HOSTS.includes(host)) {
    throw new Error(`--listen ${text} can be reached from other machines; use ws://127.0.0.1:${port}`);
  }
  return { host: host === '[::1]' ? '::1' : '127.0.0.1', port: Number(port) };
}
