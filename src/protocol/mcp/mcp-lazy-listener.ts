import type { Duplex } from 'node:stream';
import type { Engine } from '../../engine/engine.ts';
import type { Logger } from '../../shared/logger.ts';
import type { StreamFacts, StreamHandler } from '../control/control-host.ts';
import type { HttpDoor } from '../exec-server/exec-server-listener.ts';
import type { McpClients } from './mcp-clients.ts';
import { MCP_STREAM } from './mcp-stream.ts';

export { McpClients } from './mcp-clients.ts';
export { MCP_STREAM } from './mcp-stream.ts';

/** What both doors are made with. */
export interface McpDoorsOptions {
  readonly engine: Engine;
  readonly log: Logger;
  readonly version: string;
  readonly shellPath: string;
  /** For commands without a directory of their own that come over HTTP. */
  readonly cwd: string;
  /** Where clients are listed while they are there. */
  readonly clients: McpClients;
}

/** The doors as they are made once the protocol is loaded. */
export interface OpenMcpDoors {
  readonly http: HttpDoor;
  readonly stream: StreamHandler;
}

/**
 * The doors of the Model Context Protocol, open from the start. What speaks it is a third of the whole program and takes some
 * 90 ms to load, which a window that opens does not wait for: it is loaded by `load`, or by the first client that comes.
 */
export class McpDoors {
  readonly http: HttpDoor;
  readonly stream: StreamHandler;
  readonly #log: Logger;
  readonly #open: () => Promise<OpenMcpDoors>;
  #doors: Promise<OpenMcpDoors> | null = null;
  #isClosed = false;

  constructor(log: Logger, open: () => Promise<OpenMcpDoors>) {
    this.#log = log;
    this.#open = open;
    this.http = {
      path: '/mcp',
      handle: async (request, response, account) => {
        const { http } = await this.load();
        // The door learns from the response's end that a client has left, and this one would not tell it any more.
        if (!response.destroyed && !this.#isClosed) {
          await http.handle(request, response, account);
        }
      },
      close: () => this.#close(),
    };
    this.stream = (duplex, facts) => void this.#serve(duplex, facts);
  }

  /** Loads what speaks the protocol, once. Rejects when it cannot be read; the next call tries again. */
  load(): Promise<OpenMcpDoors> {
    this.#doors ??= this.#open().catch((error: unknown) => {
      this.#doors = null;
      throw error;
    });
    return this.#doors;
  }

  async #serve(duplex: Duplex, facts: StreamFacts): Promise<void> {
    // The end follows.
    duplex.on('error', () => {});
    try {
      const { stream } = await this.load();
      if (!duplex.destroyed && !this.#isClosed) {
        stream(duplex, facts);
        return;
      }
    } catch (error) {
      this.#log.error('a stream could not be served', { stream: MCP_STREAM, why: String(error) });
    }
    duplex.destroy();
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    const doors = await this.#doors?.catch(() => null);
    await doors?.http.close();
  }
}

/** The doors of an engine. */
export function mcpDoors(options: McpDoorsOptions): McpDoors {
  return new McpDoors(options.log, async () => {
    const [{ mcpHttpDoor }, { mcpStream }] = await Promise.all([
      import('./mcp-http-listener.ts'),
      import('./mcp-stdio-listener.ts'),
    ]);
    return { http: mcpHttpDoor(options), stream: mcpStream(options) };
  });
}
