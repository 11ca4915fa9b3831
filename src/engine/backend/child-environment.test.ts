import { describe, expect, test } from 'vitest';
import { childEnvironment, type EnvironmentRequest } from './child-environment.ts';

const HOST = {
  PATH: '/bin',
  HOME: '/home/me',
  LANG: 'C.UTF-8',
  AWS_SECRET_ACCESS_KEY: 'secret',
  EDITOR: 'vi',
  NODE_OPTIONS: '--inspect',
  ELECTRON_RUN_AS_NODE: '1',
  SHELLSCOPE_STATE_DIR: '/state',
};

const inherit = (rules: Partial<Extract<EnvironmentRequest, { kind: 'inherit' }>>): EnvironmentRequest => ({
  kind: 'inherit',
  from: 'all',
  excludeCredentials: false,
  exclude: [],
  set: {},
  includeOnly: [],
  overlay: {},
  ...rules,
});

const variablesOf = (request: EnvironmentRequest, host: Readonly<NodeJS.ProcessEnv>) =>
  childEnvironment(request, host).variables;

describe('the environment of a child', () => {
  test('exact means exactly that', () => {
    expect(variablesOf({ kind: 'exact', variables: { A: '1' } }, HOST)).toEqual({ A: '1' });
  });

  test('what belongs to the host alone is never inherited', () => {
    expect(variablesOf(inherit({}), HOST)).toEqual({
      PATH: '/bin',
      HOME: '/home/me',
      LANG: 'C.UTF-8',
      AWS_SECRET_ACCESS_KEY: 'secret',
      EDITOR: 'vi',
    });
  });

  test('credentials are left out by their names when that is asked for', () => {
    expect(variablesOf(inherit({ excludeCredentials: true }), HOST)).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
  });

  test('rules apply in the order inherit, exclude, set, include only, overlay', () => {
    const request = inherit({
      exclude: ['e?itor'],
      set: { EDITOR: 'nano', EXTRA: 'x', PATH: '/set' },
      includeOnly: ['PATH', 'EDIT*'],
      overlay: { PATH: '/overlay', LAST: 'y' },
    });
    expect(variablesOf(request, HOST)).toEqual({ PATH: '/overlay', EDITOR: 'nano', LAST: 'y' });
  });

  test('core inherits what every program expects, none nothing', () => {
    expect(variablesOf(inherit({ from: 'core' }), HOST)).toEqual({
      PATH: '/bin',
      HOME: '/home/me',
      LANG: 'C.UTF-8',
    });
    expect(variablesOf(inherit({ from: 'none', set: { A: '1' } }), HOST)).toEqual({ A: '1' });
  });

  test('a pattern of many stars takes no longer than others', () => {
    const request = inherit({ exclude: [`${'*a'.repeat(40)}!`, '*?*', 'H*M*E*'] });
    const host = { ['a'.repeat(5_000)]: 'x', HOME: '/home/me' };
    expect(variablesOf(request, host)).toEqual({});
    expect(variablesOf(inherit({ exclude: ['*A*', 'H?ME', '', '?'] }), HOST)).toEqual({ EDITOR: 'vi' });
  });

  test('a pattern with the characters of a regular expression matches only itself', () => {
    expect(variablesOf(inherit({ exclude: ['P.TH', '(HOME)'] }), HOST)).toMatchObject({
      PATH: '/bin',
      HOME: '/home/me',
    });
  });

  test('S14: where each variable came from can be seen, and which of the host it was not given', () => {
    const { variables, origins, leftOut } = childEnvironment(
      inherit({ excludeCredentials: true, exclude: ['EDIT*'], set: { CI: '1', HOME: '/set' }, overlay: { LAST: 'y' } }),
      HOST,
    );
    expect(variables).toEqual({ PATH: '/bin', HOME: '/set', LANG: 'C.UTF-8', CI: '1', LAST: 'y' });
    expect(origins).toEqual({ PATH: 'host', HOME: 'rule', LANG: 'host', CI: 'rule', LAST: 'client' });
    expect(leftOut).toEqual([
      'AWS_SECRET_ACCESS_KEY',
      'EDITOR',
      'ELECTRON_RUN_AS_NODE',
      'NODE_OPTIONS',
      'SHELLSCOPE_STATE_DIR',
    ]);
  });
});
