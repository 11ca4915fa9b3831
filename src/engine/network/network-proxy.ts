import { createServer, type Server, type Socket } from 'node:net';
import { EngineError } from '../../shared/errors.ts';
import { TurnoverSet } from '../../shared/turnover.ts';
import { HostGate, type HostGateOptions } from './host-gate.ts';
import { HttpProxy } from './http-proxy.ts';
import { serveSocks, SOCKS_VERSION } from './socks-proxy.ts';

/** Connections of one sandbox at once: as many as its relay holds. */
const MAX_CONNECTIONS = 256;

/** Bytes of the path of a unix socket that every system takes. */
const MAX_PATH_BYTES = 103;

/** The proxy of one sandbox, on a unix socket that only that sandbox is given. Speaks HTTP and SOCKS 5 at one place. */
export class NetworkProxy {
  readonly #gate: HostGate;
  readonly #http: HttpProxy;
  readonly #server: Server;
  readonly #sockets = new TurnoverSet<Socket>();

  constructor(options: HostGateOptions) {
    this.#gate = new HostGate(options);
    this.#http = new HttpProxy(this.#gate);
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Rejects with `spawn-failed` where no socket can be made at that path. */
  async listen(path: string): Promise<void> {
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
      throw new EngineError('spawn-failed', `no socket can have a path as long as ${path}`);
    }
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => {
        reject(new EngineError('spawn-failed', `no socket can be made at ${path}`, { cause: error }));
      });
      this.#server.listen({ path }, resolve);
    });
  }

  /** Ends every connection, and removes the socket. */
  dispose(): void {
    this.#server.close();
    this.#http.dispose();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Before anybody takes it over nobody must die of its end.
    socket.on('error', () => socket.destroy());
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null;
      if (first === null) {
        socket.destroy();
        return;
      }
      socket.unshift(first);
      if (first[0] === SOCKS_VERSION) {
        void serveSocks(socket, this.#gate);
      } else {
        this.#http.accept(socket);
      }
    });
  }
}
