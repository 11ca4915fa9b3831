import { WebSocket, type ClientOptions } from 'ws';

/** A frame as it came; checked by the test that looks at it. */
export type Frame = Readonly<Record<string, unknown>>;

export interface ProcessEnd {
  readonly output: string;
  readonly exitCode: number;
  /** `seq` of every notification in the order they came. */
  readonly seqs: readonly number[];
}

interface Notification {
  readonly method: string;
  readonly params: {
    readonly processId: string;
    readonly seq: number;
    readonly chunk?: string;
    readonly exitCode?: number;
  };
}

/** A client of the exec-server that knows nothing of our code: it speaks the wire. */
export class ExecClient {
  readonly #socket: WebSocket;
  readonly #answers = new Map<string | number, (frame: Frame) => void>();
  readonly #frames: Frame[] = [];
  readonly #waiting = new Set<() => void>();
  #nextId = 1;
  #closeCode: number | null = null;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#receive(JSON.parse(data.toString('utf8')) as Frame));
    socket.on('close', (code) => {
      this.#closeCode = code;
      this.#changed();
    });
  }

  /** Rejects with `HTTP <status>: <body>` when the upgrade is refused. */
  static connect(url: string, options: ClientOptions = {}): Promise<ExecClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, options);
      socket.once('error', reject);
      socket.once('unexpected-response', (_request, response) => {
        const body: Buffer[] = [];
        response.on('data', (part: Buffer) => body.push(part));
        response.on('end', () => reject(new Error(`HTTP ${response.statusCode}: ${Buffer.concat(body).toString()}`)));
      });
      socket.once('open', () => resolve(new ExecClient(socket)));
    });
  }

  /** Connects with the token and shakes hands. Answers the client and the id of its session. */
  static async ready(
    url: string,
    token: string | null,
    resumeSessionId: string | null = null,
    clientName = 'test-agent',
  ): Promise<ExecClient> {
    const client = await ExecClient.connect(
      url,
      token === null ? {} : { headers: { authorization: `Bearer ${token}` } },
    );
    const { result, error } = await client.request('initialize', { clientName, resumeSessionId });
    if (result === undefined) {
      throw new Error(JSON.stringify(error));
    }
    client.sessionId = (result as { readonly sessionId: string }).sessionId;
    client.send({ method: 'initialized', params: {} });
    return client;
  }

  sessionId = '';

  /** Every frame so far, in the order they came. */
  get frames(): readonly Frame[] {
    return this.#frames;
  }

  /** All frames without an id so far. */
  get notifications(): readonly Notification[] {
    return this.#frames.filter((frame) => 'method' in frame) as unknown as readonly Notification[];
  }

  send(frame: unknown): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  /** Answers the whole response frame, error or not. */
  request(method: string, params: unknown): Promise<Frame> {
    const id = this.#nextId++;
    const answered = this.answerTo(id);
    this.send({ id, method, params });
    return answered;
  }

  /** The frame that answers an id which the test sends by itself. */
  answerTo(id: string | number): Promise<Frame> {
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  /** Starts a process with an exact environment in /tmp. */
  start(processId: string, argv: readonly string[], params: object = {}): Promise<Frame> {
    return this.request('process/start', {
      processId,
      argv,
      cwd: 'file:///tmp',
      env: { PATH: '/usr/bin:/bin', TERM: 'xterm-256color', PS1: '$ ' },
      tty: true,
      ...params,
    });
  }

  write(processId: string, text: string, writeId: string): Promise<Frame> {
    return this.request('process/write', { processId, chunk: Buffer.from(text).toString('base64'), writeId });
  }

  /** Output of a process so far, as text. */
  output(processId: string): string {
    const chunks = this.notifications.filter(
      ({ method, params }) => method === 'process/output' && params.processId === processId,
    );
    return Buffer.concat(chunks.map(({ params }) => Buffer.from(params.chunk ?? '', 'base64'))).toString('utf8');
  }

  /** Resolves when the process's output contains the text. */
  async printed(processId: string, text: string): Promise<string> {
    await this.until(() => this.output(processId).includes(text), `${processId} to print ${JSON.stringify(text)}`);
    return this.output(processId);
  }

  /** Resolves when `process/closed` came. */
  async closedProcess(processId: string): Promise<ProcessEnd> {
    const own = () => this.notifications.filter(({ params }) => params.processId === processId);
    await this.until(() => own().some(({ method }) => method === 'process/closed'), `${processId} to close`);
    return {
      output: this.output(processId),
      exitCode: own().find(({ method }) => method === 'process/exited')?.params.exitCode ?? Number.NaN,
      seqs: own().map(({ params }) => params.seq),
    };
  }

  /** Resolves with the close code when the server ended the connection. */
  async disconnected(): Promise<number | null> {
    await this.until(() => this.#closeCode !== null, 'the connection to end');
    return this.#closeCode;
  }

  /** Takes nothing from the socket until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Drops the connection without a word. */
  drop(): void {
    this.#socket.terminate();
  }

  /** Waits for a fact; looks again whenever a frame came. */
  async until(isTrue: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + 15_000;
    while (!isTrue()) {
      const left = deadline - performance.now();
      if (left <= 0) {
        throw new Error(`waited in vain for ${what}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, left);
        const waiting = this.#waiting;
        function done(): void {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        }
        waiting.add(done);
      });
    }
  }

  #receive(frame: Frame): void {
    const { id } = frame;
    if (typeof id === 'string' || typeof id === 'number') {
      this.#answers.get(id)?.(frame);
      this.#answers.delete(id);
    }
    this.#frames.push(frame);
    this.#changed();
  }

  #changed(): void {
    for (const wake of [...this.#waiting]) {
      wake();
    }
  }
}
