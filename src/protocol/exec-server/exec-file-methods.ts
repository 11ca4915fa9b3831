import { copy } from './exec-file-copy.ts';
import type { FileHandles } from './exec-file-handles.ts';
import {
  canonicalize,
  createDirectory,
  getMetadata,
  readDirectory,
  readFile,
  remove,
  writeFile,
} from './exec-file-system.ts';
import { walk } from './exec-file-walk.ts';
import type { MissingWatches } from './exec-missing-watches.ts';
import type { Method, Params } from './exec-server-schema.ts';

export type FileMethod = Extract<Method, `fs/${string}`>;

/** What a file call works on. */
export interface FileCall {
  readonly handles: FileHandles;
  readonly watches: MissingWatches;
  /** The connection that asked is gone: nobody waits for the answer. */
  readonly connectionGone: AbortSignal;
  /** The session that asked has ended. */
  readonly sessionEnded: AbortSignal;
}

/** What answers each file method. They throw a `WireError`, or the error of the system as it came. */
export const fileMethods: {
  readonly [M in FileMethod]: (call: FileCall, params: Params<M>) => Promise<object>;
} = {
  'fs/readFile': (_call, params) => readFile(params),
  'fs/writeFile': (_call, params) => writeFile(params),
  'fs/createDirectory': (_call, params) => createDirectory(params),
  'fs/getMetadata': (_call, params) => getMetadata(params),
  'fs/canonicalize': (_call, params) => canonicalize(params),
  'fs/readDirectory': (_call, params) => readDirectory(params),
  'fs/walk': ({ connectionGone }, params) => walk(params, connectionGone),
  'fs/remove': (_call, params) => remove(params),
  'fs/copy': ({ sessionEnded }, params) => copy(params, sessionEnded),
  'fs/open': ({ handles }, params) => handles.open(params),
  'fs/readBlock': ({ handles }, params) => handles.readBlock(params),
  'fs/writeBlock': ({ handles }, params) => handles.writeBlock(params),
  'fs/close': ({ handles }, params) => handles.close(params),
  'fs/watchMissing': ({ watches }, params) => watches.add(params),
};

export function isFileMethod(method: Method): method is FileMethod {
  return Object.hasOwn(fileMethods, method);
}
