import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron';
import { EngineError } from '../shared/errors.ts';
import {
  requestSchemas,
  type RequestArguments,
  type RequestChannel,
  type RequestReply,
  type RequestResults,
} from '../shared/ipc.ts';
import type { Logger } from '../shared/logger.ts';

/** Answers one request. `sender` is the window that asked. */
type Handler<C extends RequestChannel> = (
  sender: WebContents,
  ...args: RequestArguments<C>
) => Promise<RequestResults[C]>;

export type Handlers = { readonly [C in RequestChannel]: Handler<C> };

export interface IpcRouterOptions {
  /** Pages may ask before they are there, and are answered then. */
  readonly handlers: Promise<Handlers>;
  /** Origin of our own pages, e.g. `app://shellscope`. */
  readonly trustedOrigin: string;
  readonly log: Logger;
}

/**
 * The only user of raw `ipcMain`: a request is answered when it comes from the main frame of one of our pages and its
 * arguments are what the contract says. Answers the function that takes all handlers off again.
 */
export function routeRequests({ handlers, trustedOrigin, log }: IpcRouterOptions): () => void {
  const channels = Object.keys(requestSchemas) as RequestChannel[];
  for (const channel of channels) {
    ipcMain.handle(channel, (event, ...args: unknown[]) => {
      // The frame can be gone after the first await, so it is judged now.
      if (!isTrusted(event, trustedOrigin)) {
        log.warn('a request of an untrusted page was refused', { channel });
        return { ok: false, code: 'untrusted-sender', message: 'this page may not ask' };
      }
      return answer(channel, handlers, event.sender, args, log);
    });
  }
  return () => {
    for (const channel of channels) {
      ipcMain.removeHandler(channel);
    }
  };
}

async function answer<C extends RequestChannel>(
  channel: C,
  handlers: Promise<Handlers>,
  sender: WebContents,
  args: readonly unknown[],
  log: Logger,
): Promise<RequestReply<RequestResults[C]>> {
  const parsed = requestSchemas[channel].safeParse(args);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const message = `${channel}: ${issue === undefined ? 'bad arguments' : `argument ${issue.path.join('.')}: ${issue.message}`}`;
    return { ok: false, code: 'invalid-argument', message };
  }
  try {
    const handler = (await handlers)[channel] as Handler<C>;
    return { ok: true, value: await handler(sender, ...(parsed.data as RequestArguments<C>)) };
  } catch (error) {
    if (error instanceof EngineError) {
      return { ok: false, code: error.code, message: error.message };
    }
    log.error('a request failed unexpectedly', { channel, why: String(error) });
    return { ok: false, code: 'internal', message: error instanceof Error ? error.message : String(error) };
  }
}

function isTrusted({ senderFrame }: IpcMainInvokeEvent, trustedOrigin: string): boolean {
  return senderFrame !== null && senderFrame.parent === null && originOf(senderFrame.url) === trustedOrigin;
}

/** `URL.origin` is the string `null` for a scheme of our own. */
function originOf(url: string): string | null {
  if (!URL.canParse(url)) {
    return null;
  }
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
