import { describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../../shared/logger.ts';
import { ExecConnection, MAX_REQUESTS_IN_FLIGHT, type FrameSink } from './exec-connection.ts';
import type { ExecSession } from './exec-session.ts';

/** A client that takes nothing until the test says so. */
class StandingSink implements FrameSink {
  readonly frames: string[] = [];
  hasRoom = false;
  #waiting: (() => void)[] = [];

  send(frame: string): void {
    this.frames.push(frame);
    // As a socket would be that one answer fills.
    this.hasRoom = false;
  }

  notify(): void {}

  close(): void {}

  room(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async takeOne(): Promise<void> {
    this.hasRoom = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) {
      wake();
    }
    await new Promise(setImmediate);
  }
}

describe('ExecConnection', () => {
  test('writes no answer down before the client has room for it, one at a time', async () => {
    let written = 0;
    const session = {
      id: 's',
      attach() {},
      caughtUp() {},
      read: async () => () => {
        written += 1;
        return {};
      },
    } as unknown as ExecSession;
    const sink = new StandingSink();
    const connection = new ExecConnection({
      sink,
      sessions: { open: () => session, environmentInfo: () => ({}) },
      log: silentLogger,
      peer: 'test',
      hostEnvironment: {},
    });
    connection.receive('{"id":0,"method":"initialize","params":{"clientName":"test"}}');
    await sink.takeOne();
    connection.receive('{"method":"initialized"}');
    for (let id = 1; id <= 3; id += 1) {
      connection.receive(`{"id":${id},"method":"process/read","params":{"processId":"p"}}`);
    }
    await new Promise(setImmediate);
    const seen = [written];
    for (let taken = 0; taken < 3; taken += 1) {
      await sink.takeOne();
      seen.push(written);
    }
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(sink.frames).toHaveLength(4);
  });

  test("answers a request whose id is another one's only when that has been answered", async () => {
    const { connection, sink, reads } = await readyConnection();
    connection.receive('{"id":7,"method":"process/read","params":{"processId":"p"}}');
    connection.receive('{"id":7,"method":"environment/status"}');
    connection.receive('{"id":8,"method":"environment/status"}');
    await new Promise(setImmediate);
    expect(sink.frames).toEqual(['{"id":8,"result":{"status":"ready"}}']);
    reads[0]?.();
    await new Promise(setImmediate);
    expect(sink.frames.slice(1)).toEqual(['{"id":7,"result":{}}', '{"id":7,"result":{"status":"ready"}}']);
  });

  test('refuses requests above the bound, serves what ends processes, and goes on when there are answers', async () => {
    const { connection, sink, reads } = await readyConnection();
    for (let id = 0; id < MAX_REQUESTS_IN_FLIGHT; id += 1) {
      connection.receive(`{"id":${id},"method":"process/read","params":{"processId":"p"}}`);
    }
    connection.receive('{"id":"status","method":"environment/status"}');
    connection.receive('{"id":"terminate","method":"process/terminate","params":{"processId":"p"}}');
    await new Promise(setImmediate);
    expect(sink.frames).toEqual([
      '{"error":{"code":-32001,"message":"more than 1024 requests are not answered yet: wait for answers"},"id":"status"}',
      '{"id":"terminate","result":{"running":true}}',
    ]);
    reads[0]?.();
    await new Promise(setImmediate);
    connection.receive('{"id":"status","method":"environment/status"}');
    await new Promise(setImmediate);
    expect(sink.frames.slice(2)).toEqual(['{"id":0,"result":{}}', '{"id":"status","result":{"status":"ready"}}']);
  });

  test('answers what a client sent before a breach of the protocol, and looks at nothing behind it', async () => {
    const { connection, sink } = await readyConnection();
    connection.receive('{"id":1,"method":"environment/status"}');
    connection.receive('{"id":99,"result":{}}');
    connection.receive('{"id":2,"method":"environment/status"}');
    await new Promise(setImmediate);
    expect(sink).toMatchObject({ frames: ['{"id":1,"result":{"status":"ready"}}'], closed: true });
  });

  test('answers what is malformed behind what was sent before it', async () => {
    const { connection, sink } = await readyConnection();
    connection.receive('{"id":1,"method":"environment/status"}');
    connection.receive(null);
    connection.receive('{"id":2,"method":"environment/status"}');
    connection.receive('5');
    await new Promise(setImmediate);
    const failed = 'failed to parse JSON-RPC message from exec-server stdio:';
    expect(sink.frames).toEqual([
      '{"id":1,"result":{"status":"ready"}}',
      `{"error":{"code":-32600,"message":"${failed} invalid unicode code point"},"id":-1}`,
      '{"id":2,"result":{"status":"ready"}}',
      `{"error":{"code":-32600,"message":"${failed} expected a JSON-RPC object"},"id":-1}`,
    ]);
  });

  test('requests that wait are bounded by their length together, too; what ends a process is served', async () => {
    const { connection, reads, sink } = await readyConnection();
    const padding = 'x'.repeat(15 * 1024 * 1024);
    const read = (id: number) =>
      connection.receive(`{"id":${id},"method":"process/read","params":{"processId":"p","padding":"${padding}"}}`);
    for (let id = 1; id <= 5; id += 1) {
      read(id);
    }
    read(6);
    connection.receive('{"id":7,"method":"process/terminate","params":{"processId":"p"}}');
    await vi.waitFor(() => expect(sink.frames).toHaveLength(2));
    expect(sink.frames).toEqual([
      '{"error":{"code":-32001,"message":"more than 67108864 characters of requests are not answered yet: wait for answers"},"id":6}',
      '{"id":7,"result":{"running":true}}',
    ]);
    for (const answer of reads) {
      answer();
    }
    await connection.answered();
    read(8);
    await vi.waitFor(() => expect(reads).toHaveLength(6));
    reads.at(-1)?.();
    await connection.answered();
    expect(sink.frames.at(-1)).toBe('{"id":8,"result":{}}');
  });

  test('drops a client that is refused again and again and takes no answer', async () => {
    const { connection, sink } = await readyConnection();
    sink.hasRoom = false;
    connection.receive('not json');
    await new Promise(setImmediate);
    expect(sink).toMatchObject({ frames: [], closed: true });
  });

  test('drops the client, and harms nobody else, when an answer cannot be followed up', async () => {
    const { connection, sink } = await readyConnection();
    connection.receive(
      '{"id":1,"method":"process/start","params":{"processId":"p","argv":["true"],"cwd":"file:///","env":{},"tty":true}}',
    );
    await connection.answered();
    await new Promise(setImmediate);
    expect(sink).toMatchObject({ frames: ['{"id":1,"result":{"processId":"p"}}'], closed: true });
  });
});

/** A client that takes everything. */
class OpenSink implements FrameSink {
  readonly frames: string[] = [];
  hasRoom = true;
  closed = false;

  send(frame: string): void {
    this.frames.push(frame);
  }

  notify(): void {}

  close(): void {
    this.closed = true;
  }

  async room(): Promise<void> {}
}

/** A connection behind its handshake; its reads are answered when the test says so. */
async function readyConnection() {
  const reads: (() => void)[] = [];
  const session = {
    id: 's',
    attach() {},
    caughtUp() {},
    read: () => new Promise((resolve) => reads.push(() => resolve(() => ({})))),
    start: async () => ({ processId: 'p' }),
    terminate: async () => ({ running: true }),
    announce: () => {
      throw new Error('a fault of ours');
    },
  } as unknown as ExecSession;
  const sink = new OpenSink();
  const sessions = { open: () => session, environmentInfo: () => ({}) };
  const connection = new ExecConnection({ sink, sessions, log: silentLogger, peer: null, hostEnvironment: {} });
  connection.receive('{"id":0,"method":"initialize","params":{"clientName":"test"}}');
  await connection.answered();
  connection.receive('{"method":"initialized"}');
  sink.frames.length = 0;
  return { connection, reads, sink };
}
