import { describe, expect, test } from 'vitest';
import { TerminalReplies } from './terminal-replies.ts';

/** Replies to a child that takes them when the test says so. */
function world() {
  const written: number[] = [];
  const waiting: ((isTaken: boolean) => void)[] = [];
  const replies = new TerminalReplies((bytes) => {
    written.push(bytes.length);
    return new Promise((resolve, reject) =>
      waiting.push((isTaken) => (isTaken ? resolve(null) : reject(new Error('ended')))),
    );
  });
  const settle = async (isTaken: boolean) => {
    waiting.splice(0).forEach((done) => done(isTaken));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { written, replies, settle };
}

describe('replies of a terminal', () => {
  test('that nobody reads are dropped whole beyond 4 KiB, and come again once they are read', async () => {
    const { written, replies, settle } = world();
    const sent = Array.from({ length: 2_000 }, () => replies.send(Buffer.alloc(4)));
    expect(sent.filter(Boolean)).toHaveLength(1_024);
    expect(written.reduce((sum, bytes) => sum + bytes, 0)).toBe(4_096);
    await settle(true);
    expect(replies.send(Buffer.alloc(4))).toBe(true);
  });

  test('that come in one piece are all told when none wait, up to 64 KiB', () => {
    const { written, replies } = world();
    expect(replies.send(Buffer.alloc(65_537))).toBe(false);
    expect(replies.send(Buffer.alloc(7_000))).toBe(true);
    expect(replies.send(Buffer.alloc(1))).toBe(false);
    expect(written).toEqual([7_000]);
  });

  test('to a child that ended are nobody’s error', async () => {
    const { replies, settle } = world();
    replies.send(Buffer.alloc(4_096));
    await settle(false);
    expect(replies.send(Buffer.alloc(4_096))).toBe(true);
  });
});
