import { describe, expect, it } from 'vitest';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';
import {
  commandText,
  endSentence,
  folderWords,
  keyboardWords,
  shortKeyboardWords,
  needsLook,
  sessionTitle,
  shortText,
  shownFolder,
  shownProgress,
  sizeWords,
  stateLook,
  stateWords,
  tabName,
  usageWords,
} from './session-text.ts';

describe('the title of a session', () => {
  it.each([
    [['/bin/zsh'], 'zsh'],
    [['/usr/bin/bash', '-l'], 'bash'],
    [['/bin/bash', '-lc', 'npm  test\n'], 'npm test'],
    [['sh', '-c', 'make', 'extra'], 'make'],
    [['bash', 'script.sh'], 'bash script.sh'],
    [['/usr/bin/git', 'status'], 'git status'],
    [['C:\\Windows\\cmd.exe'], 'cmd.exe'],
    [['/'], '/'],
  ])('of %j is %j', (argv, title) => {
    expect(sessionTitle(exampleSession({ argv, title: null }))).toBe(title);
  });

  it('has of a long command its begin and its end, and no half of a character', () => {
    const script = `set -e\n${'make all\n'.repeat(300)}make deploy`;
    const title = sessionTitle(exampleSession({ argv: ['bash', '-c', script], title: null }));
    expect(title).toBe('set -e make all make all make all make all make all…make all make deploy');
    expect(title.length).toBeLessThanOrEqual(80);
    const other = sessionTitle(exampleSession({ argv: ['bash', '-c', `${script} --dry-run`], title: null }));
    expect(other).not.toBe(title);
    const exact = 'x'.repeat(80);
    expect([sessionTitle(exampleSession({ argv: [exact], title: null })), shortText(`${exact}x`)]).toEqual([
      exact,
      `${'x'.repeat(55)}…${'x'.repeat(24)}`,
    ]);
    for (const before of ['', ' ']) {
      expect(shortText(before + '😀'.repeat(100))).toMatch(/^ ?(?:😀)+…(?:😀)+$/u);
    }
  });

  it('tells of what would reorder or hide text, and holds none of it', () => {
    expect(sessionTitle(exampleSession({ argv: ['echo', 'a\u202Eb\u0007\u001B[31m'], title: null }))).toBe(
      'echo a\\u202eb\\u0007\\u001b[31m',
    );
  });
});

describe('a shell of the person', () => {
  const inFolder = (path: string, over: Parameters<typeof exampleSession>[0] = {}, host: string | null = null) =>
    exampleSession({ argv: ['/bin/bash', '-l'], folder: { path, host, isHome: path === '/home/ada' }, ...over });

  it.each([
    ['the folder it is in', inFolder('/srv/web'), 'bash: web'],
    ['nothing more at home', inFolder('/home/ada'), 'bash'],
    ['the root', inFolder('/'), 'bash: /'],
    ['a folder of another machine', inFolder('/srv/web', {}, 'build-3'), 'bash: web on build-3'],
    ['what would hide or turn text, written out', inFolder('/srv/a\n\u202Eb'), String.raw`bash: a\n\u202eb`],
    ['a long name cut', inFolder(`/srv/${'a'.repeat(200)}`), `bash: ${'a'.repeat(55)}…${'a'.repeat(24)}`],
    ['the name it was given', inFolder('/srv/web', { title: 'mine' }), 'mine'],
    ['what it runs', inFolder('/srv/web', { argv: ['/bin/bash', '-c', 'make'] }), 'make'],
    ['nothing but its command as an agent’s', inFolder('/srv/web', { origin: CODEX }), 'bash'],
  ])('is called by %s', (_by, session, title) => {
    expect(sessionTitle(session)).toBe(title);
  });

  it('is said to be where it is now, where it was started, and by whom that is known', () => {
    const cwd = '/home/ada';
    expect([
      folderWords(exampleSession({ cwd })),
      folderWords(inFolder(cwd, { cwd })),
      folderWords(inFolder('/srv', { cwd })),
      folderWords(inFolder('/srv', { cwd, ...ended(0) })),
      folderWords(inFolder('/srv', { cwd }, 'build-3')),
    ]).toEqual([
      'Started in /home/ada',
      'Started in /home/ada',
      'Now in /srv; started in /home/ada',
      'Last seen in /srv; started in /home/ada',
      'Now in build-3:/srv, as a program there says; started in /home/ada',
    ]);
    expect([shownFolder(exampleSession({ cwd })), shownFolder(inFolder('/a\u202Eb'))]).toEqual([cwd, '/a\\u202eb']);
  });
});

describe('a session that was given a name', () => {
  it('is called by it', () => {
    expect(sessionTitle(exampleSession({ argv: ['zsh'], title: 'web\u202E build' }))).toBe('web\\u202e build');
    const session = exampleSession({ title: 'web build', origin: CODEX });
    expect(tabName(session, null)).toBe('web build, codex, running');
    expect(tabName(session, 'b')).toBe('web build · b, codex, running');
  });
});

describe('who may type', () => {
  it.each([
    ['codex holds the keyboard', 'codex', { origin: CODEX, keyboard: 'agent' }],
    ['You hold the keyboard', 'You', { origin: CODEX, keyboard: 'person' }],
    ['No terminal: nothing can be typed here', 'No terminal', { origin: CODEX, backend: 'pipe', size: null }],
    [null, null, { origin: CODEX, keyboard: 'agent', ...ended(0) }],
  ] as const)('%s; in few words: %s', (words, short, over) => {
    expect(keyboardWords(exampleSession(over))).toBe(words);
    expect(shortKeyboardWords(exampleSession(over))).toBe(short);
  });
});

describe('the size', () => {
  it('is told with whose it is', () => {
    const session = exampleSession({ origin: CODEX });
    expect([sizeWords(session, false), sizeWords(session, true)]).toEqual(['80×24 set by codex', '80×24 set by you']);
    expect(sizeWords(exampleSession({ size: null }), false)).toBe('pipes, no terminal');
  });
});

describe('the whole command', () => {
  it('quotes what is more than a word, and shows the code of what would reorder text', () => {
    expect(commandText({ argv: ['git', 'commit', '-m', 'two words', '\u202E'] })).toBe(
      'git commit -m "two words" "\\u202e"',
    );
  });
});

describe('the accessible name of a tab', () => {
  it('says what runs, who asked for it, and its state', () => {
    const session = exampleSession({ argv: ['/bin/bash', '-lc', 'npm test'], origin: CODEX, ...ended(1) });
    expect(tabName(session)).toBe('npm test, codex, exited 1');
    expect(tabName(exampleSession())).toBe('zsh, you, running');
  });

  it('calls another client by the name it gave itself', () => {
    expect(tabName(exampleSession({ origin: { ...CODEX, client: 'my-agent' } }))).toBe('zsh, my-agent, running');
  });
});

describe('the state', () => {
  it('of one whose agent asks for a person says so before all else, until it has ended', () => {
    const attention = { id: 'a', kind: 'ask', message: 'look', askedAtMs: 1, untilMs: 2 } as const;
    const waitingFor = { kind: 'password', pid: 1, program: 'x', echo: null, canonical: null } as const;
    const progress = { kind: 'normal', percent: 40 } as const;
    const asking = { origin: CODEX, attention, waitingFor, progress };
    const told = [{}, { state: 'starting' } as const, ended(0)].map((facts) => {
      const session = exampleSession({ ...asking, ...facts });
      return [stateWords(session), stateLook(session), shownProgress(session)];
    });
    expect(told).toEqual([
      ['needs you', 'asking', null],
      ['needs you', 'asking', null],
      ['exited 0', 'succeeded', null],
    ]);
    expect(tabName(exampleSession(asking))).toBe('zsh, codex, needs you');
  });

  it.each([
    ['starting', { state: 'starting' }, 'starting', 'starting'],
    ['running', {}, 'running', 'running'],
    ['success', ended(0), 'exited 0', 'succeeded'],
    ['a code', ended(101), 'exited 101', 'failed'],
    ['a signal', ended(null, 'SIGKILL'), 'killed SIGKILL', 'killed'],
    ['a signal from the person', { ...ended(null, 'SIGTERM'), endedBy: 'person' }, 'killed SIGTERM', 'stopped'],
    ['the end of the app', { ...ended(null, 'SIGHUP'), endedBy: 'host' }, 'killed SIGHUP', 'stopped'],
    ['a kill of the app', { ...ended(null), state: 'lost' }, 'lost', 'lost'],
    ['an unknown end', ended(null), 'exit unknown', 'unknown'],
    ['an end without a status', { ...ended(0), exit: null }, 'exit unknown', 'unknown'],
    ['no start', { state: 'failed' }, 'failed to start', 'not-started'],
  ] as const)('of %s has words and a look', (_case, facts, words, look) => {
    const session = exampleSession(facts);
    expect([stateWords(session), stateLook(session)]).toEqual([words, look]);
  });

  it.each([
    ['password', CODEX, 'waits: password'],
    ['repl', CODEX, 'waits: command'],
    ['repl', { kind: 'person' }, 'running'],
    ['keys', CODEX, 'waits: keys'],
    ['keys', { kind: 'person' }, 'running'],
    ['pager', { kind: 'person' }, 'running'],
    ['password', { kind: 'person' }, 'waits: password'],
    ['busy', CODEX, 'running'],
    ['unknown', CODEX, 'running'],
  ] as const)('of one that waits for %s says so, where that is news', (kind, origin, words) => {
    const waitingFor = { kind, pid: 1, program: 'x', echo: null, canonical: null };
    expect(stateWords(exampleSession({ waitingFor, origin }))).toBe(words);
    expect(stateWords(exampleSession({ waitingFor, origin, ...ended(0) }))).toBe('exited 0');
  });

  it.each([
    ['normal', 40, 'running 40%'],
    ['indeterminate', null, 'working'],
    ['paused', 40, 'paused at 40%'],
    ['paused', null, 'paused'],
    ['error', 7, 'error at 7%'],
  ] as const)('of one whose program says %s, %s, is told by it, until it waits or ends', (kind, percent, words) => {
    const progress = { kind, percent };
    const waitingFor = { kind: 'line', pid: 1, program: 'x', echo: null, canonical: null } as const;
    expect(stateWords(exampleSession({ progress }))).toBe(words);
    expect(stateWords(exampleSession({ progress, waitingFor }))).toBe('waits: line');
    expect(stateWords(exampleSession({ progress, ...ended(0) }))).toBe('exited 0');
  });

  it('deserves a look when it is a bad end that the person did not ask for', () => {
    expect(needsLook(exampleSession())).toBe(false);
    expect(needsLook(exampleSession(ended(0)))).toBe(false);
    expect(needsLook(exampleSession(ended(2)))).toBe(true);
    expect(needsLook(exampleSession(ended(null)))).toBe(true);
    expect(needsLook(exampleSession({ state: 'failed' }))).toBe(true);
    expect(needsLook(exampleSession({ ...ended(null, 'SIGTERM'), endedBy: 'person' }))).toBe(false);
    expect(needsLook(exampleSession({ ...ended(null, 'SIGHUP'), endedBy: 'host' }))).toBe(false);
    expect(needsLook(exampleSession({ ...ended(null), state: 'lost' }))).toBe(false);
  });
});

describe('the sentence about the end', () => {
  it('says which limit ended it, and what outlived it', () => {
    const limitHit = {
      limit: 'cpu',
      maximum: 1,
      measured: 1.2,
      enforcedBy: 'host',
      ended: 'child',
      message: 'Ended by its CPU limit: it used 1.2 seconds of CPU time; the limit is 1 second.',
    } as const;
    expect(endSentence(exampleSession({ ...ended(null, 'SIGTERM'), endedBy: 'limit', limitHit }))).toBe(
      'ended by its CPU limit: it used 1.2 seconds of CPU time; the limit is 1 second',
    );
    const message = 'Ended by its output limit: it printed 114.7 kB; the limit is 100 kB.';
    const flood = { ...limitHit, limit: 'output', measured: 114_700, maximum: 100_000, message } as const;
    expect(endSentence(exampleSession({ ...ended(null, 'SIGTERM'), endedBy: 'limit', limitHit: flood }))).toBe(
      'ended by its output limit: it had printed 114.7 kB by then; the limit is 100 kB',
    );
    const later = { ...limitHit, ended: 'survivors', message: 'What outlived its child was ended.' } as const;
    expect(endSentence(exampleSession({ ...ended(0), endedBy: 'child', limitHit: later }))).toBe(
      'exited with code 0 after 1.2 s; what outlived its child was ended',
    );
    expect(endSentence(exampleSession({ ...ended(0), treeEmpty: false }))).toBe(
      'exited with code 0 after 1.2 s; something it started still runs',
    );
  });

  it.each([
    ['a code', ended(3), 'exited with code 3 after 1.2 s'],
    ['a kill by the person', { ...ended(null, 'SIGTERM'), endedBy: 'person' }, 'killed by SIGTERM by you after 1.2 s'],
    ['a kill by nobody known', ended(null, 'SIGSEGV'), 'killed by SIGSEGV after 1.2 s'],
    [
      'a kill by the agent',
      { ...ended(null, 'SIGKILL'), endedBy: 'agent', origin: CODEX },
      'killed by SIGKILL by codex after 1.2 s',
    ],
    [
      'a code after the host ended it',
      { ...ended(0), endedBy: 'host' },
      'exited with code 0, ended with Shellscope after 1.2 s',
    ],
    [
      'a signal by the end of the app',
      { ...ended(null, 'SIGHUP'), endedBy: 'host' },
      'ended with Shellscope by SIGHUP after 1.2 s',
    ],
    ['a kill of the app', { ...ended(null), endedAtMs: null, state: 'lost' }, 'lost: Shellscope was killed'],
    ['nothing known', ended(null), 'exited, code unknown after 1.2 s'],
    ['no end time', { ...ended(0), endedAtMs: null }, 'exited with code 0'],
    [
      'output still open',
      { ...ended(0), state: 'exited' },
      'exited with code 0 after 1.2 s; something it started still holds its output open',
    ],
    ['no start', { state: 'failed', failure: 'nope was not found' }, 'could not start: nope was not found'],
  ] as const)('tells %s', (_case, facts, sentence) => {
    expect(endSentence(exampleSession(facts))).toBe(sentence);
  });

  it('does not exist while the child runs', () => {
    expect(endSentence(exampleSession())).toBeNull();
  });
});

describe('what a session uses', () => {
  const usage = { processes: 1, cpuMs: 5, lifetimeMs: 10, idleMs: 0 };
  it.each([
    [{ cpuPercent: null, residentBytes: 61_000_000 }, '61.0 MB'],
    [{ cpuPercent: 4.4, residentBytes: 61_000_000 }, 'CPU 4% · 61.0 MB'],
    // In the middle of an exec a process has no memory; it is no fact of the session's.
    [{ cpuPercent: 4.4, residentBytes: 0 }, null],
  ])('of %j is %s', (measured, words) => {
    expect(usageWords({ ...usage, ...measured })).toBe(words);
  });
});
