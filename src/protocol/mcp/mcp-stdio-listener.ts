import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import type { Logger } from '../../shared/logger.ts';
import type { McpClients } from './mcp-clients.ts';
import { McpFront } from './mcp-front.ts';
import { mcpServer } from './mcp-server.ts';
import { StdioChanges } from './stdio-changes.ts';
import { senderName, watchIncoming } from './watched-transport.ts';

export { MCP_STREAM } from './mcp-stream.ts';

/** Bytes of one message; an input of some megabytes is the largest that a client sends. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export interface McpStdioOptions {
  readonly engine: Engine;
  readonly log: Logger;
  readonly version: string;
  readonly shellPath: string;
  /** For commands without a directory of their own: the client's. */
  readonly cwd: string;
  /** The client's messages, one a line. */
  readonly input: Readable;
  /** Answers, one a line; nothing else may be written there. */
  readonly output: Writable;
  /** Where the client is listed while it is there. */
  readonly clients?: McpClients;
}

/** What comes with the request for it. */
const streamParams = z.object({ cwd: z.string().refine(isAbsolute, 'must be an absolute path') });

/** A connection with one client. */
export interface McpConnection {
  /** Resolves when the client is gone and what it started has ended: nobody could reach it any more. */
  readonly ended: Promise<void>;
  /** Drops the client, with the same end. */
  close(): Promise<void>;
}

/**
 * Serves the clients that come by the control socket as a stream: each in the directory that it says it works in. What is
 * answered takes over the connection, and throws when the client does not say where it works.
 */
export function mcpStream(
  options: Omit<McpStdioOptions, 'cwd' | 'input' | 'output'>,
): (duplex: Duplex, facts: { readonly params: unknown }) => void {
  return (duplex, { params }) => {
    const { cwd } = streamParams.parse(params);
    // The end follows.
    duplex.on('error', () => {});
    serveMcpStdio({ ...options, cwd, input: duplex, output: duplex })
      .ended.catch((error: unknown) => options.log.error('a client’s end failed', { peer: 'mcp', why: String(error) }))
      .finally(() => duplex.destroy());
  };
}

/** Speaks the Model Context Protocol over two streams, in its revision of 2026 and the older ones. */
export function serveMcpStdio(options: McpStdioOptions): McpConnection {
  const { engine, log, version, shellPath, cwd, input, output } = options;
  const front = new McpFront({ engine, account: randomUUID(), cwd, shellPath });
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES });
  const changes = new StdioChanges({ engine, own: front.own });
  const factory = ({ era }: McpRequestContext) => {
    const server = mcpServer({ front, version, clientName: null, changes });
    changes.serve(server, era);
    return server;
  };
  const handle = serveStdio(factory, {
    transport,
    onerror: (error) => log.warn('an MCP message could not be dealt with', { peer: 'stdio', why: error.message }),
  });
  const entry = options.clients?.enter(true);
  watchIncoming(transport, (message) => {
    const name = senderName(message);
    if (name !== null) {
      entry?.named(name);
    }
    if ('method' in message && message.method === 'subscriptions/listen') {
      changes.listens();
    }
  });
  let ending: Promise<void> | null = null;
  const end = async () => {
    try {
      await handle.close();
    } finally {
      changes.dispose();
      entry?.leave();
      await front.dispose();
    }
  };
  const close = () => {
    ending ??= end();
    return ending;
  };
  const ended = new Promise<void>((resolve, reject) => {
    const finish = () => void close().then(resolve, reject);
    input.once('end', finish);
    input.once('close', finish);
    output.once('error', finish);
    output.once('close', finish);
  });
  return { ended, close };
}
