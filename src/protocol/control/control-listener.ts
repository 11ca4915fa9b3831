import { createServer, type Socket } from 'node:net';
import { ControlClient } from './control-client.ts';
import { ControlConnection } from './control-connection.ts';
import type { ControlHost } from './control-host.ts';
import { ControlSocketTaken, placeSocket } from './control-socket.ts';
import { CONTROL_PROTOCOL, type ControlHostFacts } from './control-wire.ts';

export type { ControlHost, StreamHandler } from './control-host.ts';

export interface ControlListenerOptions extends ControlHost {
  /** The runtime folder; see `runtimeFolderOf`. */
  readonly folder: string;
}

/** A host's end of the control socket. */
export interface ControlServer {
  readonly path: string;
  /** Drops all clients, streams too, and takes the socket away. */
  close(): Promise<void>;
}

/**
 * Takes the control socket of the folder and answers clients on it. Rejects with a sentence for a person: when another
 * host holds it (which one, and since when), and when the folder cannot be used.
 */
export async function listenControl({ folder, ...host }: ControlListenerOptions): Promise<ControlServer> {
  const sinceMs = Date.now();
  const sockets = new Set<Socket>();
  const facts = (): ControlHostFacts => ({
    protocol: CONTROL_PROTOCOL,
    version: host.version,
    pid: process.pid,
    kind: host.kind,
    sinceMs,
    streams: [...(host.streams?.keys() ?? [])],
    execServerUrl: host.execServerUrl(),
  });
  // Half-open, so that the end of a stream's input is told apart from the end of the client.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    new ControlConnection({ socket, host, facts, connectionCount: () => sockets.size });
  });
  const placed = await placeSocket(server, folder).catch(async (error: unknown) => {
    throw error instanceof ControlSocketTaken
      ? new Error(await whoHolds(folder, error.message), { cause: error })
      : error;
  });
  server.on('error', (error) => host.log.error('the control socket failed', { why: error.message }));
  return {
    path: placed.path,
    close: async () => {
      await placed.release();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) {
        socket.destroy();
      }
      await closed;
    },
  };
}

/** The holder may be going, or may not answer: then only the place is known. */
async function whoHolds(folder: string, place: string): Promise<string> {
  try {
    const client = await ControlClient.connect({ folder, client: 'shellscope-host' });
    client.close();
    const { kind, pid, sinceMs } = client.host;
    const holder = kind === 'app' ? 'the Shellscope app' : 'a `shellscope serve`';
    return `the control socket is held by ${holder} (pid ${pid}) since ${new Date(sinceMs).toISOString()}`;
  } catch {
    return place;
  }
}
