import { execFile } from 'node:child_process';
import {
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished } from 'vitest';
import { workspaceWriteContext } from '../support/exec-sandbox-context.ts';
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
    const sandbox = workspaceWriteContext(workspace, { hidden: [join(folder, 'secret')] });
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
  });

  test('a directory is copied with everything in it, links as links, into what is there or is not', async ({
    fenced,
  }) => {
    const { workspace, outside, uri, result, refusal } = fenced;
    await mkdir(join(outside, 'd/e'), { recursive: true });
    await writeFile(join(outside, 'd/e/tool'), 'run', { mode: 0o750 });
    await symlink(join(outside, '..', 'secret'), join(outside, 'd/to-secret'));
    await promisify(execFile)('mkfifo', [join(outside, 'd/fifo')]);
    const copied = { sourcePath: uri(outside), destinationPath: uri(join(workspace, 'new/copy')), recursive: true };
    expect(await refusal('fs/copy', { ...copied, recursive: false })).toEqual([
      -32_600,
      'fs/copy requires recursive: true when sourcePath is a directory',
    ]);
    await result('fs/copy', copied);
    const at = (name: string) => join(workspace, 'new/copy', name);
    expect([await readFile(at('f'), 'utf8'), await readFile(at('d/e/tool'), 'utf8')]).toEqual(['out', 'run']);
    expect((await lstat(at('d/e/tool'))).mode & 0o777).toBe(0o750);
    expect(await readlink(at('d/to-secret'))).toBe(join(outside, '..', 'secret'));
    await expect(lstat(at('d/fifo'))).rejects.toThrow('ENOENT');
    // Again, into the directories that are there now; only a link stands in its own way.
    await writeFile(at('f'), 'old');
    await rm(at('d/to-secret'));
    await result('fs/copy', copied);
    expect(await readFile(at('f'), 'utf8')).toBe('out');
  });

  test('a directory is copied to nowhere else, whatever links lead there, and nothing hidden with it', async ({
    fenced,
  }) => {
    const { workspace, outside, uri, refusal } = fenced;
    await mkdir(join(workspace, 'source/d'), { recursive: true });
    await writeFile(join(workspace, 'source/d/made'), 'made');
    await mkdir(join(outside, 'd'));
    await symlink(outside, join(workspace, 'to-outside'));
    for (const name of ['with-folder', 'with-file/d', 'with-nothing/d']) {
      await mkdir(join(workspace, name), { recursive: true });
    }
    await symlink(join(outside, 'd'), join(workspace, 'with-folder/d'));
    await symlink(join(outside, 'f'), join(workspace, 'with-file/d/made'));
    await symlink(join(outside, 'made'), join(workspace, 'with-nothing/d/made'));
    const copyTo = (path: string, source = join(workspace, 'source')) =>
      refusal('fs/copy', { sourcePath: uri(source), destinationPath: uri(path), recursive: true });
    for (const path of [
      join(outside, 'copy'),
      join(outside, 'd'),
      join(workspace, 'to-outside'),
      join(workspace, 'to-outside/copy'),
      join(workspace, '.git'),
      join(workspace, '.git/hooks'),
      join(workspace, 'with-folder'),
      join(workspace, 'with-file'),
    ]) {
      expect([path, await copyTo(path)]).toEqual([path, READ_ONLY]);
    }
    // Also where there is nothing to write.
    await mkdir(join(workspace, 'empty'));
    expect(await copyTo(join(outside, 'd'), join(workspace, 'empty'))).toEqual(READ_ONLY);
    expect((await copyTo(join(workspace, 'with-nothing')))[1]).toMatch(/File exists/);
    expect([await readdir(outside), await readdir(join(outside, 'd'))]).toEqual([['d', 'f'], []]);
    expect([await readFile(join(outside, 'f'), 'utf8'), await readdir(join(workspace, '.git'))]).toEqual(['out', []]);

    // A hidden folder in it ends the copy, and so does one that a link on the way leads to.
    const secret = join(outside, '..', 'secret');
    await symlink(secret, join(workspace, 'to-secret'));
    await mkdir(join(secret, 'in'));
    for (const source of [secret, join(secret, 'in'), join(workspace, 'to-secret/in')]) {
      expect(await copyTo(join(workspace, 'copy'), source)).toEqual(DENIED);
    }
    await expect(lstat(join(workspace, 'copy'))).rejects.toThrow('ENOENT');
  });

  test('a directory is not copied into itself, nor by a link that leads back, nor too deep', async ({ fenced }) => {
    const { workspace, outside, uri, refusal } = fenced;
    const INSIDE = [-32_600, 'fs/copy cannot copy a directory to itself or one of its descendants'];
    await mkdir(join(workspace, 'd/e'), { recursive: true });
    await mkdir(join(workspace, 'other'));
    await symlink(join(workspace, 'd'), join(workspace, 'to-d'));
    await symlink(join(workspace, 'd/e'), join(workspace, 'other/e'));
    const copyOf = (source: string, name: string) =>
      refusal('fs/copy', { sourcePath: uri(source), destinationPath: uri(join(workspace, name)), recursive: true });
    for (const name of ['d', 'd/new', 'd/e/new', 'to-d', 'to-d/e/new', 'other']) {
      expect([name, await copyOf(join(workspace, 'd'), name)]).toEqual([name, INSIDE]);
    }
    expect([await readdir(join(workspace, 'd')), await readdir(join(workspace, 'd/e'))]).toEqual([['e'], []]);
    // What holds the fence's hidden folder, the workspace and so the copy.
    expect(await copyOf(join(outside, '..'), 'copy')).toEqual(INSIDE);
    await mkdir(join(outside, 'x/'.repeat(64)), { recursive: true });
    expect((await copyOf(join(outside), 'deep'))[1]).toContain('copies up to 64 directories in each other');
  });

  test('what becomes a link while a directory is copied is not gone into', async ({ fenced }) => {
    const { workspace, outside, uri, result } = fenced;
    const secret = join(outside, '..', 'secret');
    const [turning, kept] = [join(workspace, 'source/turning'), join(workspace, 'kept')];
    await mkdir(turning, { recursive: true });
    await writeFile(join(turning, 'f'), 'in');
    let isOver = false;
    let turns = 0;
    const turn = (async () => {
      while (!isOver) {
        await rename(turning, kept);
        await symlink(secret, turning);
        await rm(turning);
        await rename(kept, turning);
        turns += 1;
      }
    })();
    const seen = new Set<string>();
    // Many, and then until one came while it was a directory: on a busy machine it is a link most of the time.
    for (let count = 0; count < 200 || (!seen.has('in') && count < 10_000); count += 1) {
      const copied = { sourcePath: uri(join(workspace, 'source')), destinationPath: uri(join(workspace, `c${count}`)) };
      await result('fs/copy', { ...copied, recursive: true }).catch(() => null);
      const copy = join(workspace, `c${count}/turning`);
      const isLink = await lstat(copy).then(
        (stats) => stats.isSymbolicLink(),
        () => null,
      );
      seen.add(isLink === false ? await readFile(join(copy, 'f'), 'utf8').catch(() => 'nothing') : 'link');
      await rm(join(workspace, `c${count}`), { recursive: true, force: true });
    }
    isOver = true;
    await turn;
    expect([turns > 0, seen.has('secret')]).toEqual([true, false]);
    expect(seen).toContain('in');
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
