import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SessionManager } from '../../src/engine/session/session-manager.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import { withoutLeftovers } from '../support/leftovers.ts';

const managerOf = (recordsReady?: Promise<unknown>) =>
  new SessionManager({
    hostEnvironment: process.env,
    log: silentLogger,
    hostId: 'test',
    record: { started() {}, ended() {} },
    recorder: null,
    ...(recordsReady === undefined ? {} : { recordsReady }),
  });

const touching = (file: string) =>
  ({
    argv: ['/bin/sh', '-c', `: > ${file}`],
    cwd: '/tmp',
    environment: { kind: 'exact', variables: { PATH: '/usr/bin:/bin' } },
    backend: { kind: 'pipe', stdin: false },
    origin: { kind: 'person' },
  }) as const;

test('no child runs before a record of it can be left for the next host', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shellscope-recorded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await withoutLeftovers(async () => {
    let ready = () => {};
    const waiting = managerOf(new Promise<void>((resolve) => (ready = resolve)));
    const other = managerOf();
    try {
      const start = waiting.start(touching(join(folder, 'waited')));
      // By then it would have run as well.
      const { id } = await other.start(touching(join(folder, 'at-once')));
      await other.wait({ condition: { kind: 'closed', session: id }, timeoutMs: 10_000 });
      const seen = [existsSync(join(folder, 'at-once')), existsSync(join(folder, 'waited'))];
      expect([...seen, waiting.list()[0]?.state]).toEqual([true, false, 'starting']);
      ready();
      const { id: started } = await start;
      await waiting.wait({ condition: { kind: 'closed', session: started }, timeoutMs: 10_000 });
      expect(existsSync(join(folder, 'waited'))).toBe(true);
    } finally {
      ready();
      await waiting.dispose();
      await other.dispose();
    }
  });
});
