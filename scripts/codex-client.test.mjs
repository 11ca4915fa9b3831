// @ts-check
import { expect, it } from 'vitest';
import { installedCodex, pinnedCodex, resolveCodex } from './codex-client.mjs';

it('is the build for the platform that npm would take', () => {
  expect(pinnedCodex('linux', 'x64')).toEqual({
    build: '0.169.0-linux-x64',
    package: '@openai/codex@0.169.0-linux-x64',
    integrity: expect.stringMatching(/^sha512-/),
    megabytes: expect.any(Number),
  });
});

it('says what to do where none is pinned, or the named one is not there', async () => {
  expect(() => pinnedCodex('win32', 'x64')).toThrow('SHELLSCOPE_CODEX');
  await expect(resolveCodex({ SHELLSCOPE_CODEX: '/no/such/codex' })).rejects.toThrow('/no/such/codex');
});

it('is taken only from where it is, by whoever downloads nothing, and says how to get it', () => {
  expect(installedCodex({ SHELLSCOPE_CODEX: process.execPath })).toBe(process.execPath);
  expect(() => installedCodex({ XDG_CACHE_HOME: '/no/such/cache' })).toThrow(
    /no Codex 0\.169\.0 in the cache .*`node scripts\/codex-client\.mjs` downloads it .* SHELLSCOPE_CODEX/,
  );
});
