import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test as base } from 'vitest';
import { lookAtProcess } from '../../src/engine/backend/process-table.ts';
import type { Leader } from '../../src/engine/backend/process-tree.ts';
import { newHostId, sessionMark, withSessionMark } from '../../src/engine/backend/session-mark.ts';
import { isRunning } from './is-running.ts';

export interface StartedTree {
  readonly child: ChildProcess;
  readonly leader: Leader;
  readonly sessionId: string;
  readonly mark: string;
  /** The next line that the leader, or what it started, prints. Rejects when none can come any more. */
  line(): Promise<string>;
  /** Resolves when the leader has ended and was reaped. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Real trees, marked as sessions of one host. Whatever of them a test leaves is killed after it. */
export interface TreeWorld {
  readonly hostId: string;
  /** Starts the leader of a session, on pipes. */
  start(argv: readonly string[]): StartedTree;
  /**
   * Same, by a script of bash; without start-up file, which it reads when its stdin is a socket (rshd is meant).
   */
  script(text: string): StartedTree;
  /** Processes that run and carry a mark of this host, by nothing but a look of the test's own. */
  marked(): readonly number[];
  /** For what no longer carries it. */
  killAfterwards(pid: number): void;
}

export const test = base.extend<{ world: TreeWorld }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  world: async ({}, use) => {
    const hostId = newHostId();
    const others: number[] = [];
    const leaders: ChildProcess[] = [];
    const marked = () =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name) && isRunning(Number(name)) && environmentOf(name).includes(hostId))
        .map(Number);
    const start = (argv: readonly string[]) => {
      const started = startTree(argv, hostId, `session-${leaders.length + 1}`);
      leaders.push(started.child);
      return started;
    };
    try {
      await use({
        hostId,
        start,
        script: (text) => start(['/bin/bash', '--norc', '-c', text]),
        marked,
        killAfterwards: (pid) => others.push(pid),
      });
    } finally {
      leaders.forEach((leader) => leader.kill('SIGKILL'));
      for (let left = [...others, ...marked()]; left.length > 0; left = marked()) {
        left.forEach(kill);
      }
    }
  },
});

/**
 * Resolves when a fact of the system, which nobody tells, has become true. Rejects after ten seconds: no test's fact
 * takes as long.
 */
export async function until(isTrue: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!isTrue()) {
    if (performance.now() > deadline) {
      throw new Error(`waited in vain for ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function startTree(argv: readonly string[], hostId: string, sessionId: string): StartedTree {
  const mark = sessionMark(hostId, sessionId);
  const environment = withSessionMark({ PATH: process.env['PATH'] ?? '/usr/bin:/bin' }, mark, {});
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    detached: true,
    env: { ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const pid = child.pid ?? 0;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // A tree that is killed cannot read what is still to be written to it.
  child.stdin.on('error', () => {});
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    child,
    leader: { pid, startTime: lookAtProcess(pid)?.startTime ?? null },
    sessionId,
    mark,
    line: async () => {
      const next = await lines.next();
      if (next.done === true) {
        throw new Error(`${argv.join(' ')} printed no further line`);
      }
      return next.value;
    },
    exited: exited.then(([code, signal]) => ({ code, signal })),
  };
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    // It has ended.
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
