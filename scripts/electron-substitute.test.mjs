// @ts-check
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstErrorLine } from './electron-package.mjs';
import { keptSubstitute, substituteFolder, substituteRunsOn } from './electron-substitute.mjs';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shellscope-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it('is not in the cache before it was made', () => {
  expect(keptSubstitute(folder)).toBeUndefined();
  expect(substituteFolder(folder)).toMatch(/\/electron-33\.2\.1-[0-9a-f]{12}$/);
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
