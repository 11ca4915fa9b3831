import { constants } from 'node:os';
import type { ControlClient, FollowMessage } from '../protocol/control/control-client.ts';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import { CliError, EXIT } from './cli-error.ts';

/** Input in one request, in bytes. */
const WRITE_BYTES = 256 * 1024;

/** Output on its way to this process, sent and not yet dealt with, in bytes. */
const CREDIT_BYTES = 1024 * 1024;

/** Sends the input of this process on, in order, as fast as the child takes it. */
export class InputPump {
  readonly #host: ControlClient;
  readonly #session: SessionId;
  #last: Promise<unknown> = Promise.resolve();

  constructor(host: ControlClient, session: SessionId) {
    this.#host = host;
    this.#session = session;
  }

  /** Resolves when the child's input has it. Never rejects: a child that ended needs none, and a lost host is told elsewhere. */
  write(bytes: Uint8Array): Promise<unknown> {
    for (let at = 0; at < bytes.length; at += WRITE_BYTES) {
      const base64 = Buffer.from(bytes.subarray(at, at + WRITE_BYTES)).toString('base64');
      const sent = this.#host.request('write', { session: this.#session, base64 }).catch(() => {});
      this.#last = Promise.all([this.#last, sent]);
    }
    return this.#last;
  }

  /** Ends the child's stdin after what was written. */
  end(): Promise<unknown> {
    return this.#host.request('close-input', { session: this.#session }).catch(() => {});
  }
}

/** Tells of this process's stdin. `onEnd` comes once. */
export function onStdin({ onBytes, onEnd }: { onBytes: (bytes: Buffer) => void; onEnd: () => void }): void {
  const { stdin } = process;
  let hasEnded = false;
  const end = () => {
    if (!hasEnded) {
      hasEnded = true;
      onEnd();
    }
  };
  stdin.on('data', onBytes);
  stdin.once('end', end);
  // EIO: the terminal is gone, or this process is in its background.
  stdin.once('error', end);
}

/** What a follow ended with. */
export interface Followed {
  /** Bytes that were evicted before they could be had. */
  readonly goneBytes: number;
}

/** Gives a session's output out until it has ended. Rejects when the host ends before. */
export function followToEnd(
  host: ControlClient,
  session: SessionId,
  options: {
    readonly from: 'start' | 'now' | { readonly tail: number };
    readonly holdsChild: boolean;
    readonly onOutput: (output: Extract<FollowMessage, { kind: 'output' }>) => void;
  },
): Promise<Followed> {
  return new Promise((resolve, reject) => {
    let goneBytes = 0;
    host.onGone = () => reject(new CliError(`the host ended, and session ${session} with it`, EXIT.noHost));
    const { from, holdsChild, onOutput } = options;
    host
      .follow({ session, from, creditBytes: CREDIT_BYTES, holdsChild }, (message) => {
        switch (message.kind) {
          case 'output':
            onOutput(message);
            break;
          case 'gap':
            goneBytes += message.bytes ?? 0;
            break;
          case 'exited':
            break;
          case 'closed':
            resolve({ goneBytes });
            break;
        }
      })
      .catch(reject);
  });
}

/** The exit code of a process that stands for a session's child; a code that nobody knows is a failure. */
export function exitCodeOf({ exit }: Pick<SessionInfo, 'exit'>): number {
  if (exit?.signal) {
    const number = (constants.signals as Readonly<Record<string, number>>)[exit.signal] ?? 0;
    return EXIT.bySignal + number;
  }
  return exit?.exitCode ?? EXIT.failed;
}
