import type { Engine } from '../../engine/engine.ts';
import { EngineError } from '../../shared/errors.ts';
import type { ControlParams } from './control-schema.ts';
import type { ControlReadResult } from './control-wire.ts';

/** The reader that `unread` means when none is named. */
const DEFAULT_READER = 'control';

type ReadParams = ControlParams<'read'>;

/** One page of output; see `controlSchemas.read`. `signal` ends a wait. */
export async function readPage(engine: Engine, params: ReadParams, signal: AbortSignal): Promise<ControlReadResult> {
  if (params.from === 'unread') {
    return readUnread(engine, params, signal);
  }
  if (params.form === 'text') {
    throw new EngineError('invalid-argument', 'form: text is given to a reader only; from must be unread');
  }
  const { session, maxBytes, waitMs } = params;
  const cursor = params.from === 'start' ? null : params.from;
  const { pieces, ...facts } = await engine.page(session, { cursor, maxBytes, waitMs, signal });
  return {
    pieces: pieces.map(({ stream, offset, bytes }) => ({
      stream,
      offset,
      base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
    })),
    text: null,
    ...facts,
  };
}

/** Text and bytes have one place each reader has come to, so that both forms can be mixed. */
async function readUnread(
  engine: Engine,
  { session, reader = DEFAULT_READER, form, maxBytes, waitMs }: ReadParams,
  signal: AbortSignal,
): Promise<ControlReadResult> {
  const request = { reader, maxBytes, signal };
  if (form === 'text') {
    return { pieces: [], ...(await engine.text(session, { ...request, waitMs, drain: true })) };
  }
  const { cursor, goneBytes } = await engine.text(session, { ...request, waitMs, drain: false });
  const page = await readPage(engine, { session, from: { ...cursor }, form: 'raw', maxBytes, waitMs: 0 }, signal);
  const byteCount = page.cursor.offset - cursor.offset - page.goneBytes;
  if (byteCount > 0) {
    await engine.text(session, { ...request, maxBytes: byteCount, waitMs: 0, drain: true });
  }
  return { ...page, goneBytes: Math.max(goneBytes, page.goneBytes) };
}
