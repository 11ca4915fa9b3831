import { createEngine } from '../../src/engine/engine.ts';
import type { BackendKind } from '../../src/shared/session.ts';
import { CHILD_ENVIRONMENT, type Contender } from './contender.ts';

/** Bytes on their way to a reader that counts them at once. */
const CREDIT_BYTES = 1024 * 1024;

/** The reader makes progress all the time, so this is never used up. Milliseconds. */
const HOLDS_CHILD_MS = 60_000;

/** The engine, as hosts use it, with a reader that misses nothing. What is printed is kept in the folder. */
export function engineContender(kind: BackendKind, folder: string): Contender {
  const engine = createEngine({ hostEnvironment: {}, transcripts: { folder } });
  return {
    name: `shellscope, ${kind}`,
    close: () => engine.dispose(),
    start: async (argv, onOutput) => {
      const { id } = await engine.start({
        argv,
        cwd: '/',
        environment: { kind: 'exact', variables: CHILD_ENVIRONMENT },
        backend: kind === 'pty' ? { kind } : { kind, stdin: true },
        origin: { kind: 'person' },
      });
      let toldExit: (atNs: bigint) => void;
      const exited = new Promise<bigint>((resolve) => {
        toldExit = resolve;
      });
      const closed = new Promise<void>((resolve) => {
        const handle = engine.follow(id, {
          afterSeq: 0,
          creditBytes: CREDIT_BYTES,
          holdsChildMs: HOLDS_CHILD_MS,
          onEvent: (event) => {
            switch (event.kind) {
              case 'output':
                onOutput(event.bytes.length);
                setImmediate(() => handle.ack(event.offset + event.bytes.length));
                break;
              case 'exited':
                toldExit(process.hrtime.bigint());
                break;
              case 'closed':
                resolve();
                break;
              case 'gap':
                throw new Error(`the reader missed ${event.bytes} bytes`);
            }
          },
        });
      });
      return {
        exited,
        over: closed.then(async () => {
          await engine.close(id, 'host');
        }),
        write: (text) => void engine.write(id, Buffer.from(text)),
        end: () => void engine.terminate(id, 'host'),
      };
    },
  };
}
