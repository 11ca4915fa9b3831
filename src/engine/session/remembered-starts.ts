import { createHash } from 'node:crypto';
import { EngineError } from '../../shared/errors.ts';
import type { SessionOrigin } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';

/** Starts remembered by their request ids, of all clients together. */
const REMEMBERED = 4_096;

interface Remembered<T> {
  /** Hash of the request: environments hold secrets, which are kept nowhere twice. */
  readonly request: string;
  readonly started: Promise<T>;
}

/** Starts by request id, each client's for itself: the same request again is the same start (S13). */
export class RememberedStarts<T> {
  readonly #starts = new TurnoverMap<string, Remembered<T>>();

  /** Whether the start of that id is known, or on its way. */
  knows({ requestId, origin }: { readonly requestId: string; readonly origin: SessionOrigin }): boolean {
    return this.#starts.has(keyOf(requestId, origin));
  }

  /**
   * The start of the request with that id, made now when there was none. Throws `invalid-argument` for the id of
   * another request. What was refused is forgotten, and may be asked for again.
   */
  once(request: { readonly requestId: string; readonly origin: SessionOrigin }, start: () => Promise<T>): Promise<T> {
    const { requestId, origin } = request;
    const key = keyOf(requestId, origin);
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const known = this.#starts.get(key);
    if (known !== undefined) {
      if (known.request !== digest) {
        throw new EngineError('invalid-argument', 'requestId: it was that of another start; use a new one for each');
      }
      return known.started;
    }
    const started = start();
    this.#starts.set(key, { request: digest, started });
    this.#starts.keepNewest(REMEMBERED);
    started.catch(() => this.#starts.delete(key));
    return started;
  }
}

function keyOf(requestId: string, origin: SessionOrigin): string {
  return JSON.stringify([origin.kind === 'agent' ? origin.client : null, requestId]);
}
