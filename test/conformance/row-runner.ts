import { request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import {
  CLOSED,
  type ConformanceRow,
  type Difference,
  type EndStep,
  type HttpStep,
  type Step,
} from './conformance-row.ts';
import type { Peer } from './peers.ts';
import { WebSocketClient, type WireClient } from './wire-client.ts';

/** Which server a row is played against. */
export type Side = 'ours' | 'real';

/** Plays a row; throws where the server says something else than the table. */
export async function runRow(row: ConformanceRow, peer: Peer, side: Side): Promise<void> {
  const run = new RowRun(peer, side);
  try {
    await run.play(row);
  } finally {
    await run.dispose();
  }
}

class RowRun {
  readonly #peer: Peer;
  readonly #side: Side;
  #client: WireClient | null = null;
  #sessionId: string | null = null;
  /** Notifications of connections that were dropped have their seq, too. */
  #wasResumed = false;
  #nextId = 1;

  constructor(peer: Peer, side: Side) {
    this.#peer = peer;
    this.#side = side;
  }

  async play({ connection = 'ready', steps }: ConformanceRow): Promise<void> {
    if (steps.some(({ kind }) => kind !== 'http')) {
      this.#client = await this.#peer.connect();
    }
    if (this.#client !== null && connection === 'ready') {
      await this.#handshake(null);
    }
    for (const step of steps) {
      await this.#play(step);
    }
    const client = this.#client;
    if (client !== null && !client.closed) {
      await this.#fence(client);
      expect(client.answers, 'answers that no step expects').toEqual([]);
    }
  }

  /** The connection is gone when this resolves. */
  async dispose(): Promise<void> {
    const client = this.#client;
    client?.drop();
    await client?.until(() => client.closed, 'the connection to end');
  }

  async #play(step: Step): Promise<void> {
    switch (step.kind) {
      case 'ask': {
        const before = performance.now();
        const answer = await this.#ask(step.method, step.params);
        const tookMs = performance.now() - before;
        this.#check(answer, step.gives, step.differs);
        expect(tookMs).toBeGreaterThanOrEqual(step.atLeastMs ?? 0);
        expect(tookMs).toBeLessThan(step.atMostMs ?? Number.POSITIVE_INFINITY);
        break;
      }
      case 'send': {
        const expected = this.#expected(step.hears, step.differs) as readonly unknown[];
        const heard = await this.#send(step.frames, expected.length);
        const readAs = (expectations: readonly unknown[]) =>
          heard.map((text, index) => (typeof expectations[index] === 'string' ? text : parsed(text)));
        expect(readAs(expected)).toEqual(expected);
        if (this.#side === 'real' && step.differs !== undefined) {
          expect(readAs(step.hears), 'the real server says what we say: take `differs` out').not.toEqual(step.hears);
        }
        break;
      }
      case 'ends':
        await this.#end(step);
        break;
      case 'prints': {
        const client = this.#connected();
        await client.until(() => outputOf(client, step.processId).includes(step.text), `${step.processId} to print`);
        break;
      }
      case 'drop':
        this.#connected().drop();
        await this.#connected().until(() => this.#connected().closed, 'the connection to end');
        break;
      case 'resume':
        await this.#resume();
        break;
      case 'ping':
        await this.#ping();
        break;
      case 'http':
        this.#check(await httpStatus(this.#peer.url ?? '', step), step.status, step.differs);
        break;
    }
  }

  async #ping(): Promise<void> {
    const client = this.#connected();
    if (!(client instanceof WebSocketClient)) {
      throw new Error('only a WebSocket has pings');
    }
    expect(await client.ping('are you there?')).toBe('are you there?');
  }

  /** `undefined` params are left out of the frame, as `JSON.stringify` does. */
  async #ask(method: string, params: unknown): Promise<object> {
    const client = this.#connected();
    const id = `ask-${this.#nextId++}`;
    client.send({ id, method, params });
    const answer = await client.answerTo(id);
    if (answer === null) {
      return CLOSED;
    }
    const { id: _id, ...rest } = answer as { readonly id: unknown };
    return rest;
  }

  /** Everything that was heard of these frames, and that `CLOSED` or nothing more came. */
  async #send(frames: readonly unknown[], count: number): Promise<readonly string[]> {
    const client = this.#connected();
    for (const frame of frames) {
      client.send(frame);
    }
    await this.#fence(client);
    await client.until(() => client.closed || client.answers.length >= count, `${count} answers`);
    const heard = client.answers.splice(0);
    return client.closed ? [...heard, JSON.stringify({ closed: client.closeCode })] : heard;
  }

  /** What came of all frames before is here when the answer to one behind them is. */
  async #fence(client: WireClient): Promise<void> {
    const id = `fence-${this.#nextId++}`;
    client.send({ id, method: 'environment/status' });
    await client.answerTo(id);
  }

  async #end({ processId, as, differs }: EndStep): Promise<void> {
    const client = this.#connected();
    const own = () => client.notifications.filter(({ params }) => params.processId === processId);
    const hasHeard = (wanted: string) => own().some(({ method }) => method === wanted);
    await client.until(() => hasHeard('process/exited') && hasHeard('process/closed'), `${processId} to close`);
    // Nothing comes behind `closed`.
    await this.#fence(client);
    // The real server's notifications may overtake one another, and its clients put them in order.
    const heard = this.#side === 'ours' ? own() : own().toSorted((one, next) => one.params.seq - next.params.seq);
    const methods = heard.map(({ method }) => method);
    expect(methods.filter((method) => method !== 'process/output')).toEqual(['process/exited', 'process/closed']);
    expect(methods.at(-1)).toBe('process/closed');
    const first = this.#wasResumed ? (heard[0]?.params.seq ?? 0) : 1;
    expect(heard.map(({ params }) => params.seq)).toEqual(heard.map((_each, index) => first + index));
    const output: Record<string, string> = {};
    for (const { params } of heard.filter(({ method }) => method === 'process/output')) {
      const stream = String(params['stream']);
      output[stream] = (output[stream] ?? '') + Buffer.from(String(params['chunk']), 'base64').toString();
    }
    const exited = heard.find(({ method }) => method === 'process/exited');
    expect(exited?.params).toEqual(expect.objectContaining({ sandboxDenied: false }));
    this.#check({ ...output, exitCode: exited?.params['exitCode'] }, as, differs);
  }

  async #handshake(resumeSessionId: string | null): Promise<boolean> {
    const answer = (await this.#ask('initialize', { clientName: 'conformance', resumeSessionId })) as {
      readonly result?: { readonly sessionId: string };
    };
    if (answer.result === undefined) {
      return false;
    }
    this.#sessionId = answer.result.sessionId;
    this.#connected().send({ method: 'initialized', params: {} });
    return true;
  }

  /** As the real client: again until the server has seen that the old connection is gone. */
  async #resume(): Promise<void> {
    this.#wasResumed = true;
    this.#client = await this.#peer.connect();
    while (!(await this.#handshake(this.#sessionId))) {
      await new Promise(setImmediate);
    }
  }

  #connected(): WireClient {
    if (this.#client === null) {
      throw new Error('a row of HTTP has no connection');
    }
    return this.#client;
  }

  #expected(ours: unknown, differs: Difference | undefined): unknown {
    return this.#side === 'real' && differs !== undefined ? differs.real : ours;
  }

  #check(actual: unknown, ours: unknown, differs: Difference | undefined): void {
    expect(actual).toEqual(this.#expected(ours, differs));
    if (this.#side === 'real' && differs !== undefined) {
      expect(actual, 'the real server says what we say: take `differs` out').not.toEqual(ours);
    }
  }
}

function outputOf(client: WireClient, processId: string): string {
  const chunks = client.notifications.filter(
    ({ method, params }) => method === 'process/output' && params.processId === processId,
  );
  return Buffer.concat(chunks.map(({ params }) => Buffer.from(String(params['chunk']), 'base64'))).toString();
}

function parsed(text: string): unknown {
  return JSON.parse(text);
}

function httpStatus(url: string, { method, path, headers = {}, upgrade = false }: HttpStep): Promise<number> {
  const { hostname, port } = new URL(url);
  const upgradeHeaders = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'sec-websocket-version': '13',
  };
  return new Promise((resolve, reject) => {
    const asked = httpRequest({
      hostname,
      port,
      method,
      path,
      agent: false,
      headers: upgrade ? { ...upgradeHeaders, ...headers } : headers,
    });
    asked.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    asked.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}
