import { lookAtProcess } from '../../src/engine/backend/process-table.ts';
import { BudgetWatch } from '../../src/engine/budget/budget-watch.ts';
import { checkedLimits } from '../../src/engine/budget/session-budget.ts';
import type { BudgetHit, SessionLimits } from '../../src/shared/budget.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import type { SessionId, SessionInfo } from '../../src/shared/session.ts';
import { test as engineTest } from './engine-world.ts';

/** An engine whose sessions have budgets. */
export interface BudgetWorld {
  readonly watch: BudgetWatch;
  /** All hits so far, in their order. */
  readonly hits: readonly (readonly [SessionId, BudgetHit])[];
  /** Starts a child on pipes with limits; the session is ended when it hits one. */
  start(argv: readonly string[], limits: SessionLimits): Promise<SessionInfo>;
  /** Resolves with what the session hit. */
  hit(id: SessionId): Promise<BudgetHit>;
}

export const test = engineTest.extend<{ budgets: BudgetWorld }>({
  budgets: async ({ world }, use) => {
    const hits: [SessionId, BudgetHit][] = [];
    const waiting = new Set<() => void>();
    const endings: Promise<unknown>[] = [];
    const watch = new BudgetWatch({
      log: silentLogger,
      onHit: (id, hit) => {
        hits.push([id, hit]);
        endings.push(world.engine.terminate(id, 'host'));
        waiting.forEach((wake) => wake());
      },
    });
    const start = async (argv: readonly string[], limits: SessionLimits) => {
      const info = await world.start(argv, { backend: { kind: 'pipe', stdin: false } });
      const pid = info.pid ?? 0;
      const startTime = lookAtProcess(pid)?.startTime ?? null;
      watch.add({ id: info.id, leader: { pid, startTime }, limits: checkedLimits({ ...limits }) });
      const handle = world.engine.follow(info.id, {
        afterSeq: 0,
        creditBytes: 1024 * 1024,
        holdsChildMs: 0,
        onEvent: (event) => {
          if (event.kind === 'output') {
            watch.output(info.id, event.bytes.length);
            // Not within the telling itself, where the handle of what is retained already is not known yet.
            queueMicrotask(() => handle.ack(event.offset + event.bytes.length));
          }
        },
      });
      return info;
    };
    const hit = async (id: SessionId) => {
      for (;;) {
        const found = hits.find(([hitId]) => hitId === id);
        if (found !== undefined) {
          return found[1];
        }
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    };
    try {
      await use({ watch, hits, start, hit });
    } finally {
      watch.dispose();
      await Promise.all(endings);
    }
  },
});
