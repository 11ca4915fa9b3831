import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { nameOf, type FileFence } from './exec-file-fence.ts';
import { O_PATH, withoutLinks } from './exec-file-open.ts';
import { shownPath, type FilePath } from './exec-file-path.ts';
import { WireError } from './wire-error.ts';

interface OpenParams {
  readonly path: FilePath;
  readonly followSymlinks: boolean;
}

/** Works on what is there, to read it. */
export function toRead<P extends OpenParams>(fence: FileFence, params: P, work: (params: P) => Promise<object>) {
  return held(fence, params, () => undefined, work);
}

/** What is there is written to; what is not is made, where nobody can put a link in its place. */
export async function toReplace<P extends OpenParams>(
  fence: FileFence,
  params: P,
  work: (params: P) => Promise<object>,
) {
  try {
    return await held(fence, params, (real) => fence.refuseWrite(real), work);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw error;
    }
  }
  return fence.entry(params.path, async ({ path, real }) => {
    fence.refuseWrite(real);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const made = await open(path, flags, 0o666);
    try {
      return await named(params, nameOf(made), work);
    } finally {
      await made.close();
    }
  });
}

function held<P extends OpenParams>(
  fence: FileFence,
  params: P,
  judge: (real: FilePath) => void,
  work: (params: P) => Promise<object>,
): Promise<object> {
  const through = (path: FilePath) =>
    fence.target(path, async (place) => {
      judge(place.real);
      return named(params, place.path, work);
    });
  // Without links on the way the name is held by its directory, and must be none itself.
  return params.followSymlinks
    ? through(params.path)
    : withoutLinks(params.path, async (path) => {
        const handle = await open(path, O_PATH | constants.O_NOFOLLOW);
        try {
          if ((await handle.stat()).isSymbolicLink()) {
            throw Object.assign(new Error('a link'), { code: 'ELOOP' });
          }
          return await through(nameOf(handle));
        } finally {
          await handle.close();
        }
      });
}

/** Does it by another name; what is said about it has the one that was asked for. */
async function named<P extends OpenParams>(
  params: P,
  path: FilePath,
  work: (params: P) => Promise<object>,
): Promise<object> {
  try {
    return await work({ ...params, path, followSymlinks: true });
  } catch (error) {
    throw error instanceof WireError
      ? new WireError(error.code, error.message.replaceAll(shownPath(path), shownPath(params.path)))
      : error;
  }
}
