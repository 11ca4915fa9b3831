import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { listProcesses } from '../../src/engine/backend/process-table.ts';
import { MARK_NAME } from '../../src/engine/backend/session-mark.ts';
import { BudgetWatch } from '../../src/engine/budget/budget-watch.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import type { SessionId } from '../../src/shared/session.ts';

const SESSIONS = 200;
/** Of nobody's session, with an environment that is read once. */
const STRANGERS = 300;
const SAMPLES = 20;

/**
 * CPU time of one sample, in milliseconds, above which watching is no longer cheap: at the pace of a session that is
 * near its limit this would be two fifths of a core. Measured: 39 ms with 600 processes on a busy machine, which the distance is for.
 */
const MAX_SAMPLE_CPU_MS = 100;

test(`a sample of ${SESSIONS} sessions costs some milliseconds`, async () => {
  const children = Array.from({ length: SESSIONS + STRANGERS }, (_, index) =>
    spawn('sleep', ['600'], {
      detached: true,
      stdio: 'ignore',
      env: index < SESSIONS ? { ...process.env, [MARK_NAME]: `host:${index}` } : process.env,
    }),
  );
  onTestFinished(async () => {
    const ended = children.map((child) => new Promise((done) => child.once('exit', done)));
    children.forEach((child) => child.kill('SIGKILL'));
    await Promise.all(ended);
  });
  const watch = new BudgetWatch({ log: silentLogger, onHit: () => {} });
  onTestFinished(() => watch.dispose());
  children.slice(0, SESSIONS).forEach(({ pid = 0 }, index) =>
    watch.add({
      id: `session-${index}` as SessionId,
      leader: { pid, startTime: null },
      mark: `host:${index}`,
      limits: { memoryBytes: 1e9, processes: 10, cpuSeconds: 100 },
    }),
  );
  const costs: { wallMs: number; cpuMs: number }[] = [];
  for (let sample = 0; sample <= SAMPLES; sample += 1) {
    const cpu = process.cpuUsage();
    const began = performance.now();
    expect((await watch.usage()).size).toBe(SESSIONS);
    const { user, system } = process.cpuUsage(cpu);
    costs.push({ wallMs: performance.now() - began, cpuMs: (user + system) / 1_000 });
  }
  const median = (field: 'wallMs' | 'cpuMs') =>
    costs.map((cost) => cost[field]).toSorted((a, b) => a - b)[SAMPLES / 2] ?? Number.NaN;
  const first = costs.shift();
  process.stdout.write(
    `the first sample, which reads all environments: ${first?.cpuMs.toFixed(1)} ms of CPU; then one sample of ${SESSIONS} sessions, ${(await listProcesses()).length} processes: ` +
      `${median('cpuMs').toFixed(1)} ms of CPU, ${median('wallMs').toFixed(1)} ms of wall time (medians of ${SAMPLES})\n`,
  );
  expect(median('cpuMs')).toBeLessThan(MAX_SAMPLE_CPU_MS);
});
