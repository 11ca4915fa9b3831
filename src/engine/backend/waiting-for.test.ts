import { describe, expect, test } from 'vitest';
import { parseSttyModes } from './terminal-modes.ts';
import { decideWaiting, type WaitingFacts } from './waiting-for.ts';

const line = { echo: true, canonical: true, signals: true, enterIsNewline: true, extended: true };
const single = { ...line, echo: false, canonical: false };
const raw = { ...single, signals: false, enterIsNewline: false, extended: false };
const readline = { ...single, enterIsNewline: false };
const pty = { kind: 'pty', slavePath: '/dev/pts/0', screen: null } as const;
const waiter = { pid: 7, program: 'program', fd: 0, jobControl: false };
const first = { pid: 5, program: 'leader' };

function kindOf(facts: Partial<WaitingFacts>): string {
  return decideWaiting({ waiter, hidden: null, first, modes: line, place: pty, ...facts }).kind;
}

describe('what is waited for, from the facts', () => {
  test('the terminal in line mode: a line, hidden when echo is off', () => {
    expect(kindOf({ modes: line })).toBe('line');
    expect(kindOf({ modes: { ...line, echo: false } })).toBe('password');
  });

  test('single keys with all else left alone: a pager when it opened the terminal anew', () => {
    expect(kindOf({ modes: single })).toBe('keys');
    expect(kindOf({ modes: single, waiter: { ...waiter, fd: 3 } })).toBe('pager');
  });

  test('a terminal that was taken over: a line editor on the normal screen, else only keys', () => {
    for (const modes of [raw, readline]) {
      expect(kindOf({ modes, place: { ...pty, screen: 'normal' } })).toBe('repl');
      expect(kindOf({ modes, place: { ...pty, screen: 'alternate' } })).toBe('keys');
      expect(kindOf({ modes })).toBe('keys');
      expect(kindOf({ modes, waiter: { ...waiter, fd: 3 } })).toBe('keys');
    }
  });

  test('a shell with job control that reads is at its prompt, whatever a killed program left on the screen', () => {
    expect(kindOf({ modes: readline, waiter: { ...waiter, jobControl: true } })).toBe('repl');
    const place = { ...pty, screen: 'alternate' } as const;
    expect(kindOf({ modes: readline, waiter: { ...waiter, jobControl: true }, place })).toBe('repl');
  });

  test('nobody waits: busy, whatever the modes are', () => {
    expect(kindOf({ waiter: null })).toBe('busy');
    expect(kindOf({ waiter: null, modes: { ...line, echo: false } })).toBe('busy');
  });

  test('a process that may not be looked into is unknown, but for a hidden line', () => {
    const hidden = { pid: 9, program: 'sudo' };
    for (const modes of [line, single, raw, null]) {
      expect(kindOf({ waiter: null, hidden, modes })).toBe('unknown');
    }
    expect(decideWaiting({ waiter: null, hidden, first, modes: { ...line, echo: false }, place: pty })).toEqual({
      kind: 'password',
      pid: 9,
      program: 'sudo',
      echo: false,
      canonical: true,
    });
  });

  test('without the modes of the terminal it is unknown; on pipes there are none', () => {
    expect(kindOf({ modes: null })).toBe('unknown');
    expect(kindOf({ modes: null, place: { kind: 'pipe', stdin: null } })).toBe('input');
  });
});

describe('the answer of stty -a', () => {
  const answer =
    'speed 38400 baud; rows 24; columns 80; line = 0;\nintr = ^C; eol2 = <undef>; min = 1; time = 0;\n' +
    '-parenb cs8 -ignbrk -inlcr icrnl ixon\nopost onlcr\nisig -icanon iexten -echo echoe -echonl echoctl\n';

  test('tells each mode by its own word', () => {
    expect(parseSttyModes(answer)).toEqual(single);
    expect(parseSttyModes(answer.replace('-echo ', 'echo ').replace('iexten', '-iexten'))).toEqual({
      ...single,
      echo: true,
      extended: false,
    });
  });

  test('is not guessed at when a word is missing', () => {
    expect(parseSttyModes(answer.replace('-icanon', ''))).toBeNull();
    expect(parseSttyModes('')).toBeNull();
  });
});
