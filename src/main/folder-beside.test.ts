import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderBeside } from './folder-beside.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shellscope-beside-'));
});
afterAll(() => rm(folder, { recursive: true }));

const HOME = '/home/ada';
const here = (path: string) => ({ path, host: null, isHome: false });

describe('a new shell', () => {
  it('begins where the shell of the session is, or was last seen', async () => {
    expect(await folderBeside({ cwd: '/', folder: here(folder) }, HOME)).toBe(folder);
  });

  it('begins where the session was started, when nobody knows where its shell is', async () => {
    expect(await folderBeside({ cwd: folder, folder: null }, HOME)).toBe(folder);
  });

  it('begins at home without a session, and where its folder is gone, a file, on another machine, or told in part', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(await folderBeside(undefined, HOME)).toBe(HOME);
    expect(await folderBeside({ cwd: folder, folder: here(join(folder, 'gone')) }, HOME)).toBe(HOME);
    expect(await folderBeside({ cwd: folder, folder: here(file) }, HOME)).toBe(HOME);
    expect(await folderBeside({ cwd: folder, folder: { ...here(folder), host: 'build-3' } }, HOME)).toBe(HOME);
    expect(await folderBeside({ cwd: '.', folder: null }, HOME)).toBe(HOME);
  });
});
