import { expect, it } from 'vitest';
import type { ShownEnvironment } from '../../shared/session-rights.ts';
import { environmentGroups } from './rights-text.ts';

const ENVIRONMENT: ShownEnvironment = {
  given: [{ name: 'TERM', source: 'rule' }],
  secretsKeptOut: ['GITHUB_TOKEN'],
  notGiven: ['DISPLAY'],
};

const words = (environment: ShownEnvironment, isOwnShell: boolean): readonly string[] =>
  environmentGroups(environment, isOwnShell).map(({ title, about }) => `${title}: ${about}`);

it('tells of a client only where there is one', () => {
  expect(words(ENVIRONMENT, false)).toEqual([
    'Kept out: looks like a credential',
    'Set by the client’s rules: for all of its commands',
    'Not inherited: the client did not ask for them',
  ]);
  expect(words(ENVIRONMENT, true)).toEqual([
    'Kept out: looks like a credential',
    'Set for your shells: for each of them',
    'Not inherited: not meant for a shell',
  ]);
});

it('tells of several that look like credentials in the plural', () => {
  const secretsKeptOut = ['AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN'];
  expect(words({ ...ENVIRONMENT, secretsKeptOut }, false)[0]).toBe('Kept out: look like credentials');
});
