// @ts-check
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  fingerprint,
  fingerprintBeside,
  looksOf,
  readStamp,
  reasonToBuild,
  removeStamp,
  writeStamp,
} from './build-stamp.mjs';

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

describe('the fingerprint beside a stamp', () => {
  const inputs = ['src', 'vite.config.ts'];
  const stampOf = () => ({ fingerprint: fingerprint(root, inputs), looks: looksOf(root, inputs) });

  it('is the stamp’s, without a file being read, while all files look as they did', () => {
    const file = join(root, '.built-from');
    writeStamp(file, { ...stampOf(), fingerprint: 'of the last build' });
    expect(fingerprintBeside(root, inputs, file)).toBe('of the last build');
  });

  it('finds a text of the same length with the old time', () => {
    const changed = join(root, 'src', 'deep', 'a.ts');
    const file = join(root, '.built-from');
    writeStamp(file, stampOf());
    const { atime, mtime } = statSync(changed);
    writeFileSync(changed, 'eno');
    utimesSync(changed, atime, mtime);
    expect(fingerprintBeside(root, inputs, file)).toBe(fingerprint(root, inputs));
    expect(readStamp(file)?.fingerprint).not.toBe(fingerprint(root, inputs));
  });

  it('stays when files are touched, and they need not be read the next time', () => {
    const file = join(root, '.built-from');
    const before = stampOf();
    writeStamp(file, before);
    utimesSync(join(root, 'vite.config.ts'), 1, 1);
    expect(fingerprintBeside(root, inputs, file)).toBe(before.fingerprint);
    expect(readStamp(file)).toEqual(stampOf());
  });

  it('is told without a stamp', () => {
    expect(fingerprintBeside(root, inputs, join(root, '.built-from'))).toBe(fingerprint(root, inputs));
  });
});

it('reads back the stamp it wrote, and none after it was removed', () => {
  const stamp = join(root, '.built-from');
  writeStamp(stamp, { fingerprint: 'abc', looks: 'def' });
  expect(readStamp(stamp)).toEqual({ fingerprint: 'abc', looks: 'def' });
  removeStamp(stamp);
  expect(readStamp(stamp)).toBeUndefined();
});
