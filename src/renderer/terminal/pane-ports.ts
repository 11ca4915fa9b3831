import type { Disposable } from '../../shared/disposable.ts';
import { PANE_PORT_MESSAGE } from '../../shared/ipc-names.ts';
import type { SessionId } from '../../shared/session.ts';

/** Time for the port to arrive after main agreed to attach. It is posted before the answer, so any wait is a fault. */
const PORT_DEADLINE_MS = 5_000;

/**
 * Gets panes their ports: asks the host to attach, and takes the port out of the window message that bears the nonce of
 * the request. Messages of other origins or with unknown nonces are left alone.
 */
export class PanePorts implements Disposable {
  readonly #page: Window;
  readonly #attach: (id: SessionId, nonce: string) => Promise<null>;
  readonly #waiting = new Map<string, (port: MessagePort) => void>();
  readonly #onMessage = (event: MessageEvent<unknown>): void => this.#take(event);

  constructor(page: Window, attach: (id: SessionId, nonce: string) => Promise<null>) {
    this.#page = page;
    this.#attach = attach;
    page.addEventListener('message', this.#onMessage);
  }

  /**
   * Attaches to a session and answers the port of its bytes, not yet started.
   *
   * @throws the host's error when it refuses, an Error when no port comes, the signal's reason when it is aborted; a
   *   port that comes after that is closed.
   */
  async open(id: SessionId, signal: AbortSignal): Promise<MessagePort> {
    const nonce = randomNonce();
    // Listening starts before the request: the port may arrive ahead of the answer.
    const arrival = new Promise<MessagePort>((resolve) => this.#waiting.set(nonce, resolve));
    try {
      await this.#attach(id, nonce);
    } catch (error) {
      this.#waiting.delete(nonce);
      throw error;
    }
    try {
      return await withDeadline(arrival, signal);
    } catch (error) {
      void arrival.then((late) => late.close());
      throw error;
    }
  }

  dispose(): void {
    this.#page.removeEventListener('message', this.#onMessage);
    this.#waiting.clear();
  }

  #take(event: MessageEvent<unknown>): void {
    const nonce = event.origin === this.#page.location.origin ? nonceOf(event.data) : null;
    const [port] = event.ports;
    if (nonce === null || port === undefined) {
      return;
    }
    const resolve = this.#waiting.get(nonce);
    this.#waiting.delete(nonce);
    resolve?.(port);
  }
}

/** `promise` must be one that never rejects. */
function withDeadline<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal.throwIfAborted();
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const onAbort = (): void => finish(() => reject(signal.reason as Error));
    const timer = setTimeout(
      () => finish(() => reject(new Error('Shellscope agreed to show this session but sent no output port.'))),
      PORT_DEADLINE_MS,
    );
    signal.addEventListener('abort', onAbort);
    void promise.then((value) => finish(() => resolve(value)));
  });
}

function nonceOf(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('type' in data) || !('nonce' in data)) {
    return null;
  }
  return data.type === PANE_PORT_MESSAGE && typeof data.nonce === 'string' ? data.nonce : null;
}

function randomNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
