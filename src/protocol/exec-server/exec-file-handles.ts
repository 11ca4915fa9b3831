import type { FileHandle } from 'node:fs/promises';
import { TurnoverMap } from '../../shared/turnover.ts';
import { openToRead, openToReplace } from './exec-file-open.ts';
import { WireErrorCode, type Params } from './exec-server-schema.ts';
import { WireError } from './wire-error.ts';

/** Files that one client may have open: each takes a descriptor of this host. As the real server has it (0.169). */
const MAX_HANDLES = 128;

/** Of an id, in bytes; as the real server has it (0.169). */
const MAX_HANDLE_ID_BYTES = 32;

/** Of one block, in bytes: its frame stays far below the largest (16 MiB). As the real server has it (0.169). */
const MAX_BLOCK_BYTES = 1024 * 1024;

/**
 * The files that one client has open, by the ids that it chose. They outlive its connection and end with its session.
 * A block belongs to an offset, not to a place in the file that moves: blocks may be asked for side by side.
 */
export class FileHandles {
  /** An id is taken from the moment it is asked for. */
  readonly #handles = new TurnoverMap<string, Promise<FileHandle>>();
  #disposed = false;

  async open({ handleId, path, mode, followSymlinks }: Params<'fs/open'>): Promise<object> {
    refuseId(handleId);
    if (this.#disposed) {
      throw new WireError(WireErrorCode.invalidRequest, 'the session has ended');
    }
    if (this.#handles.has(handleId)) {
      throw new WireError(WireErrorCode.invalidRequest, `file handle \`${handleId}\` already exists`);
    }
    if (this.#handles.size >= MAX_HANDLES) {
      throw new WireError(
        WireErrorCode.invalidRequest,
        `at most ${MAX_HANDLES} file handles may be open per session; close some (fs/close)`,
      );
    }
    const opening = mode === 'read' ? openToRead(path, { followSymlinks }) : openToReplace(path, { followSymlinks });
    this.#handles.set(handleId, opening);
    try {
      await opening;
    } catch (error) {
      if (this.#handles.get(handleId) === opening) {
        this.#handles.delete(handleId);
      }
      throw error;
    }
    return { handleId };
  }

  /** `eof` when the file ended before the block was full; a block that ends where the file ends does not know it. */
  async readBlock({ handleId, offset, len }: Params<'fs/readBlock'>): Promise<object> {
    if (len < 1 || len > MAX_BLOCK_BYTES) {
      throw blockLength('read');
    }
    const handle = await this.#handle(handleId);
    const block = Buffer.allocUnsafe(len);
    let length = 0;
    while (length < len) {
      const { bytesRead } = await handle.read(block, length, len - length, offset + length);
      if (bytesRead === 0) {
        break;
      }
      length += bytesRead;
    }
    return { chunk: block.toString('base64', 0, length), eof: length < len };
  }

  async writeBlock({ handleId, offset, chunk }: Params<'fs/writeBlock'>): Promise<object> {
    if (chunk.length < 1 || chunk.length > MAX_BLOCK_BYTES) {
      throw blockLength('write');
    }
    const handle = await this.#handle(handleId);
    for (let written = 0; written < chunk.length;) {
      const { bytesWritten } = await handle.write(chunk, written, chunk.length - written, offset + written);
      written += bytesWritten;
    }
    return {};
  }

  async close({ handleId }: Params<'fs/close'>): Promise<object> {
    refuseId(handleId);
    const opening = this.#handles.get(handleId);
    this.#handles.delete(handleId);
    await closed(opening);
    return {};
  }

  /** Closes all of them. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    const opening = this.#handles.values();
    this.#handles.clear();
    await Promise.all(opening.map(closed));
  }

  /** Waits for a file that is being opened. */
  async #handle(handleId: string): Promise<FileHandle> {
    refuseId(handleId);
    const opening = this.#handles.get(handleId);
    if (opening === undefined) {
      throw new WireError(WireErrorCode.notFound, `unknown file handle \`${handleId}\``);
    }
    return opening;
  }
}

async function closed(opening: Promise<FileHandle> | undefined): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await opening;
  } catch {
    // It was never open; whoever asked for it has been told.
  }
  // Node waits for what is being read or written by it.
  await handle?.close();
}

function refuseId(handleId: string): void {
  if (Buffer.byteLength(handleId) > MAX_HANDLE_ID_BYTES) {
    throw new WireError(WireErrorCode.invalidRequest, `file handle ID must not exceed ${MAX_HANDLE_ID_BYTES} bytes`);
  }
}

function blockLength(direction: 'read' | 'write'): WireError {
  return new WireError(
    WireErrorCode.invalidRequest,
    `file ${direction} block length must be between 1 and ${MAX_BLOCK_BYTES}`,
  );
}
