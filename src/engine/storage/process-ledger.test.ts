import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, describe, expect } from 'vitest';
import { silentLogger } from '../../shared/logger.ts';
import { parseLedger, ProcessLedger, type LedgerHost } from './process-ledger.ts';

const test = base.extend<{ folder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'shellscope-'));
    try {
      await use(join(folder, 'hosts'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
});

const host = (hostId: string): LedgerHost => ({ hostId, pid: 100, startTime: '7', machine: 'here', boot: 'b' });
const session = (number: number) => ({
  sessionId: `session-${number}`,
  pid: 200 + number,
  startTime: '8',
  mark: `h:session-${number}`,
});

describe('the ledger of what runs', () => {
  test('tells another host which sessions did not end', async ({ folder }) => {
    const first = ProcessLedger.open(folder, host('first'), silentLogger);
    first.sessionStarted(session(1));
    first.sessionStarted({ ...session(2), startTime: null });
    first.sessionEnded('session-1');
    const second = ProcessLedger.open(folder, host('second'), silentLogger);
    expect(await second.otherHosts()).toEqual([{ ...host('first'), sessions: [{ ...session(2), startTime: null }] }]);
    expect(await first.otherHosts()).toEqual([{ ...host('second'), sessions: [] }]);
    first.close();
    second.close();
  });

  test('is for its owner only', ({ folder }) => {
    const ledger = ProcessLedger.open(folder, host('first'), silentLogger);
    expect(statSync(join(folder, 'first.jsonl')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    ledger.close();
  });

  test('goes with a host whose sessions all ended, and stays with one of which something runs', async ({ folder }) => {
    const first = ProcessLedger.open(folder, host('first'), silentLogger);
    first.sessionStarted(session(1));
    const second = ProcessLedger.open(folder, host('second'), silentLogger);
    second.sessionStarted(session(2));
    second.sessionEnded('session-2');
    second.sessionEnded('session-2');
    first.close();
    second.close();
    expect(readdirSync(folder)).toEqual(['first.jsonl']);
    const third = ProcessLedger.open(folder, host('third'), silentLogger);
    await third.forget('first');
    await third.forget('third');
    await third.forget('../third');
    expect(readdirSync(folder)).toEqual(['third.jsonl']);
    third.close();
  });

  test('survives any cut of its last line', ({ folder }) => {
    const ledger = ProcessLedger.open(folder, host('first'), silentLogger);
    ledger.sessionStarted(session(1));
    ledger.sessionStarted(session(2));
    ledger.close();
    const text = readFileSync(join(folder, 'first.jsonl'), 'utf8');
    const lines = text.split('\n');
    const afterOne = `${lines[0]}\n${lines[1]}`.length;
    for (let length = 0; length <= text.length; length += 1) {
      const record = parseLedger(text.slice(0, length));
      const whole = [lines[0]!.length, afterOne, text.length - 1].filter((end) => length >= end).length;
      expect(record?.sessions.length ?? null).toBe(whole === 0 ? null : whole - 1);
    }
  });

  test('skips what it does not know, and a file that is no ledger', async ({ folder }) => {
    const first = ProcessLedger.open(folder, host('first'), silentLogger);
    appendFileSync(join(folder, 'first.jsonl'), '{"started":{"sessionId":"x","pid":-1}}\nnull\n{"later":1}\n');
    first.sessionStarted(session(1));
    writeFileSync(join(folder, 'junk.jsonl'), '\0\0\0');
    writeFileSync(join(folder, 'copy.jsonl'), readFileSync(join(folder, 'first.jsonl')));
    const second = ProcessLedger.open(folder, host('second'), silentLogger);
    expect(await second.otherHosts()).toEqual([{ ...host('first'), sessions: [session(1)] }]);
    first.close();
    second.close();
  });

  test('stays small however many sessions end, and goes on after it was written anew', async ({ folder }) => {
    const first = ProcessLedger.open(folder, host('first'), silentLogger);
    first.sessionStarted(session(0));
    for (let number = 1; number <= 1_200; number += 1) {
      first.sessionStarted(session(number));
      first.sessionEnded(`session-${number}`);
    }
    first.sessionStarted(session(1_201));
    expect(statSync(join(folder, 'first.jsonl')).size).toBeLessThan(100_000);
    expect(statSync(join(folder, 'first.jsonl')).mode & 0o777).toBe(0o600);
    const second = ProcessLedger.open(folder, host('second'), silentLogger);
    expect((await second.otherHosts())[0]?.sessions).toEqual([session(0), session(1_201)]);
    expect(readdirSync(folder)).toEqual(['first.jsonl', 'second.jsonl']);
    first.close();
    second.close();
  });

  test('a host that can no longer write it is told so once, and goes on', ({ folder }) => {
    const warnings: string[] = [];
    const log = { ...silentLogger, warn: (message: string) => warnings.push(message) };
    const ledger = ProcessLedger.open(folder, host('first'), log);
    rmSync(folder, { recursive: true });
    for (let number = 1; number <= 1_000; number += 1) {
      ledger.sessionStarted(session(number));
      ledger.sessionEnded(`session-${number}`);
    }
    expect(warnings).toEqual(['what runs cannot be recorded: after a crash it is found by its mark only']);
    ledger.close();
  });
});
