import type { Client } from '@modelcontextprotocol/client';
import type { SessionId } from '../../src/shared/session.ts';

/** The facts of an answer that the tests take apart; of an error there are none. */
export interface Facts extends Readonly<Record<string, unknown>> {
  readonly session_id: SessionId;
  readonly state: string;
  readonly output: string;
  readonly hint: string | null;
  readonly waiting: { readonly class: string } | null;
  readonly attention: { readonly id: string } | null;
  readonly survivors: readonly { readonly pid: number }[];
  readonly screen?: unknown;
  readonly sessions: readonly Facts[];
}

/** The answer of a tool, as the tests look at it. */
export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly facts: Facts;
}

/** A connected client, and its tools as one function. */
export interface McpAgent {
  readonly client: Client;
  call(tool: string, args?: object, options?: { readonly signal?: AbortSignal }): Promise<Answer>;
  /** Calls, and fails the test when the answer is an error. */
  ok(tool: string, args?: object): Promise<Facts>;
}

/** A client of the protocol as the tests use it. */
export function agentOf(client: Client): McpAgent {
  const call: McpAgent['call'] = async (name, args = {}, options = {}) => {
    const result = await client.callTool({ name, arguments: { ...args } }, options);
    const [first] = result.content;
    return {
      isError: result.isError === true,
      text: first?.type === 'text' ? first.text : '',
      facts: (result.structuredContent ?? {}) as unknown as Facts,
    };
  };
  return {
    client,
    call,
    ok: async (name, args) => {
      const answer = await call(name, args);
      if (answer.isError) {
        throw new Error(`${name} answered: ${answer.text}`);
      }
      return answer.facts;
    },
  };
}
