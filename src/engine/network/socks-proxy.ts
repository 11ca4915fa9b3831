import type { Socket } from 'node:net';
import type { HostGate, Opened } from './host-gate.ts';
import { joinSockets } from './join-sockets.ts';

/** The first byte of everything that speaks SOCKS 5 (RFC 1928). */
export const SOCKS_VERSION = 5;

/** Milliseconds for the whole greeting; a program sends it at once. */
const GREETING_MS = 10_000;

/** RFC 1928, 6. */
const REPLY = { granted: 0, refused: 2, unreachable: 4, noCommand: 7, noAddress: 8 } as const;

const CONNECT = 1;

/** Bytes of an address by its type: version 4, version 6. A name says its own length. */
const ADDRESS_BYTES: Readonly<Record<number, number>> = { 1: 4, 4: 16 };
const NAME_TYPE = 3;

interface SocksRequest {
  readonly command: number;
  /** Null for a type of address that there is not. */
  readonly host: string | null;
  readonly port: number;
  /** Of the whole request. */
  readonly bytes: number;
}

/** Serves one connection that begins with SOCKS 5: CONNECT only, without authentication. Never rejects. */
export async function serveSocks(socket: Socket, gate: HostGate): Promise<void> {
  socket.on('error', () => socket.destroy());
  socket.setTimeout(GREETING_MS, () => socket.destroy());
  const asked = await greeted(socket);
  if (asked === null) {
    socket.destroy();
    return;
  }
  socket.setTimeout(0);
  if (asked.command !== CONNECT || asked.host === null) {
    socket.end(reply(asked.host === null ? REPLY.noAddress : REPLY.noCommand));
    return;
  }
  const opened = await gate.open(asked.host, asked.port);
  if (opened.kind !== 'open') {
    socket.end(reply(replyTo(opened)));
    return;
  }
  if (socket.destroyed) {
    opened.socket.destroy();
    return;
  }
  socket.write(reply(REPLY.granted));
  joinSockets(socket, opened.socket);
}

function replyTo({ kind }: Exclude<Opened, { kind: 'open' }>): number {
  return kind === 'refused' ? REPLY.refused : REPLY.unreachable;
}

/** Null where it ends, or is none. */
async function greeted(socket: Socket): Promise<SocksRequest | null> {
  let held = Buffer.alloc(0);
  let isGreeted = false;
  for (;;) {
    const chunk = await nextChunk(socket);
    if (chunk === null) {
      return null;
    }
    held = Buffer.concat([held, chunk]);
    if (!isGreeted && held.length >= 2 && held.length >= 2 + (held[1] ?? 0)) {
      held = held.subarray(2 + (held[1] ?? 0));
      isGreeted = true;
      socket.write(Buffer.of(SOCKS_VERSION, 0));
    }
    const request = isGreeted ? readRequest(held) : null;
    if (request !== null) {
      // What follows it belongs to whom it asked for.
      socket.unshift(held.subarray(request.bytes));
      return request;
    }
  }
}

/** Null when it has not come whole. */
function readRequest(bytes: Buffer): SocksRequest | null {
  const [version, command = 0, , type = 0, length = 0] = bytes;
  if (bytes.length < 5) {
    return null;
  }
  const isName = type === NAME_TYPE;
  const addressBytes = isName ? length : ADDRESS_BYTES[type];
  if (addressBytes === undefined || version !== SOCKS_VERSION) {
    return { command, host: null, port: 0, bytes: bytes.length };
  }
  const from = isName ? 5 : 4;
  const end = from + addressBytes;
  if (bytes.length < end + 2) {
    return null;
  }
  const address = bytes.subarray(from, end);
  const host = isName ? address.toString('latin1') : addressText(address);
  return { command, host, port: bytes.readUInt16BE(end), bytes: end + 2 };
}

function addressText(bytes: Buffer): string {
  return bytes.length === 4
    ? bytes.join('.')
    : Array.from({ length: 8 }, (_none, at) => bytes.readUInt16BE(2 * at).toString(16)).join(':');
}

/** What comes next; null at the end. */
async function nextChunk(socket: Socket): Promise<Buffer | null> {
  for (;;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk !== null) {
      return chunk;
    }
    if (socket.readableEnded || socket.destroyed) {
      return null;
    }
    await new Promise<void>((resolve) => {
      const events = ['readable', 'end', 'close'] as const;
      const done = () => {
        for (const event of events) {
          socket.off(event, done);
        }
        resolve();
      };
      for (const event of events) {
        socket.on(event, done);
      }
    });
  }
}

function reply(code: number): Buffer {
  return Buffer.of(SOCKS_VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0);
}
