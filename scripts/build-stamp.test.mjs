// @ts-check
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint, readStamp, reasonToBuild, removeStamp, writeStamp } from './build-stamp.mjs';

/** @type {string} */
let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'shellscope-test-'));
  mkdirSync(join(root, 'src', 'deep'), { recursive: true });
  writeFileSync(join(root, 'src', 'deep', 'a.ts'), 'one');
  writeFileSync(join(root, 'vite.config.ts'), 'two');
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

describe('whether a build is due', () => {
  const fresh = { force: false, stamp: 'abc', fingerprint: 'abc', missingOutputs: [] };

  it.each([
    { facts: fresh, reason: undefined },
    { facts: { ...fresh, force: true }, reason: 'forced' },
    { facts: { ...fresh, stamp: undefined }, reason: 'no finished build' },
    { facts: { ...fresh, fingerprint: 'abd' }, reason: 'sources changed' },
    { facts: { ...fresh, missingOutputs: ['out/cli/main.js'] }, reason: 'out/cli/main.js missing' },
  ])('is $reason', ({ facts, reason }) => {
    expect(reasonToBuild(facts)).toBe(reason);
  });
});

describe('the fingerprint of the sources', () => {
  const inputs = ['src', 'vite.config.ts', 'not-there.ts'];

  it('stays when only times change', () => {
    const before = fingerprint(root, inputs);
    utimesSync(join(root, 'vite.config.ts'), 1, 1);
    expect(fingerprint(root, inputs)).toBe(before);
  });

  it.each([
    { change: 'text changes', act: () => writeFileSync(join(root, 'src', 'deep', 'a.ts'), 'eno') },
    { change: 'a file is added', act: () => writeFileSync(join(root, 'src', 'b.ts'), '') },
    {
      change: 'a file is renamed',
      act: () => renameSync(join(root, 'src', 'deep', 'a.ts'), join(root, 'src', 'deep', 'b.ts')),
    },
    { change: 'a file is removed', act: () => rmSync(join(root, 'vite.config.ts')) },
  ])('changes when $change', ({ act }) => {
    const before = fingerprint(root, inputs);
    act();
    expect(fingerprint(root, inputs)).not.toBe(before);
  });
});

it('reads back the stamp it wrote, and none after it was removed', () => {
  const stamp = join(root, '.built-from');
  writeStamp(stamp, 'abc');
  expect(readStamp(stamp)).toBe('abc');
  removeStamp(stamp);
  expect(readStamp(stamp)).toBeUndefined();
});
