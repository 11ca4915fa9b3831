// @ts-check
import { describe, expect, it } from 'vitest';
import { headerArguments, headerVersion } from './build-node-pty.mjs';
import { differingPackages, isAtLeast } from './installed-packages.mjs';

describe('the packages that are not as the lock has them', () => {
  const lock = {
    packages: {
      '': { version: '0.1.0' },
      'node_modules/zod': { version: '4.6.7' },
      'node_modules/@xterm/xterm': { version: '6.0.0' },
      'node_modules/fsevents': { version: '2.3.3', optional: true },
    },
  };

  it('are none when all are there, with or without what is for other systems', () => {
    const installed = {
      packages: { 'node_modules/zod': { version: '4.6.7' }, 'node_modules/@xterm/xterm': { version: '6.0.0' } },
    };
    expect(differingPackages(lock, installed)).toEqual([]);
  });

  it('are those that are absent or of another version', () => {
    const installed = {
      packages: {
        'node_modules/zod': { version: '4.6.6' },
        'node_modules/fsevents': { version: '2.3.2', optional: true },
      },
    };
    expect(differingPackages(lock, installed)).toEqual(['zod', '@xterm/xterm', 'fsevents']);
  });
});

it.each([
  ['20.19.0', true],
  ['20.20.2', true],
  ['22.0.0', true],
  ['20.18.3', false],
  ['18.20.0', false],
])('knows whether Node %s is at least 20.19', (version, enough) => {
  expect(isAtLeast(version, '>=20.19')).toBe(enough);
});

describe("the place of Node's headers", () => {
  const [major, minor, patch] = process.versions.node.split('.');
  const header = `#define NODE_MAJOR_VERSION ${major}\n#define NODE_MINOR_VERSION ${minor}\n#define NODE_PATCH_VERSION ${patch}\n`;
  const path = '/opt/node/include/node/node_version.h';

  it('is the prefix of the running Node when they are its own', () => {
    const read = (/** @type {string} */ file) => (file === path ? header : undefined);
    expect(headerArguments({}, '/opt/node/bin/node', read)).toEqual(['--nodedir=/opt/node']);
  });

  it("is not a prefix with another Node's headers", () => {
    const other = header.replace(/MAJOR_VERSION \d+/, 'MAJOR_VERSION 12');
    expect(headerArguments({}, '/usr/bin/node', () => other)).toEqual([]);
  });

  it("is left to npm's configuration when that names one", () => {
    expect(headerArguments({ npm_config_nodedir: '/usr' }, '/opt/node/bin/node', () => header)).toEqual([]);
  });

  it('is not read from a file that declares no version', () => {
    expect(headerVersion('#define NODE_MAJOR_VERSION 20\n')).toBeUndefined();
  });
});
