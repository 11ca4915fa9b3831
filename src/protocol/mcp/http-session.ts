import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type McpServer,
  type RequestId,
  type WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { TurnoverMap } from '../../shared/turnover.ts';
import { UseTimer } from './use-timer.ts';

/** How the answer to a request ended: true when all of it was sent, false when nobody was there any more. */
export type ExchangeEnd = Promise<boolean>;

/** A server for one session. */
export interface ServedSession {
  readonly server: McpServer;
  /** One request or stream begins. */
  entered(): void;
  /** And ends. */
  left(): void;
  /** The session is over. Told once. */
  ended(): void;
}

export interface HttpSessionOptions {
  readonly served: ServedSession;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** How long it is kept without a request or an open stream, in milliseconds. */
  readonly unusedMs: number;
}

const cancelled = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

/**
 * One session of Streamable HTTP with a client of a revision before 2026: from its `initialize` until it is deleted, unused
 * for long, or closed. A call whose connection breaks is cancelled: its answer could be brought to nobody.
 */
export class HttpSession {
  readonly #served: ServedSession;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #uses: UseTimer;
  /** Unanswered calls, with the HTTP request that brought each. */
  readonly #calls = new TurnoverMap<RequestId, Request>();

  constructor({ served, transport, unusedMs }: HttpSessionOptions) {
    this.#served = served;
    this.#transport = transport;
    this.#uses = new UseTimer(unusedMs, () => void this.close());
  }

  /** Whether a request or a stream is open. */
  get isUsed(): boolean {
    return this.#uses.isUsed;
  }

  /** Before the first request. */
  async connect(): Promise<void> {
    await this.#served.server.connect(this.#transport);
    this.#watch();
  }

  /** `parsedBody`: what the body says, where it was read already. */
  async fetch(request: Request, end: ExchangeEnd, parsedBody?: unknown): Promise<Response> {
    this.#uses.enter();
    this.#served.entered();
    let isBroken = false;
    void end.then((isWhole) => {
      isBroken = !isWhole;
      if (isBroken) {
        this.#cancelAllOf(request);
      }
      this.#uses.leave();
      this.#served.left();
    });
    const answer = await this.#transport.handleRequest(request, parsedBody === undefined ? {} : { parsedBody });
    if (isBroken) {
      // It broke before its calls were known.
      this.#cancelAllOf(request);
    }
    return answer;
  }

  /** Ends its calls and its streams. Shells live on: they are the client's. */
  async close(): Promise<void> {
    await this.#served.server.close();
  }

  /** Looks at what goes by, when the server has begun to listen. */
  #watch(): void {
    const transport = this.#transport;
    const { onmessage, onclose } = transport;
    const send = transport.send.bind(transport);
    transport.onmessage = (message, extra) => {
      if (isJSONRPCRequest(message) && extra?.request !== undefined) {
        this.#calls.set(message.id, extra.request);
      }
      onmessage?.(message, extra);
      const { data } = cancelled.safeParse(message);
      if (data !== undefined) {
        this.#finish(data.params.requestId);
      }
    };
    transport.send = async (message, options) => {
      await send(message, options);
      const id = answeredBy(message);
      if (id !== undefined) {
        this.#finish(id);
      }
    };
    transport.onclose = () => {
      onclose?.();
      this.#uses.dispose();
      this.#calls.clear();
      this.#served.ended();
    };
  }

  #cancelAllOf(request: Request): void {
    for (const [id, from] of this.#calls) {
      if (from === request) {
        this.#transport.onmessage?.({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id, reason: 'the connection broke' },
        });
      }
    }
  }

  /** To a cancelled call nothing is answered: the stream that waits for that ends with the last of its calls. */
  #finish(id: RequestId): void {
    const request = this.#calls.get(id);
    this.#calls.delete(id);
    if (request !== undefined && !this.#calls.values().includes(request)) {
      this.#transport.closeSSEStream(id);
    }
  }
}

function answeredBy(message: JSONRPCMessage): RequestId | undefined {
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message) ? message.id : undefined;
}
