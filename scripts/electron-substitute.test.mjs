// @ts-check
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstErrorLine } from './electron-package.mjs';
import {
  cacheFolder,
  compareIntegrity,
  keptSubstitute,
  substituteFolder,
  substituteRunsOn,
} from './electron-substitute.mjs';
import { SetupError } from './messages.mjs';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shellscope-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('the integrity of the download', () => {
  const wanted = `sha512-${createHash('sha512').update('the package').digest('base64')}`;

  it('passes a file with the pinned hash', async () => {
    const file = join(folder, 'package.tgz');
    writeFileSync(file, 'the package');
    await expect(compareIntegrity(file, wanted)).resolves.toBeUndefined();
  });

  it('refuses a file that differs in one byte, and names both hashes', async () => {
    const file = join(folder, 'package.tgz');
    writeFileSync(file, 'the packagf');
    const refusal = compareIntegrity(file, wanted);
    await expect(refusal).rejects.toBeInstanceOf(SetupError);
    await expect(refusal).rejects.toThrow(wanted);
  });
});

describe('the cache', () => {
  it('is where the XDG specification has it', () => {
    expect(cacheFolder({ XDG_CACHE_HOME: '/var/cache/me' }, '/home/me')).toBe('/var/cache/me/shellscope');
    expect(cacheFolder({}, '/home/me')).toBe('/home/me/.cache/shellscope');
    expect(cacheFolder({ XDG_CACHE_HOME: 'relative' }, '/home/me')).toBe('/home/me/.cache/shellscope');
  });

  it('holds no substitute before one was made', () => {
    expect(keptSubstitute(folder)).toBeUndefined();
    expect(substituteFolder(folder)).toMatch(/\/electron-33\.2\.1-[0-9a-f]{12}$/);
  });
});

it('is for linux-x64 only', () => {
  expect(substituteRunsOn('linux', 'x64')).toBe(true);
  expect(substituteRunsOn('linux', 'arm64')).toBe(false);
  expect(substituteRunsOn('darwin', 'x64')).toBe(false);
});

it('finds the line that tells why the official download failed', () => {
  const output = 'Downloading\nHTTPError: Response code 403 (Forbidden)\n    at x (y.js:1:1)\n';
  expect(firstErrorLine(output)).toBe('HTTPError: Response code 403 (Forbidden)');
  expect(firstErrorLine('killed\n')).toBeUndefined();
});
