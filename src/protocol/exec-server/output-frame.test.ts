import { describe, expect, test } from 'vitest';
import { OutputFrames } from './output-frame.ts';

const LARGE = 60_000;

interface Sent {
  readonly frame: string | Buffer;
  /** Says that the frame has left. */
  readonly leave: () => void;
  /** How often its sender was told so. */
  readonly told: () => number;
}

/** Sends a piece that is all one byte. */
function send(frames: OutputFrames, byte: number): Sent {
  let told = 0;
  const handedOver: { frame: string | Buffer; sent: () => void }[] = [];
  frames.notify(
    'p',
    { seq: 1, stream: 'stdout', bytes: new Uint8Array(LARGE).fill(byte) },
    (frame, sent) => handedOver.push({ frame, sent }),
    () => (told += 1),
  );
  const [{ frame, sent }] = handedOver as [{ frame: string | Buffer; sent: () => void }];
  return { frame, leave: sent, told: () => told };
}

function chunkOf(frame: string | Buffer): Buffer {
  const { params } = JSON.parse(frame.toString()) as { params: { chunk: string } };
  return Buffer.from(params.chunk, 'base64');
}

function memoryOf({ frame }: Sent): unknown {
  return Buffer.isBuffer(frame) ? frame.buffer : null;
}

describe('a frame of output', () => {
  test.each([0, 1, 1_023, 1_024, 1_025, 65_536, 200_000])('is the same notification for %d bytes', (length) => {
    const bytes = Uint8Array.from({ length }, (_value, index) => index % 256);
    const sent: string[] = [];
    new OutputFrames().notify(
      'p "ü" 😀',
      { seq: 7, stream: 'pty', bytes },
      (frame) => sent.push(frame.toString()),
      () => {},
    );
    expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual([
      {
        method: 'process/output',
        params: { processId: 'p "ü" 😀', seq: 7, stream: 'pty', chunk: Buffer.from(bytes).toString('base64') },
      },
    ]);
  });

  test('keeps its bytes until it has left, whatever is sent meanwhile', () => {
    const frames = new OutputFrames();
    const first = send(frames, 1);
    const second = send(frames, 2);
    expect(chunkOf(first.frame)).toEqual(Buffer.alloc(LARGE, 1));
    expect(chunkOf(second.frame)).toEqual(Buffer.alloc(LARGE, 2));
    expect(first.told()).toBe(0);
    first.leave();
    expect(first.told()).toBe(1);
    const third = send(frames, 3);
    expect(chunkOf(second.frame)).toEqual(Buffer.alloc(LARGE, 2));
    expect(chunkOf(third.frame)).toEqual(Buffer.alloc(LARGE, 3));
  });

  test('uses the memory again of one that has left', () => {
    const frames = new OutputFrames();
    const first = send(frames, 1);
    first.leave();
    const second = send(frames, 2);
    expect(memoryOf(second)).toBe(memoryOf(first));
  });
});
