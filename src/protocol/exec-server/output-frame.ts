/** From here on a frame is put together from bytes, in bytes of output. Below, one short text costs less. */
const LARGE_BYTES = 1_024;

/** Room of one kept buffer: a piece of 64 KiB as base64, and what is around it. */
const ROOM_BYTES = 96 * 1_024;

/** Kept for the next frames; more are in use only while a client takes nothing. */
const MAX_KEPT_BUFFERS = 16;

/** One piece of output as it is told to a client. */
export interface OutputPiece {
  readonly seq: number;
  readonly stream: string;
  readonly bytes: Uint8Array;
}

/**
 * Makes the notifications `process/output`, large ones in buffers that are used again. To allocate one costs four times
 * as much as to fill it: 33 of 41 µs for 60 KiB of output, and 64 µs when a text is made of it first.
 */
export class OutputFrames {
  readonly #kept: Buffer[] = [];

  /** Hands the frame of a piece to `send`, and calls `sent` when `send` says that the frame has left. */
  notify(
    processId: string,
    { seq, stream, bytes }: OutputPiece,
    send: (frame: string | Buffer, sent: () => void) => void,
    sent: () => void,
  ): void {
    const head = `{"method":"process/output","params":{"processId":${JSON.stringify(processId)},"seq":${seq},"stream":"${stream}","chunk":"`;
    const tail = '"}}';
    const chunk = base64(bytes);
    if (bytes.length < LARGE_BYTES) {
      send(head + chunk + tail, sent);
      return;
    }
    const length = Buffer.byteLength(head) + chunk.length + tail.length;
    const room =
      length > ROOM_BYTES ? Buffer.allocUnsafe(length) : (this.#kept.pop() ?? Buffer.allocUnsafe(ROOM_BYTES));
    const headBytes = room.write(head);
    room.write(chunk, headBytes, 'latin1');
    room.write(tail, headBytes + chunk.length, 'latin1');
    send(room.subarray(0, length), () => {
      if (room.length === ROOM_BYTES && this.#kept.length < MAX_KEPT_BUFFERS) {
        this.#kept.push(room);
      }
      sent();
    });
  }
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
