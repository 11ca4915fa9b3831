import { describe, expect, test } from 'vitest';
import { silentLogger } from '../../shared/logger.ts';
import { ExecConnection, type FrameSink } from './exec-connection.ts';
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
});
