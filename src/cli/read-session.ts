import type { ControlReadResult } from '../protocol/control/control-wire.ts';
import { PlainText } from '../shared/plain-text.ts';
import type { SessionInfo } from '../shared/session.ts';
import { complain } from './cli-error.ts';
import type { ReadFrom } from './commands/read-command.ts';
import { findSession, withHost } from './host.ts';

/** Output in one answer, in bytes. */
const PAGE_BYTES = 1024 * 1024;

/** How long one request waits for more when it follows, in milliseconds; then it is asked again. */
const FOLLOW_WAIT_MS = 25_000;

export interface ReadOptions {
  readonly id: string;
  readonly from: ReadFrom;
  readonly reader: string;
  readonly raw: boolean;
  readonly follow: boolean;
  /** For the first output, in milliseconds. */
  readonly waitMs: number;
  readonly json: boolean;
}

/** Prints what a session printed, once or until it ends. Answers 0. */
export async function readSession(options: ReadOptions): Promise<number> {
  return withHost('read', async (host) => {
    const session = await findSession(host, options.id);
    if (session.failure !== null) {
      complain(session.failure);
    }
    const print = options.json ? jsonPrinter(session, options.raw) : plainPrinter(options.raw);
    let from = placeOf(session, options.from);
    let { waitMs } = options;
    for (;;) {
      const result = await host.request('read', {
        session: session.id,
        from,
        reader: options.reader,
        form: from === 'unread' && !options.raw ? 'text' : 'raw',
        maxBytes: PAGE_BYTES,
        waitMs,
      });
      if (result.goneBytes > 0) {
        complain(`${result.goneBytes} bytes before this are no longer retained`);
      }
      const goesOn = result.more || (options.follow && !result.closed);
      await print(result, !goesOn);
      if (!goesOn) {
        return 0;
      }
      from = from === 'unread' ? from : result.cursor;
      waitMs = options.follow ? FOLLOW_WAIT_MS : 0;
    }
  });
}

type Place = Exclude<ReadFrom, object> | { readonly epoch: string; readonly offset: number };
type Print = (result: ControlReadResult, isLast: boolean) => Promise<void>;

function placeOf(session: SessionInfo, from: ReadFrom): Place {
  if (from === 'start') {
    // Not the host's own `start`, which is the oldest byte in memory: more may be on the disk, and a gap is said.
    return { epoch: session.epoch, offset: 0 };
  }
  return typeof from === 'string' ? from : { epoch: from.epoch ?? session.epoch, offset: from.offset };
}

function plainPrinter(raw: boolean): Print {
  if (raw) {
    return ({ pieces }) => written(Buffer.concat(pieces.map(({ base64 }) => Buffer.from(base64, 'base64'))));
  }
  const read = textReader();
  return (result, isLast) => written(read(result, isLast));
}

/** One object a page, a line each: `text`, or with `--raw` the `pieces` by their streams. */
function jsonPrinter({ id }: SessionInfo, raw: boolean): Print {
  const read = textReader();
  return (result, isLast) => {
    const { pieces, cursor, goneBytes, exit, closed } = result;
    const output = raw ? { pieces } : { text: read(result, isLast) };
    const place = `${cursor.epoch}:${cursor.offset}`;
    return written(`${JSON.stringify({ session: id, ...output, cursor: place, goneBytes, exit, closed })}\n`);
  };
}

/** Resolves when it has left: a reader that is slow makes the next page wait. */
function written(output: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => process.stdout.write(output, () => resolve()));
}

/** Text of page after page. Streams are decoded apart: a character of one is not cut by the other. */
function textReader(): (result: ControlReadResult, isLast: boolean) => string {
  const streams = new Map<string, PlainText>();
  const of = (name: string) => {
    const stream = streams.get(name) ?? new PlainText(new TextDecoder());
    streams.set(name, stream);
    return stream;
  };
  return ({ pieces, text }, isLast) => {
    const parts = pieces.map(({ stream, base64 }) => of(stream).push(Buffer.from(base64, 'base64')));
    if (text !== null) {
      parts.push(of('text').pushText(text));
    }
    if (isLast) {
      parts.push(...[...streams.values()].map((stream) => stream.end()));
    }
    return parts.join('');
  };
}
