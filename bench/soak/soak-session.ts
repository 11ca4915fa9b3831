import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine, FollowEvent } from '../../src/engine/engine.ts';
import type { PageRequest, PageResult } from '../../src/engine/session/session-output.ts';
import type { EndedBy, ExitStatus, SessionId, SessionInfo } from '../../src/shared/session.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import type { SessionPlan } from './plan.ts';
import { PseudoRandomStream } from './pseudo-random-stream.ts';
import type { Tally } from './tally.ts';
import { Visitor } from './visitor.ts';

export interface SoakSessionOptions {
  readonly engine: Engine;
  readonly tally: Tally;
  readonly plan: SessionPlan;
  /** Path of Python. */
  readonly python: string;
  /** For the ledgers. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Bytes that the listener drops, and that visitors add to a gap: planted faults. */
  readonly checks: OneAtATime;
  readonly planted: { readonly droppedBytes: number; readonly gapErrorBytes: number };
}

/**
 * Longest time without a sign of life beyond what is planned, in milliseconds. Output is a sign: on busy cores a flood
 * takes its time, and so does a start.
 */
const HUNG_AFTER_MS = 60_000;

/** Time that visitors have to see the rest after the output has ended, in milliseconds; the slowest leave without it. */
const LAST_LOOK_MS = 3_000;

/** A child may hold the listener's lack of progress against it for this long, in milliseconds. It always makes some. */
const HOLDS_CHILD_MS = 60_000;

/** Sessions that printed more are not read again, since that takes as long as it took to print it. Bytes. */
const READ_BACK_BYTES = 2 * 1024 * 1024;

/** Bytes on their way to the listener. */
const LISTENER_CREDIT_BYTES = 128 * 1024;

const PRINTER = join(import.meta.dirname, '../../bench/soak/printer.py');

/** What the listener knows when the output has ended, or the session was forgotten under it. */
interface Heard {
  /** False when the session was forgotten before everything was given out: nobody tells of the rest. */
  readonly isWhole: boolean;
  readonly bytes: number;
  /** Of the bytes before the first gap; those behind it were looked at by their places. */
  readonly sha256: string;
  readonly summedBytes: number;
  readonly gapBytes: number;
  readonly exit: ExitStatus | null;
}

type PageCursor = PageRequest['cursor'];

interface Ledger {
  readonly bytes: number;
  /** On CLOCK_MONOTONIC; null when the child did not get to its end. */
  readonly endedAtNs: bigint | null;
}

/**
 * One session from its start until it is forgotten: a listener that must get every byte, visitors that come and go, and
 * what ends it. Everything that is not as it must be goes to the tally.
 */
export class SoakSession {
  readonly #options: SoakSessionOptions;
  readonly #stream: PseudoRandomStream;
  readonly #id: SessionId;
  readonly #ledgerFile: string;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Aborted before the session is forgotten: what visits it must be gone by then. */
  readonly #gone = new AbortController();
  #engineEnds = false;
  #isForgotten = false;
  #lastSignAt = performance.now();
  #toldExitAtNs = 0n;
  #killedAtNs: bigint | null = null;

  constructor(options: SoakSessionOptions) {
    this.#options = options;
    const { number, alphabet } = options.plan;
    this.#id = `soak-${number}` as SessionId;
    this.#stream = new PseudoRandomStream(String(number), alphabet);
    this.#ledgerFile = join(options.folder, `ledger-${number}`);
  }

  /** The engine is about to be disposed of: this session ends by that. */
  engineEnds(): void {
    this.#engineEnds = true;
    this.#gone.abort();
  }

  /** Resolves when the session is over. Never rejects: what went wrong is told to the tally. */
  async run(): Promise<void> {
    const { tally } = this.#options;
    try {
      const startedAt = performance.now();
      const info = await this.#start();
      tally.started += 1;
      await this.#live(info, startedAt);
    } catch (error) {
      if (!this.#engineEnds) {
        tally.fault('error', `${this.#id}: ${String(error)}`);
      }
    } finally {
      this.#clearTimers();
      rmSync(this.#ledgerFile, { force: true });
      tally.ended += 1;
    }
  }

  #start(): Promise<SessionInfo> {
    const { engine, plan, python, environment } = this.#options;
    const settings = [
      plan.number,
      plan.alphabet,
      plan.stream === 'stdout' ? 1 : 2,
      plan.bytes,
      plan.pieceBytes,
      plan.pauseMs,
      plan.lastBytes,
      plan.lingerMs,
      this.#ledgerFile,
    ];
    return engine.start({
      id: this.#id,
      argv: [python, '-I', '-S', PRINTER, ...settings.map(String)],
      cwd: '/',
      environment: { kind: 'exact', variables: environment },
      backend: plan.backend === 'pty' ? { kind: 'pty' } : { kind: 'pipe', stdin: false },
      origin: { kind: 'person' },
    });
  }

  async #live(info: SessionInfo, startedAt: number): Promise<void> {
    const { engine, plan, tally, planted } = this.#options;
    const heard = this.#listen(startedAt);
    const visitors = plan.visitorSeeds.map(
      (seed) =>
        new Visitor({
          engine,
          tally,
          id: this.#id,
          stream: new PseudoRandomStream(String(plan.number), plan.alphabet),
          seed,
          gone: this.#gone.signal,
          gapErrorBytes: planted.gapErrorBytes,
        }),
    );
    const visits = Promise.all(
      visitors.map((visitor) =>
        visitor.run().catch((error: unknown) => tally.fault('error', `a visitor of ${this.#id}: ${String(error)}`)),
      ),
    );
    const ending = this.#end(info);
    try {
      const all = await this.#inTime(heard, 'its output did not end');
      await this.#options.checks.run(() => this.#checkBytes(all));
      if (!this.#isForgotten && !this.#engineEnds) {
        this.#checkFacts(all, await engine.get(this.#id));
        await this.#options.checks.run(() => this.#checkReadBack(all));
        await Promise.race([visits, this.#timer(LAST_LOOK_MS)]);
        this.#checkVisitors(visitors, all);
      }
    } finally {
      this.#gone.abort();
      await visits;
      await this.#inTime(ending, `${plan.end.kind} did not come back`);
      await this.#forget('host');
    }
  }

  /** Resolves when the output has ended, or the session is forgotten. */
  #listen(startedAt: number): Promise<Heard> {
    const { engine, tally, planted } = this.#options;
    const hash = createHash('sha256');
    let bytes = 0;
    let summedBytes = 0;
    let gapBytes = 0;
    let toDrop = planted.droppedBytes;
    let exit: ExitStatus | null = null;
    return new Promise((resolve) => {
      const over = (isWhole: boolean) => {
        stopListening();
        resolve({ isWhole, bytes, summedBytes, gapBytes, exit, sha256: hash.copy().digest('hex') });
      };
      const stopListening = engine.onEvent((event) => {
        if (event.type === 'removed' && event.id === this.#id) {
          over(false);
        }
      });
      const onEvent = (event: FollowEvent) => {
        this.#lastSignAt = performance.now();
        switch (event.kind) {
          case 'output': {
            if (event.offset === 0) {
              tally.startToFirstByteMs.push(performance.now() - startedAt);
            }
            const kept = event.bytes.subarray(Math.min(toDrop, event.bytes.length));
            toDrop -= event.bytes.length - kept.length;
            bytes += kept.length;
            if (gapBytes === 0) {
              hash.update(kept);
              summedBytes += kept.length;
            } else {
              this.#checkPlace(event.offset, event.bytes);
            }
            setImmediate(() => handle.ack(event.offset + event.bytes.length));
            break;
          }
          case 'gap':
            gapBytes += event.bytes ?? 0;
            break;
          case 'exited':
            this.#toldExitAtNs = process.hrtime.bigint();
            exit = event.exit;
            break;
          case 'closed':
            over(true);
            break;
        }
      };
      const handle = engine.follow(this.#id, {
        afterSeq: 0,
        creditBytes: LISTENER_CREDIT_BYTES,
        holdsChildMs: HOLDS_CHILD_MS,
        onEvent,
      });
    });
  }

  /** Does to the session what is planned, when it is time. */
  async #end({ pid }: SessionInfo): Promise<void> {
    const { engine, plan } = this.#options;
    if (plan.end.kind === 'itself') {
      return;
    }
    await Promise.race([this.#timer(plan.end.afterMs), aborted(this.#gone.signal)]);
    if (this.#gone.signal.aborted || this.#engineEnds) {
      return;
    }
    switch (plan.end.kind) {
      case 'sigkill':
        if ((await engine.get(this.#id)).state === 'running' && pid !== null) {
          this.#killedAtNs = process.hrtime.bigint();
          try {
            process.kill(pid, 'SIGKILL');
          } catch {
            // It has ended by itself since; that is told in a moment.
          }
        }
        break;
      case 'terminate':
        await engine.terminate(this.#id, 'agent');
        break;
      case 'close':
        await this.#forget('agent');
        break;
    }
  }

  /** Of a session that was closed under its listener, which then misses what it had not taken. */
  #checkPlace(offset: number, bytes: Uint8Array): void {
    const { tally } = this.#options;
    const wrong = this.#stream.firstDifference(offset, bytes);
    if (wrong === null) {
      tally.bytesByPlace += bytes.length;
    } else {
      tally.fault('changed', `${this.#describe()}: byte ${wrong} is another`);
    }
  }

  #checkBytes(heard: Heard): void {
    const { plan, tally } = this.#options;
    const ledger = this.#ledger();
    const endedByItself = ledger.endedAtNs !== null;
    const printed = Math.max(ledger.bytes, endedByItself ? plan.bytes : 0);
    const isAllowed = this.#isForgotten || this.#engineEnds;
    const isCut = !heard.isWhole || (heard.gapBytes > 0 && isAllowed);
    if (heard.gapBytes > 0 && !isAllowed) {
      tally.fault('gap', `${this.#id}: the listener, which holds the child, missed ${heard.gapBytes} bytes`);
    }
    if (heard.isWhole && isCut && heard.bytes + heard.gapBytes < printed) {
      tally.fault(
        'gap',
        `${this.#id}: of ${printed} bytes ${heard.bytes} came and ${heard.gapBytes} were said to be gone`,
      );
    }
    if (isCut) {
      tally.forgottenEarly += 1;
      tally.bytesNotGivenOut += Math.max(0, printed - heard.bytes);
      if (!isAllowed) {
        tally.fault('facts', `${this.#describe()}: it was forgotten by nobody's wish`);
      }
    } else if (heard.bytes < printed) {
      tally.bytesLost += printed - heard.bytes;
      tally.fault('lost', `${this.#describe()}: ${printed} bytes were printed, ${heard.bytes} came`);
    }
    if (heard.sha256 === this.#stream.sha256(heard.summedBytes)) {
      tally.bytesBySum += heard.summedBytes;
    } else {
      tally.fault('changed', `${this.#describe()}: the checksum of ${heard.summedBytes} bytes is another`);
    }
    if (ledger.endedAtNs !== null && heard.exit?.exitCode === 0) {
      tally.exitToToldMs.push(Number(this.#toldExitAtNs - ledger.endedAtNs) / 1e6);
    }
    if (this.#killedAtNs !== null && heard.exit?.signal === 'SIGKILL') {
      tally.killToToldMs.push(Number(this.#toldExitAtNs - this.#killedAtNs) / 1e6);
    }
  }

  #checkFacts({ exit, bytes }: Heard, info: SessionInfo): void {
    const { plan, tally, planted } = this.#options;
    const itself = { exit: '0', endedBy: 'child' };
    const expected = {
      itself: [itself],
      // It may have ended before, or while it was asked.
      sigkill: [{ exit: 'SIGKILL', endedBy: 'child' }, itself],
      terminate: [{ exit: 'SIGTERM', endedBy: 'agent' }, { exit: '0', endedBy: 'agent' }, itself],
      // It ended before.
      close: [itself],
    }[plan.end.kind];
    const found = { exit: exit?.signal ?? String(exit?.exitCode), endedBy: info.endedBy };
    const isRight =
      info.state === 'closed' &&
      info.outputBytes === bytes + planted.droppedBytes &&
      JSON.stringify(info.exit) === JSON.stringify(exit) &&
      expected.some((right) => right.exit === found.exit && right.endedBy === found.endedBy);
    if (!isRight) {
      tally.fault(
        'facts',
        `${this.#describe()}: ${JSON.stringify({ ...found, bytes })}, listed as ${JSON.stringify(info)}`,
      );
    }
  }

  /** What was printed can still be read from its first byte on, although memory has little of it. */
  async #checkReadBack({ bytes }: Heard): Promise<void> {
    const { engine, tally, planted } = this.#options;
    const expected = bytes + planted.droppedBytes;
    if (expected > READ_BACK_BYTES) {
      return;
    }
    const hash = createHash('sha256');
    let readBytes = 0;
    let cursor: PageCursor = 'begin';
    for (let isMore = true; isMore && !this.#isForgotten && !this.#engineEnds;) {
      const page: PageResult = await engine.page(this.#id, { cursor, maxBytes: 512 * 1024, waitMs: 0 });
      for (const piece of page.pieces) {
        hash.update(piece.bytes);
        readBytes += piece.bytes.length;
      }
      ({ cursor, more: isMore } = page);
    }
    if (this.#isForgotten || this.#engineEnds) {
      return;
    }
    if (readBytes === expected && hash.digest('hex') === this.#stream.sha256(expected)) {
      tally.bytesReadBack += readBytes;
    } else {
      tally.fault('changed', `${this.#describe()}: ${readBytes} of ${expected} bytes could be read again, or others`);
    }
  }

  #checkVisitors(visitors: readonly Visitor[], heard: Heard): void {
    const { tally, planted } = this.#options;
    for (const { endOffset } of visitors) {
      if (endOffset !== null && endOffset !== heard.bytes + planted.droppedBytes) {
        tally.fault('gap', `${this.#id}: a visitor had or knew of ${endOffset} of ${heard.bytes} bytes at the end`);
      }
    }
  }

  async #forget(by: EndedBy): Promise<void> {
    this.#gone.abort();
    if (!this.#isForgotten && !this.#engineEnds) {
      this.#isForgotten = true;
      await this.#options.engine.close(this.#id, by);
    }
  }

  #ledger(): Ledger {
    let bytes: Buffer;
    try {
      bytes = readFileSync(this.#ledgerFile);
    } catch {
      // It was ended before it could begin.
      return { bytes: 0, endedAtNs: null };
    }
    return {
      bytes: bytes.length >= 8 ? Number(bytes.readBigUInt64LE(0)) : 0,
      endedAtNs: bytes.length >= 16 ? bytes.readBigUInt64LE(8) : null,
    };
  }

  #describe(): string {
    const { backend, stream, end } = this.#options.plan;
    return `${this.#id} (${backend} ${stream}, ended by ${this.#engineEnds ? 'dispose' : end.kind})`;
  }

  /** The result, or a fault when there is no sign of it for too long. */
  #inTime<Result>(result: Promise<Result>, what: string): Promise<Result> {
    let isThere = false;
    const noted = result.finally(() => {
      isThere = true;
    });
    return Promise.race([noted, this.#givenUp(what, () => isThere)]);
  }

  async #givenUp(what: string, isThere: () => boolean): Promise<never> {
    const { plan, tally } = this.#options;
    const silentMs = Math.max(plan.lingerMs, plan.pauseMs) + HUNG_AFTER_MS;
    for (let leftMs = silentMs; leftMs > 0; leftMs = this.#lastSignAt + silentMs - performance.now()) {
      await this.#timer(leftMs);
    }
    if (!isThere()) {
      tally.fault('hung', `${this.#describe()}: ${what}; ${this.#ledger().bytes} of ${plan.bytes} bytes were printed`);
    }
    throw new Error('given up');
  }

  /** Resolves after the time, unless the session is over before: then never. */
  #timer(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        resolve();
      }, ms);
      this.#timers.add(timer);
    });
  }

  #clearTimers(): void {
    for (const timer of this.#timers) {
      clearTimeout(timer);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
