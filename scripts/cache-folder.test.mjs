// @ts-check
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheFolder, makeCachedFolder } from './cache-folder.mjs';

it('is where the XDG specification has it', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: '/var/cache/me' }, '/home/me')).toBe('/var/cache/me/shellscope');
  expect(cacheFolder({}, '/home/me')).toBe('/home/me/.cache/shellscope');
  expect(cacheFolder({ XDG_CACHE_HOME: 'relative' }, '/home/me')).toBe('/home/me/.cache/shellscope');
});

describe('a folder of the cache', () => {
  /** @type {string} */
  let cache;
  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'shellscope-test-'));
  });
  afterEach(() => {
    rmSync(cache, { recursive: true });
  });

  /** @param {string} text */
  const makeWith = (text) => async (/** @type {string} */ work) => {
    mkdirSync(join(work, 'made'));
    writeFileSync(join(work, 'made', 'file'), text);
    return join(work, 'made');
  };

  it('gets its name when it is made, and nothing else stays', async () => {
    await makeCachedFolder(join(cache, 'program'), makeWith('whole'));
    expect(readdirSync(cache)).toEqual(['program']);
    expect(readFileSync(join(cache, 'program', 'file'), 'utf8')).toBe('whole');
  });

  it('is not there when its making fails, and neither is what was begun', async () => {
    const failed = makeCachedFolder(join(cache, 'program'), () => Promise.reject(new Error('no network')));
    await expect(failed).rejects.toThrow('no network');
    expect(readdirSync(cache)).toEqual([]);
  });

  it('stays as the faster of two processes made it', async () => {
    await makeCachedFolder(join(cache, 'program'), makeWith('first'));
    await makeCachedFolder(join(cache, 'program'), makeWith('second'));
    expect(readdirSync(cache)).toEqual(['program']);
    expect(readFileSync(join(cache, 'program', 'file'), 'utf8')).toBe('first');
  });

  it('takes away what a run left that was killed more than a day ago', async () => {
    for (const name of ['partial-old', 'partial-new']) {
      mkdirSync(join(cache, name));
    }
    const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60;
    utimesSync(join(cache, 'partial-old'), twoDaysAgo, twoDaysAgo);
    await makeCachedFolder(join(cache, 'program'), makeWith('whole'));
    expect(readdirSync(cache).toSorted()).toEqual(['partial-new', 'program']);
  });
});
