// @ts-check
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SetupError } from './messages.mjs';
import { compareIntegrity } from './registry-package.mjs';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shellscope-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('the integrity of a download', () => {
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
