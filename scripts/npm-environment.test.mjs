// @ts-check
import { describe, expect, it } from 'vitest';
import { applyEnvironment, withoutNpmEnvironment } from './npm-environment.mjs';

const root = '/home/me/shellscope';

/** What npm 11 adds to a script's environment, shortened. */
const fromNpm = {
  npm_lifecycle_event: 'start',
  npm_config_cache: '/home/me/.npm',
  npm_package_name: 'shellscope',
  npm_execpath: '/usr/lib/node_modules/npm/bin/npm-cli.js',
  INIT_CWD: root,
  NODE: '/usr/bin/node',
  COLOR: '0',
  EDITOR: 'vi',
  PATH: [
    `${root}/node_modules/.bin`,
    '/home/me/node_modules/.bin',
    '/home/node_modules/.bin',
    '/node_modules/.bin',
    '/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin',
    '/home/me/other/node_modules/.bin',
    '/usr/bin',
  ].join(':'),
};

describe('the environment without npm', () => {
  it("is the person's own", () => {
    const person = { HOME: '/home/me', NPM_CONFIG_REGISTRY: 'https://registry.example/', NODE_ENV: 'development' };
    expect(withoutNpmEnvironment({ ...person, ...fromNpm }, root)).toEqual({
      ...person,
      PATH: '/home/me/other/node_modules/.bin:/usr/bin',
    });
  });

  it("keeps an editor that is the person's choice", () => {
    expect(withoutNpmEnvironment({ ...fromNpm, EDITOR: 'emacs' }, root)['EDITOR']).toBe('emacs');
  });

  it('drops the editor that npm copied from VISUAL', () => {
    expect(withoutNpmEnvironment({ ...fromNpm, VISUAL: 'code -w', EDITOR: 'code -w' }, root)['EDITOR']).toBeUndefined();
  });

  it('is left alone where npm has not started us', () => {
    const env = {
      NODE: '/opt/node',
      EDITOR: 'vi',
      npm_config_prefix: '/home/me/.npm-global',
      PATH: '/node_modules/.bin',
    };
    expect(withoutNpmEnvironment(env, root)).toEqual(env);
  });

  it('never makes Electron run as Node', () => {
    expect(withoutNpmEnvironment({ ELECTRON_RUN_AS_NODE: '1' }, root)).toEqual({});
  });

  it('is a new object', () => {
    const env = { ...fromNpm };
    withoutNpmEnvironment(env, root);
    expect(env).toEqual(fromNpm);
  });
});

it('makes an environment equal to another in place', () => {
  const target = { KEPT: 'a', CHANGED: 'b', GONE: 'c' };
  applyEnvironment(target, { KEPT: 'a', CHANGED: 'd', NEW: 'e', GONE: undefined });
  expect(target).toEqual({ KEPT: 'a', CHANGED: 'd', NEW: 'e' });
});
