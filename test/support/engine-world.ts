import { test as base } from 'vitest';
import { createEngine, type Engine, type EngineOptions, type StartRequest } from '../../src/engine/engine.ts';
import type { SessionId, SessionInfo } from '../../src/shared/session.ts';
import { withoutLeftovers } from './leftovers.ts';

/** What every test of the engine starts from. */
export interface EngineWorld {
  readonly engine: Engine;
  /** Starts a child with the host's environment in /tmp. */
  start(argv: readonly string[], request?: Partial<StartRequest>): Promise<SessionInfo>;
  /** Resolves when the session's output has ended. */
  closed(id: SessionId): Promise<SessionInfo>;
  /** All retained output as text. */
  text(id: SessionId): Promise<string>;
  /** Resolves when the retained output contains the text; rejects when the session closes without it. */
  printed(id: SessionId, text: string): Promise<string>;
}

/** A test with an engine of its own; afterwards none of its children may be left. */
export const test = base.extend<{ engineOptions: Partial<EngineOptions>; world: EngineWorld }>({
  engineOptions: {},
  world: async ({ engineOptions }, use) => {
    await withoutLeftovers(async () => {
      const engine = createEngine({ hostEnvironment: process.env, ...engineOptions });
      try {
        await use(worldOf(engine));
      } finally {
        await engine.dispose();
      }
    });
  },
});

function worldOf(engine: Engine): EngineWorld {
  const text = async (id: SessionId) => {
    const { chunks } = await engine.read(id, { afterSeq: 0, maxBytes: Number.POSITIVE_INFINITY, waitMs: 0 });
    return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString('utf8');
  };
  const until = async (id: SessionId, isReached: () => Promise<boolean>, what: string) => {
    let afterSeq = 0;
    while (!(await isReached())) {
      const result = await engine.read(id, { afterSeq, maxBytes: Number.POSITIVE_INFINITY, waitMs: 10_000 });
      if (result.nextSeq === afterSeq + 1 && !(await isReached())) {
        throw new Error(`${what} did not happen; printed so far: ${JSON.stringify(await text(id))}`);
      }
      afterSeq = result.nextSeq - 1;
    }
  };
  return {
    engine,
    start: (argv, request = {}) =>
      engine.start({
        argv,
        cwd: '/tmp',
        environment: {
          kind: 'inherit',
          from: 'all',
          excludeCredentials: false,
          exclude: [],
          set: {},
          includeOnly: [],
          overlay: {},
        },
        backend: { kind: 'pty' },
        origin: { kind: 'person' },
        ...request,
      }),
    closed: async (id) => {
      await until(id, async () => (await engine.get(id)).state === 'closed', `the close of ${id}`);
      return engine.get(id);
    },
    text,
    printed: async (id, wanted) => {
      await until(id, async () => (await text(id)).includes(wanted), `output ${JSON.stringify(wanted)}`);
      return text(id);
    },
  };
}
