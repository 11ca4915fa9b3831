import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import {
  appendFile,
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { ExecClient, type Frame } from '../support/exec-client.ts';
import { TOKEN } from '../support/exec-world.ts';
import { base64, fromBase64, test, type FileWorld } from '../support/file-world.ts';

const MISSING = [-32_004, 'No such file or directory (os error 2)'] as const;
const NOT_A_DIRECTORY = [-32_603, 'Not a directory (os error 20)'] as const;
const LOOP = [-32_603, 'Symbolic link loop (os error 40)'] as const;
const EXISTS = [-32_603, 'File exists (os error 17)'] as const;

const notAFile = (path: string) => [-32_600, `path \`${path}\` is not a file`] as const;

/** What codex sends for danger-full-access where it sends anything. */
const FULL_ACCESS = { permissions: { type: 'disabled' }, windowsSandboxLevel: 'disabled' };
const WORKSPACE_WRITE = {
  permissions: { type: 'managed', file_system: { type: 'restricted', entries: [] }, network: 'restricted' },
  windowsSandboxLevel: 'disabled',
};

describe('fs/readFile and fs/writeFile', () => {
  test('what is written is read back, in the same file with its mode and links', async ({ files }) => {
    const bytes = randomBytes(300_000);
    await writeFile(files.at('f'), 'what was there and was longer'.repeat(20_000));
    await chmod(files.at('f'), 0o640);
    await link(files.at('f'), files.at('other-name'));
    expect(await files.result('fs/writeFile', { path: files.uri('f'), dataBase64: base64(bytes) })).toEqual({});
    expect((await readFile(files.at('other-name'))).equals(bytes)).toBe(true);
    expect((await stat(files.at('f'))).mode & 0o777).toBe(0o640);
    const { dataBase64 } = await files.result('fs/readFile', { path: files.uri('f'), sandbox: null });
    expect(fromBase64(dataBase64).equals(bytes)).toBe(true);
  });

  test('a new file, an empty file, a link and a dangling link can be written', async ({ files }) => {
    await symlink('target', files.at('link'));
    for (const [name, text] of [
      ['new', 'x'],
      ['empty', ''],
      ['link', 'through'],
    ] as const) {
      await files.result('fs/writeFile', { path: files.uri(name), dataBase64: base64(text) });
      expect(await readFile(files.at(name), 'utf8')).toBe(text);
    }
    expect((await lstat(files.at('link'))).isSymbolicLink()).toBe(true);
    expect(await readFile(files.at('target'), 'utf8')).toBe('through');
  });

  test('a name of every byte, a percent sign and a file of /proc, which tells no size, can be read', async ({
    files,
  }) => {
    await writeFile(files.at('100% é?#'), 'encoded');
    await writeFile(Buffer.concat([Buffer.from(`${files.folder}/bad`), Buffer.from([0xff, 0x01])]), 'bytes');
    const text = async (path: string) => fromBase64((await files.result('fs/readFile', { path }))['dataBase64']);
    expect(String(await text(files.uri('100% é?#')))).toBe('encoded');
    expect(String(await text(`${files.uri('bad')}%FF%01`))).toBe('bytes');
    expect(String(await text(`file://localhost${files.folder}/x/../100%25%20%C3%A9%3F%23`))).toBe('encoded');
    expect(String(await text('file:///proc/self/status'))).toContain('VmPeak');
  });

  test('what is no regular file is refused at once and never opened to wait', async ({ files }) => {
    execFileSync('mkfifo', [files.at('fifo')]);
    await mkdir(files.at('d'));
    const read = (path: string) => files.refusal('fs/readFile', { path });
    expect(await read(files.uri('d'))).toEqual(notAFile(files.at('d')));
    expect(await read(files.uri('fifo'))).toEqual(notAFile(files.at('fifo')));
    expect(await read('file:///dev/zero')).toEqual(notAFile('/dev/zero'));
    expect(await read('file:///dev/tty')).toEqual([expect.any(Number), expect.stringMatching(/not a file|os error 6/)]);
    const write = (path: string) => files.refusal('fs/writeFile', { path, dataBase64: base64('x') });
    expect(await write(files.uri('fifo'))).toEqual([-32_603, 'No such device or address (os error 6)']);
    expect(await write(files.uri('d'))).toEqual([-32_603, 'Is a directory (os error 21)']);
    expect(await files.result('fs/writeFile', { path: 'file:///dev/null', dataBase64: base64('x') })).toEqual({});
  });

  test('a full disk is told', async ({ files }) => {
    expect(await files.refusal('fs/writeFile', { path: 'file:///dev/full', dataBase64: base64('x') })).toEqual([
      -32_603,
      'No space left on device (os error 28)',
    ]);
  });

  test('a disk that becomes full says how much of the file is there', async ({ files, skip }) => {
    await mkdir(files.at('small'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', files.at('small')], { stdio: 'ignore' });
    } catch {
      skip('needs the right to mount');
    }
    try {
      const dataBase64 = base64(Buffer.alloc(1_000_000, 'x'));
      expect(await files.refusal('fs/writeFile', { path: files.uri('small/f'), dataBase64 })).toEqual([
        -32_603,
        `No space left on device (os error 28): 65536 of 1000000 bytes are in \`${files.at('small/f')}\`, the rest is missing`,
      ]);
    } finally {
      execFileSync('umount', [files.at('small')]);
    }
  });

  test('32 MiB is read, a byte more is refused with the limit', async ({ files }) => {
    const limit = 32 * 1024 * 1024;
    await writeFile(files.at('big'), '');
    await truncate(files.at('big'), limit);
    const { dataBase64 } = await files.result('fs/readFile', { path: files.uri('big') });
    expect(fromBase64(dataBase64)).toHaveLength(limit);
    await truncate(files.at('big'), limit + 1);
    expect(await files.refusal('fs/readFile', { path: files.uri('big') })).toEqual([
      -32_600,
      `file is too large to read: limit is ${limit} bytes`,
    ]);
  });

  test('what is missing, under a file, a loop or badly encoded is told apart', async ({ files }) => {
    await writeFile(files.at('f'), '');
    await symlink('loop', files.at('loop'));
    const read = (path: unknown) => files.refusal('fs/readFile', { path });
    expect(await read(files.uri('none'))).toEqual(MISSING);
    expect(await read(files.uri('f/x'))).toEqual(NOT_A_DIRECTORY);
    expect(await read(files.uri('loop'))).toEqual(LOOP);
    expect(await read(files.uri('n'.repeat(300)))).toEqual([-32_603, 'Filename too long (os error 36)']);
    expect(await read('/tmp')).toEqual([-32_602, 'invalid URI: relative URL without a base (`path`)']);
    expect(await read('http://x/y')).toEqual([-32_602, 'unsupported path URI scheme `http` (`path`)']);
    expect(await read('file://other/y')).toEqual([-32_600, "'file://other/y' is invalid on 'linux'"]);
    expect(await read('file:///a%00b')).toEqual([-32_602, "'file:///a%00b' is invalid on 'linux' (`path`)"]);
    expect(await read('file:///a%zz')).toEqual([-32_602, "invalid percent-encoding in URI 'file:///a%zz' (`path`)"]);
    expect(await read('file:///a?x')).toEqual([-32_602, 'query parameters are not allowed in path URIs (`path`)']);
    expect(await read('file:///a#x')).toEqual([-32_602, 'fragments are not allowed in path URIs (`path`)']);
    expect(await files.refusal('fs/readFile', {})).toEqual([-32_602, 'missing field `path`']);
    const write = (name: string, dataBase64: unknown) =>
      files.refusal('fs/writeFile', { path: files.uri(name), dataBase64 });
    expect(await write('none/f', '')).toEqual(MISSING);
    expect(await write('f', '***')).toEqual([
      -32_600,
      'fs/writeFile requires valid base64 dataBase64: Invalid symbol 42, offset 0.',
    ]);
    expect(await write('f', 'abc')).toEqual([
      -32_600,
      'fs/writeFile requires valid base64 dataBase64: Invalid padding',
    ]);
    expect(await write('f', undefined)).toEqual([-32_602, 'missing field `dataBase64`']);
  });

  test('with followSymlinks false no link is followed, neither at the end nor on the way', async ({ files }) => {
    await mkdir(files.at('d/e'), { recursive: true });
    await writeFile(files.at('d/e/f'), 'kept');
    await symlink('d/e/f', files.at('link'));
    await symlink('d', files.at('dlink'));
    const strict = { followSymlinks: false };
    const call = (method: string, path: string, more: object = {}) =>
      files.refusal(method, { path: files.uri(path), ...strict, ...more });
    expect(await call('fs/readFile', 'link')).toEqual(LOOP);
    expect(await call('fs/readFile', 'dlink/e/f')).toEqual(NOT_A_DIRECTORY);
    expect(await call('fs/writeFile', 'link', { dataBase64: '' })).toEqual(LOOP);
    expect(await call('fs/writeFile', 'dlink/e/f', { dataBase64: '' })).toEqual(NOT_A_DIRECTORY);
    expect(await call('fs/open', 'link', { handleId: 'h' })).toEqual(LOOP);
    expect(await call('fs/getMetadata', 'link')).toEqual([-32_600, 'path contains a symbolic link']);
    expect(await call('fs/getMetadata', 'dlink/e')).toEqual(NOT_A_DIRECTORY);
    expect(await call('fs/readFile', 'none')).toEqual(MISSING);
    expect(await files.result('fs/readFile', { path: files.uri('d/e/f'), ...strict })).toEqual({
      dataBase64: base64('kept'),
    });
    expect(await files.result('fs/getMetadata', { path: 'file:///', ...strict })).toMatchObject({ isDirectory: true });
  });
});

describe('a fence that cannot be enforced', () => {
  test('every file call that asks for one is refused, and does nothing', async ({ files }) => {
    await writeFile(files.at('f'), 'kept');
    const path = files.uri('f');
    const options = { maxDepth: 1, maxDirectories: 1, maxEntries: 1, followDirectorySymlinks: false };
    for (const [method, params] of [
      ['fs/readFile', { path }],
      ['fs/writeFile', { path, dataBase64: '' }],
      ['fs/createDirectory', { path: files.uri('new') }],
      ['fs/getMetadata', { path }],
      ['fs/canonicalize', { path }],
      ['fs/readDirectory', { path }],
      ['fs/walk', { path, options }],
      ['fs/remove', { path }],
      ['fs/copy', { sourcePath: path, destinationPath: files.uri('new'), recursive: true }],
      ['fs/open', { handleId: 'h', path, mode: 'replace' }],
      ['fs/watchMissing', { watchId: 1, missing: [files.uri('new')], present: null }],
    ] as const) {
      for (const sandbox of [WORKSPACE_WRITE, { permissions: { type: 'external' } }, {}, 'danger-full-access']) {
        expect(await files.refusal(method, { ...params, sandbox })).toEqual([
          -32_602,
          expect.stringMatching(/^sandbox/),
        ]);
      }
    }
    expect(await readFile(files.at('f'), 'utf8')).toBe('kept');
    expect(readdirSync(files.folder)).toEqual(['f']);
    for (const sandbox of [
      null,
      FULL_ACCESS,
      { permissions: { type: 'managed', file_system: { type: 'unrestricted' }, network: 'enabled' } },
    ]) {
      expect(await files.result('fs/readFile', { path, sandbox })).toEqual({ dataBase64: base64('kept') });
    }
  });

  test('C1: a file call and an http request before the handshake are told which step is missing', async ({ world }) => {
    const client = await ExecClient.connect(world.server.url, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(await client.request('fs/readFile', { path: 'file:///etc/hostname' })).toMatchObject({
      error: { code: -32_600, message: 'client must call initialize before using filesystem methods' },
    });
    await client.request('initialize', { clientName: 'a' });
    expect(await client.request('http/request', { method: 'GET', url: 'http://x/', requestId: 'r' })).toMatchObject({
      error: { code: -32_600, message: 'client must send initialized before using http methods' },
    });
    client.drop();
  });

  test('what is served is advertised, and nothing else', async ({ files }) => {
    const { capabilities } = await files.result('environment/info', {});
    expect(capabilities).toEqual({
      fsWatchMissing: true,
      fileWriteStreaming: true,
      httpHeaderEnvVars: true,
      shellscopeExtensions: [
        'shellscope/list',
        'shellscope/attach',
        'shellscope/setTitle',
        'shellscope/resize',
        'shellscope/closeStdin',
        'shellscope/wait',
      ],
    });
  });
});

describe('directories and what is in them', () => {
  test('createDirectory makes what is missing; without recursive only the last', async ({ files }) => {
    await writeFile(files.at('f'), '');
    const make = (path: string, recursive?: boolean | null) =>
      ['fs/createDirectory', { path: files.uri(path), recursive }] as const;
    expect(await files.result(...make('a/b'))).toEqual({});
    expect(await files.result(...make('a/b', null))).toEqual({});
    expect(await files.refusal(...make('a/b', false))).toEqual(EXISTS);
    expect(await files.refusal(...make('c/d', false))).toEqual(MISSING);
    expect(await files.result(...make('c', false))).toEqual({});
    expect(await files.refusal(...make('f'))).toEqual(EXISTS);
    expect(await files.refusal(...make('f/x'))).toEqual(NOT_A_DIRECTORY);
    expect((await stat(files.at('a/b'))).isDirectory()).toBe(true);
  });

  test('getMetadata tells kind, size and times; of a link those of its target', async ({ files }) => {
    await writeFile(files.at('f'), 'seven b');
    await symlink('f', files.at('link'));
    await symlink('none', files.at('dangling'));
    execFileSync('mkfifo', [files.at('fifo')]);
    const { mtimeMs, birthtimeMs } = await stat(files.at('f'));
    const file = {
      isDirectory: false,
      isFile: true,
      isSymlink: false,
      size: 7,
      createdAtMs: Math.floor(birthtimeMs),
      modifiedAtMs: Math.floor(mtimeMs),
    };
    const metadata = (path: string) => files.result('fs/getMetadata', { path: files.uri(path) });
    expect(await metadata('f')).toEqual(file);
    expect(await metadata('link')).toEqual({ ...file, isSymlink: true });
    expect(await metadata('')).toMatchObject({ isDirectory: true, isFile: false });
    expect(await metadata('fifo')).toMatchObject({ isDirectory: false, isFile: false });
    expect(await files.refusal('fs/getMetadata', { path: files.uri('dangling') })).toEqual(MISSING);
    expect(await files.refusal('fs/getMetadata', { path: files.uri('none') })).toEqual(MISSING);
  });

  test('canonicalize answers the path without links, spelled as the real server spells it', async ({ files }) => {
    const name = 'sp ace?#%é"[]{}^`|<>~!$&\'()*+,;=:@';
    await mkdir(files.at(name));
    await symlink(name, files.at('link'));
    await symlink('loop', files.at('loop'));
    expect(await files.result('fs/canonicalize', { path: files.uri('link') })).toEqual({
      path: `file://${files.folder}/sp%20ace%3F%23%25%C3%A9%22[]%7B%7D^%60|%3C%3E~!$&'()*+,;=:@`,
    });
    expect(await files.result('fs/canonicalize', { path: 'file:///' })).toEqual({ path: 'file:///' });
    expect(await files.refusal('fs/canonicalize', { path: files.uri('loop') })).toEqual(LOOP);
    expect(await files.refusal('fs/canonicalize', { path: files.uri('none') })).toEqual(MISSING);
  });

  test('readDirectory tells what links lead to and leaves dangling ones out', async ({ files }) => {
    await mkdir(files.at('d'));
    await writeFile(files.at('f'), '');
    await writeFile(Buffer.concat([Buffer.from(`${files.folder}/z`), Buffer.from([0xff])]), '');
    await symlink('d', files.at('to-d'));
    await symlink('none', files.at('dangling'));
    execFileSync('mkfifo', [files.at('fifo')]);
    expect(await files.result('fs/readDirectory', { path: files.uri('') })).toEqual({
      entries: [
        { fileName: 'd', isDirectory: true, isFile: false },
        { fileName: 'f', isDirectory: false, isFile: true },
        { fileName: 'fifo', isDirectory: false, isFile: false },
        { fileName: 'to-d', isDirectory: true, isFile: false },
        { fileName: 'z\uFFFD', isDirectory: false, isFile: true },
      ],
    });
    expect(await files.refusal('fs/readDirectory', { path: files.uri('f') })).toEqual(NOT_A_DIRECTORY);
    expect(await files.refusal('fs/readDirectory', { path: files.uri('none') })).toEqual(MISSING);
  });

  test('remove takes trees and links, never what a link leads to, never the root', async ({ files }) => {
    await mkdir(files.at('d/e'), { recursive: true });
    await mkdir(files.at('kept'));
    await writeFile(files.at('kept/f'), '');
    await symlink('../kept', files.at('d/link'));
    const remove = (path: string, more: object = {}) => ['fs/remove', { path: files.uri(path), ...more }] as const;
    expect(await files.refusal(...remove('d', { recursive: false }))).toEqual([
      -32_603,
      'Directory not empty (os error 39)',
    ]);
    expect(await files.result(...remove('d'))).toEqual({});
    expect(await files.result(...remove('d'))).toEqual({});
    expect(await files.refusal(...remove('d', { force: false }))).toEqual(MISSING);
    expect(await files.refusal(...remove('kept/f/x'))).toEqual(NOT_A_DIRECTORY);
    expect(await files.result(...remove('kept/f', { recursive: false, force: null }))).toEqual({});
    expect(await files.result(...remove('kept', { recursive: false }))).toEqual({});
    expect(readdirSync(files.folder)).toEqual([]);
    expect(await files.refusal('fs/remove', { path: 'file:///' })).toEqual([
      -32_600,
      '`path` is the root of the file system, which is not removed',
    ]);
  });

  // As root a mode refuses nothing; an attribute of the file system does, with the code of a permission (EPERM).
  test('what the system does not permit is an invalid request', async ({ files, skip }) => {
    await writeFile(files.at('f'), '');
    try {
      execFileSync('chattr', ['+i', files.at('f')], { stdio: 'ignore' });
    } catch {
      skip('needs chattr and a file system with attributes');
    }
    try {
      expect(await files.refusal('fs/remove', { path: files.uri('f') })).toEqual([
        -32_600,
        'Operation not permitted (os error 1)',
      ]);
    } finally {
      execFileSync('chattr', ['-i', files.at('f')]);
    }
  });
});

describe('fs/copy', () => {
  test('a tree is copied with modes, links as links, odd names, and without what is no file', async ({ files }) => {
    await mkdir(files.at('t/d'), { recursive: true });
    await writeFile(files.at('t/d/run'), randomBytes(2_500_000));
    await chmod(files.at('t/d/run'), 0o755);
    await symlink('d/run', files.at('t/link'));
    const odd = Buffer.concat([Buffer.from('t/d/odd'), Buffer.from([0xfe])]);
    await writeFile(Buffer.concat([Buffer.from(`${files.folder}/`), odd]), 'odd');
    execFileSync('mkfifo', [files.at('t/fifo')]);
    const params = { sourcePath: files.uri('t'), destinationPath: files.uri('copy') };
    expect(await files.refusal('fs/copy', { ...params, recursive: false })).toEqual([
      -32_600,
      'fs/copy requires recursive: true when sourcePath is a directory',
    ]);
    expect(await files.result('fs/copy', { ...params, recursive: true })).toEqual({});
    expect((await readFile(files.at('copy/d/run'))).equals(await readFile(files.at('t/d/run')))).toBe(true);
    expect((await stat(files.at('copy/d/run'))).mode & 0o777).toBe(0o755);
    expect(await readlink(files.at('copy/link'))).toBe('d/run');
    expect(readdirSync(files.at('copy'))).toEqual(['d', 'link']);
    expect(readdirSync(files.at('copy/d'), 'buffer').map((name) => name.toString('latin1'))).toContain('odd\u00fe');
    // The link is there already, as the real server has it.
    expect(await files.refusal('fs/copy', { ...params, recursive: true })).toEqual(EXISTS);
  });

  test('a file takes the place of another; onto itself it stays as it is', async ({ files }) => {
    await writeFile(files.at('f'), 'short');
    await writeFile(files.at('g'), 'what was longer before');
    await files.result('fs/copy', { sourcePath: files.uri('f'), destinationPath: files.uri('g'), recursive: false });
    await files.result('fs/copy', { sourcePath: files.uri('f'), destinationPath: files.uri('f'), recursive: false });
    expect([await readFile(files.at('f'), 'utf8'), await readFile(files.at('g'), 'utf8')]).toEqual(['short', 'short']);
  });

  test('into itself, onto a FIFO, from a device and without a parent are refused', async ({ files }) => {
    await mkdir(files.at('d/e'), { recursive: true });
    await writeFile(files.at('f'), '');
    await symlink('d/e', files.at('inside'));
    execFileSync('mkfifo', [files.at('fifo')]);
    const copy = (from: string, to: string) =>
      files.refusal('fs/copy', { sourcePath: from, destinationPath: files.uri(to), recursive: true });
    const INSIDE = [-32_600, 'fs/copy cannot copy a directory to itself or one of its descendants'] as const;
    const UNFIT = [-32_600, 'fs/copy only supports regular files, directories, and symlinks'] as const;
    expect(await copy(files.uri('d'), 'd')).toEqual(INSIDE);
    expect(await copy(files.uri('d'), 'd/new/deep')).toEqual(INSIDE);
    expect(await copy(files.uri('d'), 'inside/new')).toEqual(INSIDE);
    expect(await copy(files.uri('fifo'), 'new')).toEqual(UNFIT);
    expect(await copy('file:///dev/zero', 'new')).toEqual(UNFIT);
    expect(await copy(files.uri('f'), 'fifo')).toEqual([-32_603, 'No such device or address (os error 6)']);
    expect(await copy(files.uri('f'), 'd')).toEqual([-32_603, 'Is a directory (os error 21)']);
    expect(await copy(files.uri('f'), 'none/f')).toEqual(MISSING);
    expect(await copy(files.uri('none'), 'new')).toEqual(MISSING);
    expect(await files.refusal('fs/copy', { sourcePath: files.uri('f'), destinationPath: files.uri('g') })).toEqual([
      -32_602,
      'missing field `recursive`',
    ]);
  });
});

describe('fs/walk', () => {
  const ALL = { maxDepth: 64, maxDirectories: 10_000, maxEntries: 50_000, followDirectorySymlinks: false };

  async function plant(files: FileWorld): Promise<void> {
    await mkdir(files.at('t/a/b'), { recursive: true });
    await mkdir(files.at('t/.hidden'));
    await writeFile(files.at('t/a/b/f1'), '');
    await writeFile(files.at('t/f0'), '');
    await writeFile(files.at('t/.hidden/h'), '');
    await symlink('..', files.at('t/a/up'));
    await symlink('a', files.at('t/link'));
    await symlink('none', files.at('t/dangling'));
    execFileSync('mkfifo', [files.at('t/fifo')]);
  }

  const walked = async (files: FileWorld, options: object, path = 't') => {
    const { entries, ...rest } = await files.result('fs/walk', {
      path: files.uri(path),
      options: { ...ALL, ...options },
    });
    const shown = (entries as { path: string; kind: string }[]).map(
      (entry) => `${entry.path.replace(files.uri(`${path}/`), '')}${entry.kind === 'directory' ? '/' : ''}`,
    );
    return [shown.join(' '), rest] as const;
  };
  const whole = { errors: [], truncated: false };
  const cut = { errors: [], truncated: true };

  test('tells directories and files level by level, in the order of their names', async ({ files }) => {
    await plant(files);
    expect(await walked(files, {})).toEqual(['.hidden/ a/ f0 .hidden/h a/b/ a/b/f1', whole]);
    expect(await walked(files, { pruneHiddenDirectories: true })).toEqual(['.hidden/ a/ f0 a/b/ a/b/f1', whole]);
  });

  test('goes no loop of links round twice, and enters a directory once', async ({ files }) => {
    await plant(files);
    const follow = { followDirectorySymlinks: true };
    expect(await walked(files, follow)).toEqual(['.hidden/ a/ f0 link/ .hidden/h a/b/ a/up/ a/b/f1', whole]);
    expect(await walked(files, {}, 't/link')).toEqual(['', whole]);
    expect(await walked(files, {}, 't/f0')).toEqual(['', whole]);
  });

  test('stops at each limit and says so', async ({ files }) => {
    await plant(files);
    expect(await walked(files, { maxDepth: 0 })).toEqual(['.hidden/ a/ f0', whole]);
    expect(await walked(files, { maxDepth: 1 })).toEqual(['.hidden/ a/ f0 .hidden/h a/b/', whole]);
    expect(await walked(files, { maxDirectories: 1 })).toEqual(['.hidden/ a/ f0', cut]);
    expect(await walked(files, { maxDirectories: 4 })).toEqual(['.hidden/ a/ f0 .hidden/h a/b/ a/b/f1', whole]);
    expect(await walked(files, { maxEntries: 2 })).toEqual(['.hidden/ a/', cut]);
    expect(await walked(files, { maxEntries: 6 })).toEqual(['.hidden/ a/ f0 .hidden/h a/b/ a/b/f1', whole]);
    const refusal = (options: object) => files.refusal('fs/walk', { path: files.uri('t'), options });
    expect(await refusal({ ...ALL, maxEntries: 0 })).toEqual([
      -32_600,
      'filesystem walk limits must be greater than zero',
    ]);
    expect(await refusal({ ...ALL, maxDepth: 65 })).toEqual([
      -32_600,
      'filesystem walk limits exceed maximums: depth=64, directories=10000, entries=50000',
    ]);
    expect(await refusal({ maxDepth: 1 })).toEqual([-32_602, 'missing field `options.maxDirectories`']);
    expect(await files.refusal('fs/walk', { path: files.uri('none'), options: ALL })).toEqual(MISSING);
  });

  test('a name that is not UTF-8 is told as it is', async ({ files }) => {
    await writeFile(Buffer.concat([Buffer.from(`${files.folder}/x`), Buffer.from([0xff])]), '');
    expect(await files.result('fs/walk', { path: files.uri(''), options: ALL })).toMatchObject({
      entries: [{ path: `${files.uri('x')}%FF`, kind: 'file' }],
    });
  });
});

describe('files by blocks', () => {
  const block = (handleId: string, offset: number, len: number) => ['fs/readBlock', { handleId, offset, len }] as const;

  test('a large file is read by blocks, several at a time, and is whole', async ({ files }) => {
    const bytes = randomBytes(12_345_678);
    await writeFile(files.at('f'), bytes);
    expect(await files.result('fs/open', { handleId: 'h', path: files.uri('f') })).toEqual({ handleId: 'h' });
    const len = 1024 * 1024;
    const offsets = Array.from({ length: Math.ceil(bytes.length / len) }, (_each, index) => index * len);
    const blocks = await Promise.all(offsets.map((offset) => files.result(...block('h', offset, len))));
    const hash = createHash('sha256');
    for (const { chunk } of blocks) {
      hash.update(fromBase64(chunk));
    }
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(blocks.map(({ eof }) => eof)).toEqual(offsets.map((_offset, index) => index === offsets.length - 1));
  });

  test('a block says the end of the file only when it is short of it', async ({ files }) => {
    await writeFile(files.at('f'), 'abcdefghij');
    await files.result('fs/open', { handleId: 'h', path: files.uri('f'), mode: 'read' });
    expect(await files.result(...block('h', 6, 4))).toEqual({ chunk: base64('ghij'), eof: false });
    expect(await files.result(...block('h', 10, 4))).toEqual({ chunk: '', eof: true });
    await appendFile(files.at('f'), 'k');
    expect(await files.result(...block('h', 9, 4))).toEqual({ chunk: base64('jk'), eof: true });
    expect(await files.result(...block('h', 0, 2))).toEqual({ chunk: base64('ab'), eof: false });
  });

  test('a file is replaced by blocks at their offsets, in place', async ({ files }) => {
    await writeFile(files.at('f'), 'what was there before');
    await chmod(files.at('f'), 0o600);
    const { ino } = await stat(files.at('f'));
    const write = (offset: number, text: string) =>
      files.result('fs/writeBlock', { handleId: 'w', offset, chunk: base64(text) });
    await files.result('fs/open', { handleId: 'w', path: files.uri('f'), mode: 'replace' });
    expect(await readFile(files.at('f'), 'utf8')).toBe('');
    await write(0, 'hello');
    await write(10, 'gap');
    await write(2, 'LL');
    expect(await files.result('fs/close', { handleId: 'w' })).toEqual({});
    expect(await readFile(files.at('f'), 'utf8')).toBe('heLLo\0\0\0\0\0gap');
    expect(await stat(files.at('f'))).toMatchObject({ ino, mode: 0o100600 });
  });

  test('ids, lengths and what cannot be opened are refused', async ({ files }) => {
    await writeFile(files.at('f'), 'x');
    await mkdir(files.at('d'));
    execFileSync('mkfifo', [files.at('fifo')]);
    const open = (handleId: string, path: string, mode?: string) =>
      files.refusal('fs/open', { handleId, path, ...(mode === undefined ? {} : { mode }) });
    await files.result('fs/open', { handleId: 'h', path: files.uri('f') });
    expect(await open('h', files.uri('f'))).toEqual([-32_600, 'file handle `h` already exists']);
    expect(await open('x'.repeat(33), files.uri('f'))).toEqual([-32_600, 'file handle ID must not exceed 32 bytes']);
    expect(await open('n', files.uri('d'))).toEqual(notAFile(files.at('d')));
    expect(await open('n', files.uri('fifo'))).toEqual(notAFile(files.at('fifo')));
    expect(await open('n', 'file:///dev/zero')).toEqual(notAFile('/dev/zero'));
    expect(await open('n', 'file:///dev/null', 'replace')).toEqual(notAFile('/dev/null'));
    expect(await open('n', files.uri('d'), 'replace')).toEqual([-32_603, 'Is a directory (os error 21)']);
    expect(await open('n', files.uri('none'))).toEqual(MISSING);
    expect(await open('n', files.uri('none/x'), 'replace')).toEqual(MISSING);
    expect(await open('n', files.uri('f'), 'append')).toEqual([-32_602, expect.stringContaining('`mode`')]);
    for (const len of [0, 1_048_577]) {
      expect(await files.refusal(...block('h', 0, len))).toEqual([
        -32_600,
        'file read block length must be between 1 and 1048576',
      ]);
    }
    const write = (handleId: string, length: number) =>
      files.refusal('fs/writeBlock', { handleId, offset: 0, chunk: base64(Buffer.alloc(length)) });
    for (const length of [0, 1_048_577]) {
      expect(await write('h', length)).toEqual([-32_600, 'file write block length must be between 1 and 1048576']);
    }
    expect(await write('h', 1)).toEqual([-32_603, 'Bad file descriptor (os error 9)']);
    expect(await files.refusal(...block('n', 0, 1))).toEqual([-32_004, 'unknown file handle `n`']);
    expect(await files.result('fs/close', { handleId: 'n' })).toEqual({});
    await files.result('fs/close', { handleId: 'h' });
    expect(await files.refusal(...block('h', 0, 1))).toEqual([-32_004, 'unknown file handle `h`']);
  });

  test('128 files may be open, and one more when one is closed', async ({ files }) => {
    await writeFile(files.at('f'), 'x');
    const open = (handleId: string) => ['fs/open', { handleId, path: files.uri('f') }] as const;
    await Promise.all(Array.from({ length: 128 }, (_each, index) => files.result(...open(`h${index}`))));
    expect(await files.refusal(...open('more'))).toEqual([
      -32_600,
      'at most 128 file handles may be open per session; close some (fs/close)',
    ]);
    await files.result('fs/close', { handleId: 'h7' });
    expect(await files.result(...open('more'))).toEqual({ handleId: 'more' });
  });

  test('an open file survives a reconnect, belongs to its session alone, and is closed at its end', async ({
    files,
    world,
  }) => {
    await writeFile(files.at('f'), 'content');
    await files.result('fs/open', { handleId: 'h', path: files.uri('f') });
    const stranger = await world.client();
    expect(await stranger.request(...block('h', 0, 7))).toMatchObject({ error: { code: -32_004 } });
    files.client.drop();
    const back = await resumed(files, world);
    expect(await back.request(...block('h', 0, 7))).toMatchObject({ result: { chunk: base64('content') } });
    // Nothing of it is left open: the world counts descriptors at the end.
  });
});

describe('fs/watchMissing', () => {
  const watchMissing = (files: FileWorld, watchId: number, missing: readonly string[], present: string | null = null) =>
    files.result('fs/watchMissing', {
      watchId,
      missing: missing.map((path) => files.uri(path)),
      present: present === null ? null : files.uri(present),
    });
  const told = (client: ExecClient) =>
    client.notifications
      .filter(({ method }) => method === 'fs/missingChanged')
      .map(({ params }) => (params as unknown as Frame)['watchId']);
  const toldOf = (client: ExecClient, watchId: number) =>
    client.until(() => told(client).includes(watchId), `watch ${watchId} to be told`);

  test('tells once when one of the paths appears, and nothing of its neighbours', async ({ files }) => {
    expect(await watchMissing(files, 1, ['n1', 'n2'])).toEqual({ watching: true });
    expect(await watchMissing(files, 2, ['later'])).toEqual({ watching: true });
    await writeFile(files.at('neighbour'), '');
    await writeFile(files.at('n1'), '');
    await toldOf(files.client, 1);
    await writeFile(files.at('n2'), '');
    await rm(files.at('n1'));
    // Told in order: had watch 1 been told again, it would be before this.
    await writeFile(files.at('later'), '');
    await toldOf(files.client, 2);
    expect(told(files.client)).toEqual([1, 2]);
  });

  test('tells of a directory on the way, of what a link leads to, and of a way that is another now', async ({
    files,
  }) => {
    await mkdir(files.at('real/s'), { recursive: true });
    await symlink('real', files.at('link'));
    await symlink('nowhere', files.at('dangling'));
    expect(await watchMissing(files, 1, ['q/r/s'])).toEqual({ watching: true });
    expect(await watchMissing(files, 2, ['link/s/.git'])).toEqual({ watching: true });
    expect(await watchMissing(files, 3, ['dangling'])).toEqual({ watching: true });
    expect(await watchMissing(files, 4, ['real/s/x/y'])).toEqual({ watching: true });
    await mkdir(files.at('q'));
    await toldOf(files.client, 1);
    await writeFile(files.at('real/s/.git'), '');
    await toldOf(files.client, 2);
    await writeFile(files.at('nowhere'), '');
    await toldOf(files.client, 3);
    await rename(files.at('real/s'), files.at('real/moved'));
    await toldOf(files.client, 4);
    expect(told(files.client)).toEqual([1, 2, 3, 4]);
  });

  test('tells when what was present is gone or another, not when it is used', async ({ files }) => {
    await mkdir(files.at('.git'));
    await writeFile(files.at('f'), '');
    expect(await watchMissing(files, 1, ['none'], '.git')).toEqual({ watching: true });
    expect(await watchMissing(files, 2, ['none'], 'f')).toEqual({ watching: true });
    await writeFile(files.at('.git/HEAD'), '');
    await writeFile(files.at('f'), 'changed');
    await writeFile(files.at('new'), '');
    await rename(files.at('new'), files.at('f'));
    await toldOf(files.client, 2);
    await rm(files.at('.git'), { recursive: true });
    await toldOf(files.client, 1);
    expect(told(files.client)).toEqual([2, 1]);
  });

  test('what cannot be promised is answered with watching false', async ({ files }) => {
    await writeFile(files.at('f'), '');
    const no = { watching: false };
    expect(await watchMissing(files, 1, [])).toEqual(no);
    expect(await watchMissing(files, 1, ['f'])).toEqual(no);
    expect(await watchMissing(files, 1, ['f/x'])).toEqual(no);
    expect(await watchMissing(files, 1, ['none'], 'none-either')).toEqual(no);
    expect(
      await watchMissing(
        files,
        1,
        Array.from({ length: 65 }, (_each, index) => `n${index}`),
      ),
    ).toEqual(no);
    const proc = { watchId: 1, missing: ['file:///proc/self/none'], present: null };
    expect(await files.result('fs/watchMissing', proc)).toEqual(no);
    expect(await watchMissing(files, 1, ['none'])).toEqual({ watching: true });
    expect(await watchMissing(files, 1, ['other'])).toEqual(no);
    expect(await files.refusal('fs/watchMissing', { missing: [] })).toEqual([-32_602, 'missing field `watchId`']);
    expect(await files.refusal('fs/watchMissing', { watchId: 2, missing: ['/x'] })).toEqual([
      -32_602,
      'invalid URI: relative URL without a base (`missing.0`)',
    ]);
  });

  test('a watch survives a reconnect; what changed meanwhile is told then', async ({ files, world }) => {
    await watchMissing(files, 1, ['while-away']);
    await watchMissing(files, 2, ['after']);
    files.client.drop();
    await writeFile(files.at('while-away'), '');
    const back = await resumed(files, world);
    await toldOf(back, 1);
    await writeFile(files.at('after'), '');
    await toldOf(back, 2);
    expect(told(back)).toEqual([1, 2]);
  });
});

/** The same session on another connection, as soon as the server has noticed that the first is gone. */
async function resumed(files: FileWorld, world: { client(id: string): Promise<ExecClient> }): Promise<ExecClient> {
  for (;;) {
    try {
      return await world.client(files.client.sessionId);
    } catch (error) {
      if (!String(error).includes('already attached')) {
        throw error;
      }
    }
  }
}
