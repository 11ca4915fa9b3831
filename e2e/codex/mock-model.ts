import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** What is read of `POST /v1/responses` (OpenAI's Responses API): the conversation so far. */
const requestBody = z.object({
  input: z.array(
    z.object({
      type: z.string(),
      call_id: z.string().optional(),
      output: z.unknown().optional(),
      content: z.array(z.object({ text: z.string().optional() })).optional(),
    }),
  ),
});

const imageOutput = z.tuple([z.object({ type: z.literal('input_image'), image_url: z.string() })]);

/** A tool that the model wants to be run. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  readonly args: object;
  /** The server that it is of, for a tool of MCP: `mcp__` and its name in Codex's configuration. */
  readonly namespace?: string;
}

/** An agent's question to the model, open until the test answers it; the agent waits meanwhile. */
export class ModelRequest {
  readonly #input: z.output<typeof requestBody>['input'];
  readonly #response: ServerResponse;

  constructor(body: unknown, response: ServerResponse) {
    this.#input = requestBody.parse(body).input;
    this.#response = response;
  }

  /** What the agent tells the model about the places where commands can run. */
  environmentContext(): string {
    const texts = this.#input.flatMap(({ content }) => (content ?? []).map((part) => part.text ?? ''));
    return texts.find((part) => part.startsWith('<environment_context>')) ?? '';
  }

  /** All that the agent and its person said so far, one after the other. */
  said(): string {
    return this.#input.flatMap(({ content }) => (content ?? []).map((part) => part.text ?? '')).join('\n');
  }

  /** What the tool answered to that call. */
  toolOutput(callId: string): string {
    return z.string(`the agent sent no text as output of ${callId}`).parse(this.#output(callId));
  }

  /** The picture that the tool answered to that call, as a `data:` URL. */
  toolImage(callId: string): string {
    const [image] = imageOutput.parse(this.#output(callId));
    return image.image_url;
  }

  /** What all tools answered so far, one after the other. */
  toolOutputs(): string {
    return this.#input
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output }) => z.string().parse(output))
      .join('\n');
  }

  /** The model wants a tool to be run. */
  callTool(callId: string, name: string, args: object): void {
    this.callTools([{ callId, name, args }]);
  }

  /** The model wants several tools to be run, at once where the agent can. */
  callTools(calls: readonly ToolCall[]): void {
    this.#answer(
      calls.map(({ callId, name, args, namespace }) => ({
        type: 'function_call',
        call_id: callId,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        arguments: JSON.stringify(args),
      })),
    );
  }

  /** The model says something, which ends the agent's turn. */
  say(words: string): void {
    this.#answer([{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] }]);
  }

  #output(callId: string): unknown {
    return this.#input.find(({ type, call_id }) => type === 'function_call_output' && call_id === callId)?.output;
  }

  #answer(items: readonly object[]): void {
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const response = { id: 'resp_mock' };
    const events = [
      { type: 'response.created', response },
      ...items.map((item, index) => ({ type: 'response.output_item.done', output_index: index, item })),
      { type: 'response.completed', response: { ...response, usage } },
    ];
    this.#response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  }
}

/**
 * A model that a test plays: an HTTP server on loopback that hands each question to the test. Give it to an agent as
 * its proxy too, and `strays` tells what else the agent wanted from the network.
 */
export class MockModel {
  /** e.g. `CONNECT github.com:443` */
  readonly strays: string[] = [];
  readonly #server: Server;
  readonly #unseen: ModelRequest[] = [];
  readonly #waiting: ((request: ModelRequest) => void)[] = [];

  static async listen(): Promise<MockModel> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new MockModel(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#receive(request, response).catch((error: unknown) => {
        this.strays.push(`${request.method} ${request.url}: ${String(error)}`);
        response.destroy();
      });
    });
    server.on('connect', ({ url }, socket) => {
      this.strays.push(`CONNECT ${url}`);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
  }

  /** e.g. `http://127.0.0.1:40312` */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next question that no test has seen. */
  asked(): Promise<ModelRequest> {
    const request = this.#unseen.shift();
    return request === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(request);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST' || request.url !== '/v1/responses') {
      this.strays.push(`${request.method} ${request.url}`);
      response.writeHead(404).end();
      return;
    }
    const asked = new ModelRequest(JSON.parse(await text(request)), response);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) {
      this.#unseen.push(asked);
    } else {
      waiting(asked);
    }
  }
}
