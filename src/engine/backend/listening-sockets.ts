import { endianness } from 'node:os';

/** A port at which a process can be reached. */
export interface ListeningPort {
  readonly protocol: 'tcp' | 'udp';
  /** Local address it is bound to: `0.0.0.0` and `::` are all of the machine's. */
  readonly address: string;
  readonly port: number;
}

/** States in /proc/net (include/net/tcp_states.h): a TCP socket that listens, a UDP socket that is not connected. */
const STATE = { tcp: '0A', udp: '07' } as const;

/**
 * The sockets that listen, by inode, in the text of /proc/net/tcp, tcp6, udp or udp6 (proc_net(5)). UDP knows no
 * listening: there it is every socket that takes packets from anybody, also one that only sent a question.
 */
export function parseListeningSockets(text: string, protocol: 'tcp' | 'udp'): ReadonlyMap<string, ListeningPort> {
  const sockets = new Map<string, ListeningPort>();
  for (const line of text.split('\n').slice(1)) {
    // sl, local_address, rem_address, st, tx_queue:rx_queue, tr:tm->when, retrnsmt, uid, timeout, inode
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (inode !== undefined && inode !== '0' && state === STATE[protocol]) {
      sockets.set(inode, { protocol, address: addressText(address), port: Number.parseInt(port, 16) });
    }
  }
  return sockets;
}

/** Addresses are printed as words of 32 bits in the order of the machine, whose bytes are in network order. */
function addressText(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = Buffer.concat(
    words.map((word) => {
      const wordBytes = Buffer.from(word, 'hex');
      return endianness() === 'LE' ? wordBytes.reverse() : wordBytes;
    }),
  );
  if (bytes.length === 4) {
    return bytes.join('.');
  }
  const groups = bytes.toString('hex').match(/.{4}/g) ?? [];
  // Shortened as RFC 5952 says.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
