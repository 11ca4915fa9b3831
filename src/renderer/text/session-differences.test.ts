import { describe, expect, it } from 'vitest';
import { exampleSession } from '../testing/example-session.ts';
import { differencesOf } from './session-differences.ts';
import { fullTitle, sessionTitle } from './session-text.ts';

const script = (middle: string): string =>
  `set -euo pipefail; cd /srv/shop && npm ci --no-audit --no-fund && ${middle} && npm run deploy -- --stage`;
const running = (scripts: readonly string[]) =>
  scripts.map((text, index) => exampleSession({ id: `s${index + 1}`, argv: ['bash', '-c', text] }));
const told = (scripts: readonly string[]) => [...differencesOf(running(scripts)).values()];

describe('sessions whose commands are shortened to one name', () => {
  it.each([
    ['a word', ['npm run build', 'npm run test'], ['build', 'test']],
    ['the rest of a word', ['make --target=web', 'make --target=cli'], ['--target=web', '--target=cli']],
    ['three', ['make web', 'make cli', 'tsc -b'], ['web', 'cli', 'tsc']],
    ['what one has and the other has not', ['make', 'make all'], ['&&', 'all']],
    ['a long word', [`x${'y'.repeat(40)}1`, `x${'y'.repeat(40)}2`], [`…${'y'.repeat(12)}1`, `…${'y'.repeat(12)}2`]],
    ['signs of two halves', ['echo 👩', 'echo 👨'], ['👩', '👨']],
  ])('are told apart by %s', (_what, middles, words) => {
    const scripts = middles.map((middle) => script(`${middle} && echo ${'done '.repeat(12)}`));
    const titles = new Set(running(scripts).map(sessionTitle));
    expect(titles.size).toBe(1);
    expect(told(scripts)).toEqual(words);
  });

  it('are told apart by a number where they differ in nothing that is short', () => {
    const begin = 'run '.repeat(40);
    const end = ' and all the rest of it, to its very end'.repeat(3);
    expect(told([`${begin}a b${end}`, `${begin}a c${end}`, `${begin}x b b${end}`, `${begin}x b c${end}`])).toEqual([
      'b 1',
      'c 1',
      'b 2',
      'c 2',
    ]);
  });

  it('are called alike while they run the same, and so are those with short commands', () => {
    const same = script('npm test');
    expect(told([same, same, 'npm test', 'npm test'])).toEqual([]);
    const other = script('npm start');
    expect(told([same, other, same])).toEqual(['test', 'start', 'test']);
  });

  it('are numbered where they are own live shells in one folder', () => {
    const folder = { path: '/srv/web', host: null, isHome: false };
    const shells = ['s1', 's2'].map((id, at) => exampleSession({ id, argv: ['bash'], startedAtMs: at, folder }));
    expect([...differencesOf(shells)]).toEqual([['s2', '(2)']]);
    expect(shells.map((shell) => fullTitle(shell, differencesOf(shells).get(shell.id) ?? null))).toEqual([
      'bash: web',
      'bash: web (2)',
    ]);
  });

  it('are left out when somebody gave them a name', () => {
    const [one, two] = running([script('make web'), script('make cli')]);
    const named = { ...exampleSession(), ...two, title: 'cli' };
    expect(differencesOf([one ?? exampleSession(), named]).size).toBe(0);
  });
});
