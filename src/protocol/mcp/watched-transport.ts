import { CLIENT_INFO_META_KEY, type JSONRPCMessage } from '@modelcontextprotocol/server';
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/** Characters of what a client calls itself that are shown. */
const MAX_NAME = 100;

const clientInfo = z.object({ name: z.string() });

/** Clients of before say who they are once, those of 2026 with each request. */
const named = z.object({
  params: z.union([
    z.object({ clientInfo }).transform((params) => params.clientInfo.name),
    z
      .object({ _meta: z.object({ [CLIENT_INFO_META_KEY]: clientInfo }) })
      .transform(({ _meta }) => _meta[CLIENT_INFO_META_KEY].name),
  ]),
});

/** Has a look at each message that comes in, before the server does. To be called when that listens. */
export function watchIncoming(transport: StdioServerTransport, look: (message: JSONRPCMessage) => void): void {
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    look(message);
    onmessage?.(message);
  };
}

/** What the sender of a message calls itself; null when it does not say so there. */
export function senderName(message: JSONRPCMessage): string | null {
  const found = named.safeParse(message);
  return found.success ? found.data.params.slice(0, MAX_NAME) : null;
}
