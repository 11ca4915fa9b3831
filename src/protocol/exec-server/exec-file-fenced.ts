import type { FileFence } from './exec-file-fence.ts';
import { fencedCopy } from './exec-file-fenced-copy.ts';
import { createDirectory, remove } from './exec-file-fenced-directory.ts';
import { toRead, toReplace } from './exec-file-fenced-open.ts';
import type { FileCall, FileMethod } from './exec-file-methods.ts';
import { withoutLinks } from './exec-file-open.ts';
import { uriOfPath, type FilePath } from './exec-file-path.ts';
import { getMetadata, readDirectory, readFile, writeFile } from './exec-file-system.ts';
import { walk } from './exec-file-walk.ts';
import type { Params } from './exec-server-schema.ts';

/** Methods that name a place; the others work on what is open. */
export type FencedMethod = Exclude<FileMethod, 'fs/readBlock' | 'fs/writeBlock' | 'fs/close'>;

/** File methods within a fence. They throw as `fileMethods` do. */
export const fencedFileMethods: {
  readonly [M in FencedMethod]: (fence: FileFence, call: FileCall, params: Params<M>) => Promise<object>;
} = {
  'fs/readFile': (fence, _call, params) => toRead(fence, params, readFile),
  'fs/writeFile': (fence, _call, params) => toReplace(fence, params, writeFile),
  'fs/open': (fence, { handles }, params) =>
    params.mode === 'read'
      ? toRead(fence, params, (held) => handles.open(held))
      : toReplace(fence, params, (held) => handles.open(held)),
  'fs/createDirectory': (fence, _call, { path, recursive }) => createDirectory(fence, path, recursive),
  'fs/getMetadata': async (fence, _call, params) => {
    if (!params.followSymlinks) {
      return fence.entry(await plain(params.path), async () => getMetadata(params));
    }
    // The root is in no directory.
    return params.path.length === 1
      ? getMetadata(params)
      : fence.target(params.path, () => fence.entry(params.path, ({ path }) => getMetadata({ ...params, path })));
  },
  'fs/canonicalize': (fence, _call, { path }) => fence.target(path, async ({ real }) => ({ path: uriOfPath(real) })),
  'fs/readDirectory': (fence, _call, params) =>
    fence.target(params.path, ({ path }) => readDirectory({ ...params, path })),
  'fs/walk': (fence, { connectionGone }, params) => walk(params, connectionGone, (path) => fence.refuseLook(path)),
  'fs/remove': (fence, _call, params) => remove(fence, params),
  'fs/copy': (fence, { sessionEnded }, params) => fencedCopy(fence, params, sessionEnded),
  'fs/watchMissing': async (fence, { watches }, params) => {
    for (const path of params.missing) {
      await fence.refuseLook(path);
    }
    if (params.present !== null) {
      await fence.refuseLook(params.present);
    }
    return watches.add(params);
  },
};

/** A path with a link or a `..` on it leads elsewhere than it says; then this throws as the call itself would. */
async function plain(path: FilePath): Promise<FilePath> {
  return withoutLinks(path, async () => path);
}
