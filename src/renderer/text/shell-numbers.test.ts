import { describe, expect, it } from 'vitest';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';
import { ShellNumbers } from './shell-numbers.ts';

const shell = (number: number, path = '/srv/web') =>
  exampleSession({
    id: `s${number}`,
    argv: ['/bin/bash'],
    startedAtMs: number,
    folder: { path, host: null, isHome: false },
  });

describe('own shells that are called alike', () => {
  it('have numbers from the second one on, in the order of their starts', () => {
    const numbers = new ShellNumbers().of([shell(3), shell(1), shell(2), shell(4, '/srv/api')]);
    expect(Object.fromEntries(numbers)).toEqual({ s2: 2, s3: 3 });
  });

  it('keep them while they live, and a new one has what is free', () => {
    const numbers = new ShellNumbers();
    numbers.of([shell(1), shell(2)]);
    expect([...numbers.of([shell(2)])]).toEqual([['s2', 2]]);
    expect([...numbers.of([shell(2), shell(3), shell(4)])]).toEqual([
      ['s2', 2],
      ['s4', 3],
    ]);
  });

  it('lose them in another folder, and by a name of their own', () => {
    const numbers = new ShellNumbers();
    numbers.of([shell(1), shell(2)]);
    expect([...numbers.of([shell(1), shell(2, '/srv/api')])]).toEqual([]);
    expect([...numbers.of([shell(1), { ...shell(2), title: 'mine' }])]).toEqual([]);
  });

  it('are counted without what has ended, and without what is an agent’s', () => {
    const others = [
      { ...shell(1), ...ended(0) },
      { ...shell(2), origin: CODEX },
    ];
    expect([...new ShellNumbers().of([...others, shell(3)])]).toEqual([]);
  });
});
