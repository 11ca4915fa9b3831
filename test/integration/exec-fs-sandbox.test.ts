import { link, lstat, mkdir, mkdtemp, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished } from 'vitest';
import { base64, test as fileTest, type FileWorld } from '../support/file-world.ts';

const READ_ONLY = [-32_603, 'Read-only file system (os error 30)'];
const DENIED = [-32_600, 'Permission denied (os error 13)'];
const BUSY = [-32_603, 'Resource busy (os error 16)'];

interface FencedWorld {
  readonly workspace: string;
  readonly outside: string;
  /** A file URI of a path. */
  readonly uri: (path: string) => string;
  /** Calls in a fence in which only the workspace may be written to, and `secret` beside it is hidden. */
  readonly result: FileWorld['result'];
  readonly refusal: FileWorld['refusal'];
}

const test = fileTest.extend<{ fenced: FencedWorld }>({
  fenced: async ({ files }, use) => {
    // Not below a temporary folder, which could be writable.
    const folder = await realpath(await mkdtemp(join(homedir(), '.shellscope-fs-sandbox-')));
    const [workspace, outside] = [join(folder, 'workspace'), join(folder, 'outside')];
    await mkdir(join(workspace, '.git'), { recursive: true });
    await mkdir(outside);
    await mkdir(join(folder, 'secret'));
    await writeFile(join(workspace, 'f'), 'in');
    await writeFile(join(outside, 'f'), 'out');
    await writeFile(join(folder, 'secret', 'f'), 'secret');
    onTestFinished(() => rm(folder, { recursive: true }));
    const sandbox = {
      permissions: {
        type: 'managed',
        network: 'restricted',
        file_system: {
          type: 'restricted',
          entries: [
            { path: { type: 'special', value: { kind: 'root' } }, access: 'read' },
            { path: { type: 'special', value: { kind: 'project_roots' } }, access: 'write' },
            { path: { type: 'path', path: join(folder, 'secret') }, access: 'none' },
          ],
        },
      },
      workspaceRoots: [pathToFileURL(workspace).href],
    };
    await use({
      workspace,
      outside,
      uri: (path) => pathToFileURL(path).href,
      result: (method, params) => files.result(method, { ...params, sandbox }),
      refusal: (method, params) => files.refusal(method, { ...params, sandbox }),
    });
  },
});

const dataBase64 = base64('new');

describe.runIf(process.platform === 'linux')('a file call in a sandbox', () => {
  test('reads everywhere but in hidden places, also through links', async ({ fenced }) => {
    const { workspace, outside, uri, result, refusal } = fenced;
    const secret = join(outside, '..', 'secret');
    await symlink(join(secret, 'f'), join(workspace, 'to-file'));
    await symlink(secret, join(workspace, 'to-folder'));
    for (const followSymlinks of [true, false]) {
      for (const path of [join(workspace, 'f'), join(outside, 'f')]) {
        expect(await result('fs/readFile', { path: uri(path), followSymlinks })).toEqual({
          dataBase64: base64(path.startsWith(workspace) ? 'in' : 'out'),
        });
        expect(await result('fs/getMetadata', { path: uri(path), followSymlinks })).toMatchObject({ isFile: true });
      }
    }
    expect(await result('fs/canonicalize', { path: uri(outside) })).toEqual({ path: uri(outside) });
    expect(await result('fs/readDirectory', { path: uri(outside) })).toMatchObject({ entries: [{ fileName: 'f' }] });
    for (const path of [join(secret, 'f'), join(workspace, 'to-file'), join(workspace, 'to-folder', 'f')]) {
      expect(await refusal('fs/readFile', { path: uri(path) })).toEqual(DENIED);
      expect(await refusal('fs/open', { handleId: 'h', path: uri(path), mode: 'read' })).toEqual(DENIED);
      expect(await refusal('fs/getMetadata', { path: uri(path) })).toEqual(DENIED);
      expect(await refusal('fs/canonicalize', { path: uri(path) })).toEqual(DENIED);
      expect(
        await refusal('fs/watchMissing', { watchId: 1, missing: [`${uri(path)}x`, uri(path)], present: null }),
      ).toEqual(DENIED);
    }
    for (const path of [secret, join(workspace, 'to-folder')]) {
      const options = { maxDepth: 2, maxDirectories: 9, maxEntries: 9, followDirectorySymlinks: true };
      expect(await refusal('fs/readDirectory', { path: uri(path) })).toEqual(DENIED);
      expect(await refusal('fs/walk', { path: uri(path), options })).toEqual(DENIED);
    }
    const options = { maxDepth: 3, maxDirectories: 20, maxEntries: 90, followDirectorySymlinks: true };
    expect(await result('fs/walk', { path: uri(join(outside, '..')), options })).toMatchObject({
      entries: expect.not.arrayContaining([expect.objectContaining({ path: uri(join(secret, 'f')) })]),
      errors: expect.arrayContaining([{ path: uri(secret), message: DENIED[1] }]),
    });
    expect(await refusal('fs/readFile', { path: uri(join(workspace, 'none')) })).toEqual([
      -32_004,
      'No such file or directory (os error 2)',
    ]);
    expect(await refusal('fs/readFile', { path: uri(workspace) })).toEqual([
      -32_600,
      `path \`${workspace}\` is not a file`,
    ]);
  });

  test('writes in the workspace', async ({ fenced }) => {
    const { workspace, uri, result } = fenced;
    const at = (name: string) => uri(join(workspace, name));
    for (const name of ['f', 'made']) {
      expect(await result('fs/writeFile', { path: at(name), dataBase64 })).toEqual({});
      expect(await readFile(join(workspace, name), 'utf8')).toBe('new');
    }
    await result('fs/createDirectory', { path: at('a/b/c'), recursive: true });
    await result('fs/createDirectory', { path: at('a/b/c'), recursive: true });
    await result('fs/open', { handleId: 'h', path: at('a/b/block'), mode: 'replace' });
    await result('fs/writeBlock', { handleId: 'h', offset: 0, chunk: dataBase64 });
    await result('fs/close', { handleId: 'h' });
    expect(await readFile(join(workspace, 'a/b/block'), 'utf8')).toBe('new');
    await result('fs/copy', { sourcePath: at('made'), destinationPath: at('copied'), recursive: false });
    expect(await readFile(join(workspace, 'copied'), 'utf8')).toBe('new');
    // A link is a name of its own: it is taken away, and not what it leads to.
    await symlink(join(workspace, 'made'), join(workspace, 'link'));
    await result('fs/copy', { sourcePath: at('link'), destinationPath: at('link-2'), recursive: false });
    expect(await readlink(join(workspace, 'link-2'))).toBe(join(workspace, 'made'));
    for (const name of ['link', 'a', 'copied', 'not-there']) {
      await result('fs/remove', { path: at(name) });
    }
    await expect(lstat(join(workspace, 'a'))).rejects.toThrow('ENOENT');
    expect(await readFile(join(workspace, 'made'), 'utf8')).toBe('new');
  });

  test('writes nowhere else, whatever links lead there', async ({ fenced }) => {
    const { workspace, outside, uri, refusal } = fenced;
    await symlink(join(outside, 'f'), join(workspace, 'to-file'));
    await symlink(outside, join(workspace, 'to-folder'));
    await symlink(join(outside, 'new'), join(workspace, 'to-nothing'));
    const rows = [
      join(outside, 'f'),
      join(outside, 'new'),
      join(workspace, 'to-file'),
      join(workspace, 'to-folder/f'),
      join(workspace, 'to-folder/new'),
      join(workspace, '.git/config'),
      join(workspace, '.git'),
    ];
    for (const path of rows) {
      expect([path, await refusal('fs/writeFile', { path: uri(path), dataBase64 })]).toEqual([path, READ_ONLY]);
      expect(await refusal('fs/open', { handleId: 'h', path: uri(path), mode: 'replace' })).toEqual(READ_ONLY);
      const copied = { sourcePath: uri(join(workspace, 'f')), destinationPath: uri(path), recursive: false };
      expect(await refusal('fs/copy', copied)).toEqual(READ_ONLY);
    }
    for (const path of [join(outside, 'd'), join(workspace, 'to-folder/d'), join(workspace, '.git/d/e')]) {
      for (const recursive of path.endsWith('e') ? [true] : [true, false]) {
        expect(await refusal('fs/createDirectory', { path: uri(path), recursive })).toEqual(READ_ONLY);
      }
    }
    for (const path of [join(outside, 'f'), outside, join(workspace, 'to-folder/f'), join(workspace, '.git')]) {
      expect(await refusal('fs/remove', { path: uri(path) })).toEqual(READ_ONLY);
    }
    expect(await refusal('fs/remove', { path: uri(workspace) })).toEqual(BUSY);
    expect((await refusal('fs/writeFile', { path: uri(join(workspace, 'to-nothing')), dataBase64 }))[1]).toMatch(
      /File exists|Symbolic link loop/,
    );
    for (const followSymlinks of [true, false]) {
      expect(
        (await refusal('fs/writeFile', { path: uri(join(workspace, 'to-file')), dataBase64, followSymlinks }))[1],
      ).toMatch(followSymlinks ? /Read-only/ : /Symbolic link loop/);
    }
    expect(await readFile(join(outside, 'f'), 'utf8')).toBe('out');
    await expect(lstat(join(outside, 'new'))).rejects.toThrow('ENOENT');
    await expect(lstat(join(outside, 'd'))).rejects.toThrow('ENOENT');
  });

  test('a directory that is taken away takes nothing along that links in it lead to', async ({ fenced }) => {
    const { workspace, outside, uri, result, refusal } = fenced;
    await mkdir(join(workspace, 'd/e'), { recursive: true });
    await symlink(outside, join(workspace, 'd/e/to-folder'));
    await link(join(workspace, 'f'), join(workspace, 'd/f'));
    expect((await refusal('fs/remove', { path: uri(join(workspace, 'd')), recursive: false }))[1]).toMatch(/not empty/);
    await result('fs/remove', { path: uri(join(workspace, 'd')) });
    expect(await readFile(join(outside, 'f'), 'utf8')).toBe('out');
    expect(await readFile(join(workspace, 'f'), 'utf8')).toBe('in');
    const copied = { sourcePath: uri(outside), destinationPath: uri(join(workspace, 'd')), recursive: true };
    expect((await refusal('fs/copy', copied))[1]).toMatch(/copies files and links/);
  });

  test('what a link is made to lead to while calls are on their way stays as it is', async ({ fenced }) => {
    const { workspace, outside, uri, refusal, result } = fenced;
    const path = uri(join(workspace, 'turning/f'));
    await mkdir(join(workspace, 'inside'));
    let isOver = false;
    const turning = (async () => {
      while (!isOver) {
        for (const target of [join(workspace, 'inside'), outside]) {
          await rm(join(workspace, 'turning'), { force: true });
          await symlink(target, join(workspace, 'turning'));
        }
      }
    })();
    for (let count = 0; count < 300; count += 1) {
      // Either it was inside, or it was refused.
      await Promise.race([
        result('fs/writeFile', { path, dataBase64 }).catch(() => null),
        refusal('fs/writeFile', { path, dataBase64 }).catch(() => null),
      ]);
    }
    isOver = true;
    await turning;
    expect(await readFile(join(outside, 'f'), 'utf8')).toBe('out');
    expect(await readFile(join(workspace, 'inside/f'), 'utf8')).toBe('new');
  });
});
