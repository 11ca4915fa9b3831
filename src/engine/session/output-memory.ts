/** Room of a block when a session has printed much: what four reads of a pipe give. */
const BLOCK_BYTES = 256 * 1024;

/** Room of a session's first block; each next one is twice as large, so that a short answer holds little. */
const FIRST_BLOCK_BYTES = 4 * 1024;

/** Blocks kept for whoever prints next, for all sessions together. */
const MAX_SPARE_BLOCKS = 16;

/** A stretch of memory that holds pieces of output, one behind the other. */
export interface OutputBlock {
  readonly room: Buffer;
  usedBytes: number;
  /** Pieces in it that are retained. */
  pieces: number;
}

const spare: Buffer[] = [];

/**
 * The memory of one session's retained output. A block is used again when nothing in it is retained any more.
 *
 * With an allocation for each piece everything that a child prints would become memory that V8 counts, and with 40 MB
 * each second the whole heap was collected five times a second, eighteen times for pipes.
 */
export class OutputMemory {
  #current: OutputBlock | null = null;
  #nextBytes = FIRST_BLOCK_BYTES;

  /** Copies the bytes. What it answers is right until `letGo` was called for each piece of that block. */
  keep(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly block: OutputBlock } {
    let block = this.#current;
    if (block === null || block.room.length - block.usedBytes < bytes.length) {
      const before = block;
      block = this.#newBlock(bytes.length);
      this.#current = block;
      if (before?.pieces === 0) {
        keepSpare(before);
      }
    }
    const begin = block.usedBytes;
    block.room.set(bytes, begin);
    block.usedBytes += bytes.length;
    block.pieces += 1;
    return { bytes: block.room.subarray(begin, block.usedBytes), block };
  }

  /** One piece of the block is retained no more. */
  letGo(block: OutputBlock): void {
    block.pieces -= 1;
    if (block.pieces > 0) {
      return;
    }
    if (block === this.#current) {
      block.usedBytes = 0;
    } else {
      keepSpare(block);
    }
  }

  #newBlock(leastBytes: number): OutputBlock {
    while (this.#nextBytes < Math.min(leastBytes, BLOCK_BYTES)) {
      this.#nextBytes *= 2;
    }
    const wanted = Math.max(this.#nextBytes, leastBytes);
    this.#nextBytes = Math.min(2 * this.#nextBytes, BLOCK_BYTES);
    const room = (wanted === BLOCK_BYTES ? spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(wanted);
    return { room, usedBytes: 0, pieces: 0 };
  }
}

function keepSpare({ room }: OutputBlock): void {
  if (room.length === BLOCK_BYTES && spare.length < MAX_SPARE_BLOCKS) {
    spare.push(room);
  }
}
