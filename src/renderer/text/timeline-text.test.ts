import { describe, expect, it } from 'vitest';
import type { Act, Actor, TimelineEntry } from '../../shared/timeline.ts';
import { clockText, entryDetail, entryWords, inputWords, refusalWords } from './timeline-text.ts';

const person: Actor = { kind: 'person' };
const codex: Actor = { kind: 'agent', client: 'codex-environment' };
const entry = (number: number, by: Actor, act: Act): TimelineEntry => ({
  number,
  atMs: Date.UTC(2026, 0, 1, 12, 0, number),
  by,
  act,
  offset: 0,
});

describe('an act in words', () => {
  it.each<[string, Actor, Act]>([
    ['codex ran npm test', codex, { kind: 'started', callId: null, threadId: null }],
    ['codex typed 12 B', codex, { kind: 'wrote', times: 1, bytes: 12 }],
    [
      'Shellscope could not start it: no such program on PATH (/bin)',
      { kind: 'host' },
      { kind: 'not-started', why: 'cannot start `gti`: no such program on PATH (/bin)' },
    ],
    // As it was kept by earlier versions.
    ['you typed what the terminal does not show', person, { kind: 'wrote', times: 2, bytes: null }],
    ['the terminal answered the program', { kind: 'terminal' }, { kind: 'replied', times: 1, bytes: 9 }],
    ['the terminal answered the program (40 times)', { kind: 'terminal' }, { kind: 'replied', times: 40, bytes: 360 }],
    ['codex tried to type and was refused', codex, { kind: 'write-refused' }],
    [
      'Shellscope asked whether it may run: it writes outside',
      { kind: 'host' },
      { kind: 'judged', verdict: 'ask', why: 'it writes outside', decidedBy: 'doubt' },
    ],
    ['you allowed it for this session', { kind: 'host' }, { kind: 'answered', answer: 'session', by: 'window' }],
    [
      'you, on the command line, refused it',
      { kind: 'host' },
      { kind: 'answered', answer: 'refuse', by: 'command line' },
    ],
    ['the time limit refused it', { kind: 'host' }, { kind: 'answered', answer: 'refuse', by: 'time-limit' }],
    [
      'Shellscope kept it from example.org:443, which its sandbox may not reach',
      { kind: 'host' },
      { kind: 'host-refused', host: 'example.org', port: 443, why: 'not-listed', times: 1 },
    ],
    [
      'Shellscope kept it from example.org:443, which has no public address (10 times)',
      { kind: 'host' },
      { kind: 'host-refused', host: 'example.org', port: 443, why: 'not-public', times: 10 },
    ],
    ['codex read 2.1 kB (3 times)', codex, { kind: 'read', times: 3, bytes: 2_100 }],
    ['you took the keyboard', person, { kind: 'took-keyboard' }],
    ['you gave the keyboard back', person, { kind: 'gave-keyboard-back', why: 'asked' }],
    ['you gave the keyboard back by not typing', person, { kind: 'gave-keyboard-back', why: 'idle' }],
    ['you made it 120×40', person, { kind: 'resized', size: { cols: 120, rows: 40 } }],
    ['codex named it web build', codex, { kind: 'titled', title: 'web build' }],
    ['codex took its name away', codex, { kind: 'titled', title: null }],
    ['codex sent SIGINT', codex, { kind: 'signalled', signal: 'SIGINT' }],
    ['codex closed its input', codex, { kind: 'closed-input' }],
    ['you asked it to end', person, { kind: 'asked-to-end' }],
    [
      'Shellscope found it over its output limit: it printed 2 kB',
      { kind: 'host' },
      { kind: 'hit-limit', message: 'Over its output limit: it printed 2 kB.' },
    ],
    ['Shellscope ended it: ended after 1 s', { kind: 'host' }, { kind: 'hit-limit', message: 'Ended after 1 s.' }],
    ['the program exited with code 3', { kind: 'child' }, { kind: 'exited', exit: { exitCode: 3, signal: null } }],
    [
      'the program was killed by SIGKILL',
      { kind: 'child' },
      { kind: 'exited', exit: { exitCode: null, signal: 'SIGKILL' } },
    ],
    ['the program exited, code unknown', { kind: 'child' }, { kind: 'exited', exit: { exitCode: null, signal: null } }],
    ['the program closed its output', { kind: 'child' }, { kind: 'output-closed' }],
  ])('%s', (words, by, act) => {
    expect(entryWords({ by, act }, 'npm test')).toBe(words);
  });

  it('has the names of the client’s own call beside it', () => {
    const started = (callId: string | null, threadId: string | null) =>
      entryDetail({ act: { kind: 'started', callId, threadId } });
    expect([started('c1', 't1'), started('c1', null), started(null, null)]).toEqual([
      'call c1 · thread t1',
      'call c1',
      null,
    ]);
    expect(started('call_7', 'thread-2')).toBe('call_7 · thread-2');
    expect(started('callback', 'threads')).toBe('call callback · thread threads');
    expect(entryDetail({ act: { kind: 'took-keyboard' } })).toBeNull();
  });
});

describe('a refused write', () => {
  const taken = entry(2, person, { kind: 'took-keyboard' });
  const refused = (number: number) => entry(number, codex, { kind: 'write-refused' });

  it('is told with its time while the person holds the keyboard', () => {
    const entries = [taken, refused(3), entry(4, person, { kind: 'wrote', times: 1, bytes: 1 }), refused(5)];
    expect(refusalWords(entries)).toBe(`codex tried to type at ${clockText(entries[3]?.atMs ?? 0)}; refused`);
  });

  it('is no news of an earlier time', () => {
    expect(refusalWords([refused(1), taken])).toBeNull();
    expect(refusalWords([])).toBeNull();
  });
});

describe('spans of input', () => {
  it('are told one by one with their time, and many of them by their number', () => {
    const typed = entry(1, codex, { kind: 'wrote', times: 1, bytes: 12 });
    expect(inputWords([typed])).toEqual([`codex typed 12 B · ${clockText(typed.atMs)}`]);
    const many = Array.from({ length: 11 }, (_, number) =>
      entry(number, person, { kind: 'wrote', times: 1, bytes: 1 }),
    );
    expect(inputWords(many)).toHaveLength(9);
    expect(inputWords(many).at(-1)).toBe('and 3 more');
  });
});
