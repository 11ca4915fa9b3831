/** One notification of a process, as it is on the wire. */
export interface Notification {
  readonly method: string;
  readonly params: { readonly processId: string; readonly seq: number; readonly chunk?: string };
}

/** One child at a server, as its client sees it. */
export class BenchChild {
  /** When the exit was told, as `performance.now()` has it. */
  readonly exited: Promise<number>;
  /** Everything up to the last `seq` has been heard. Rejects when the connection is lost before that. */
  readonly closed: Promise<void>;
  readonly #processId: string;
  readonly #ask: (method: string, params: object) => Promise<unknown>;
  readonly #onOutput: (bytes: Buffer) => void;
  /** The real server's notifications may overtake one another. */
  readonly #early = new Map<number, Notification>();
  #nextSeq = 1;
  #nextWrite = 1;
  #tellExited: (atMs: number) => void = () => {};
  #tellClosed: () => void = () => {};
  #tellLost: (error: Error) => void = () => {};

  constructor(
    processId: string,
    ask: (method: string, params: object) => Promise<unknown>,
    onOutput: (bytes: Buffer) => void,
  ) {
    this.#processId = processId;
    this.#ask = ask;
    this.#onOutput = onOutput;
    this.exited = new Promise((resolve) => {
      this.#tellExited = resolve;
    });
    this.closed = new Promise((resolve, reject) => {
      this.#tellClosed = resolve;
      this.#tellLost = reject;
    });
    // Whoever waits for it hears of it; a child that is ended with its server is waited for by nobody.
    this.closed.catch(() => {});
  }

  hear(notification: Notification): void {
    if (notification.method === 'process/exited') {
      this.#tellExited(performance.now());
    }
    if (notification.params.seq !== this.#nextSeq) {
      this.#early.set(notification.params.seq, notification);
      return;
    }
    let next: Notification | undefined = notification;
    while (next !== undefined) {
      this.#nextSeq += 1;
      this.#take(next);
      next = this.#early.get(this.#nextSeq);
      this.#early.delete(this.#nextSeq);
    }
  }

  lost(error: Error): void {
    this.#tellLost(error);
  }

  /** Resolves when the server has accepted it. */
  async write(text: string): Promise<void> {
    const writeId = `w${this.#nextWrite++}`;
    const chunk = Buffer.from(text).toString('base64');
    await this.#ask('process/write', { processId: this.#processId, chunk, writeId });
  }

  async end(): Promise<void> {
    await this.#ask('process/terminate', { processId: this.#processId });
    await this.closed;
  }

  #take({ method, params }: Notification): void {
    if (method === 'process/output') {
      this.#onOutput(Buffer.from(params.chunk ?? '', 'base64'));
    } else if (method === 'process/closed') {
      this.#tellClosed();
    }
  }
}
