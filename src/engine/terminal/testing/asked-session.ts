import type { TerminalSize } from '../../../shared/session.ts';
import { OutputRing } from '../../session/output-ring.ts';
import { QueryResponder, type QueryResponderOptions, type RetainedOutput } from '../query-responder.ts';

/** A session as far as its questions go: retained output and the responder, wired as the engine wires them. */
export class AskedSession {
  readonly responder: QueryResponder;
  /** Bytes of output that the responder asked to see again. */
  replayedBytes = 0;
  /** Everything that the responder said, in order. */
  said = '';
  /** How often it said something. */
  repliesTold = 0;
  readonly #ring: OutputRing;
  readonly #onReply: (bytes: Uint8Array) => void;
  #waiting: (() => void)[] = [];

  constructor(
    options: {
      readonly size?: TerminalSize;
      readonly retainedBytes?: number;
      readonly colours?: QueryResponderOptions['colours'];
      /** Types the reply into a real child. */
      readonly onReply?: (bytes: Uint8Array) => void;
    } = {},
  ) {
    this.#ring = new OutputRing({ maxBytes: options.retainedBytes ?? 8 * 1024 * 1024, maxChunks: 65_536 });
    this.#ring.markSize(options.size ?? { cols: 80, rows: 24 });
    this.#onReply = options.onReply ?? (() => undefined);
    this.responder = new QueryResponder({
      reply: (bytes) => this.#reply(bytes),
      replay: (fromOffset) => this.replay(fromOffset),
      ...(options.colours === undefined ? {} : { colours: options.colours }),
    });
  }

  get endOffset(): number {
    return this.#ring.endOffset;
  }

  print(output: Uint8Array | string): void {
    const bytes = typeof output === 'string' ? Buffer.from(output) : output;
    this.#ring.append('pty', bytes, 0);
    this.responder.output(bytes);
  }

  resize(size: TerminalSize): void {
    this.#ring.markSize(size);
  }

  *replay(fromOffset: number): Generator<RetainedOutput> {
    for (let seq = this.#ring.seqAtOffset(fromOffset); seq < this.#ring.nextSeq; seq += 1) {
      const entry = this.#ring.entry(seq);
      const size = this.#ring.sizeAt(entry?.offset ?? 0);
      if (entry?.kind === 'output' && size !== null) {
        this.replayedBytes += entry.bytes.length;
        yield { offset: entry.offset, bytes: Buffer.from(entry.bytes), size };
      }
    }
  }

  /** Resolves with everything said when that ends with this text. */
  async saidUpTo(ending: string): Promise<string> {
    while (!this.said.endsWith(ending)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.said;
  }

  #reply(bytes: Uint8Array): void {
    this.said += Buffer.from(bytes).toString('utf8');
    this.repliesTold += 1;
    this.#onReply(bytes);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) {
      resolve();
    }
  }
}
