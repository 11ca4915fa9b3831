import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';
import { commandDetails, identityDetails, usageDetails, type SessionDetail } from './session-details.ts';
import { momentText } from './timeline-text.ts';

const USED = {
  id: 's1' as SessionId,
  cpuPercent: 4.4,
  residentBytes: 61_000_000,
  processes: 3,
  cpuMs: 2_040,
  lifetimeMs: 245_000,
  idleMs: 12_000,
};

const told = (details: readonly SessionDetail[]) => details.map(({ name, values }) => [name, ...values]);

describe('what a session is', () => {
  it('is told whole, also where the status bar cuts it', () => {
    const session = exampleSession({ argv: ['bash', '-c', 'a\nb'], origin: CODEX, sandbox: 'workspace-write' });
    expect(told(identityDetails({ session, isFitted: true, scale: 1 }))).toEqual([
      ['State', 'running'],
      ['Started', `${momentText(1_000)} by codex`],
      ['Process', '4121'],
      ['Terminal', '80×24 set by you'],
      ['Sandbox', 'workspace-write'],
      ['Folder', '/home/ada/src'],
    ]);
    expect(told(commandDetails({ session }))).toEqual([['Command', 'bash -c "a\\nb"']]);
  });

  it('has how it ended, and nothing that is not known', () => {
    const session = exampleSession({ ...ended(3), pid: null, size: null, backend: 'pipe' });
    expect(told(identityDetails({ session, isFitted: false, scale: 1 }))).toEqual([
      ['State', 'exited with code 3 after 1.2 s'],
      ['Started', `${momentText(1_000)} by you`],
      ['Terminal', 'pipes, no terminal'],
      ['Sandbox', 'none'],
      ['Folder', '/home/ada/src'],
    ]);
  });
});

describe('what a session uses', () => {
  it('is told with each limit that it has, and with all places where it can be reached', () => {
    const limits = { memoryBytes: 60_000_000, processes: 64, cpuSeconds: 60, outputBytes: 10_000_000, idleMs: 300_000 };
    const listening = [
      { protocol: 'tcp', address: '127.0.0.1', port: 5173 },
      { protocol: 'tcp', address: '::1', port: 5173 },
      { protocol: 'udp', address: '0.0.0.0', port: 53 },
      { protocol: 'tcp', address: '0.0.0.0', port: 8000 },
    ] as const;
    const used = { ...USED, listening };
    expect(told(usageDetails({ session: exampleSession({ limits }), used, outputBytes: 3_200_000 }))).toEqual([
      ['CPU', '4%'],
      ['CPU time', '2.0 s of 1 min'],
      ['Memory', '61.0 MB of 60 MB (shared pages count in each process)'],
      ['Processes', '3 of 64'],
      ['Output', '3.2 MB of 10 MB'],
      ['Running for', '4 min 5 s'],
      ['Idle for', '12.0 s of 5 min'],
      ['Listens on', '127.0.0.1:5173', '[::1]:5173', '0.0.0.0:8000'],
    ]);
  });

  it('is told as far as it is known', () => {
    const session = exampleSession({ limits: { memoryBytes: 512_000_000 } });
    expect(told(usageDetails({ session, used: undefined, outputBytes: 812 }))).toEqual([
      ['Memory', 'at most 512 MB'],
      ['Output', '812 B'],
    ]);
    const used = { ...USED, cpuPercent: null, listening: [] };
    expect(told(usageDetails({ session, used, outputBytes: 0 })).map(([name]) => name)).not.toContain('CPU');
    expect(told(usageDetails({ session, used, outputBytes: 0 })).at(-1)).toEqual(['Listens on', 'nothing']);
  });

  it('is nothing of one that never ran', () => {
    const session = exampleSession({ state: 'failed', pid: null, failure: 'There is no vim.' });
    expect(usageDetails({ session, used: undefined, outputBytes: 0 })).toEqual([]);
    const names = identityDetails({ session, isFitted: false, scale: 1 }).map(({ name }) => name);
    expect(names).toEqual(['State', 'Started', 'Sandbox', 'Folder']);
  });

  it('is of an ended one what it printed', () => {
    const session = exampleSession({ ...ended(0), limits: { memoryBytes: 512_000_000 } });
    expect(told(usageDetails({ session, used: USED, outputBytes: 812 }))).toEqual([['Output', '812 B']]);
  });
});
