import type { FencePlaces, FencePolicy } from '../../engine/engine.ts';
import { EngineError } from '../../shared/errors.ts';
import { copy } from './exec-file-copy.ts';
import { FileFence } from './exec-file-fence.ts';
import { fencedFileMethods } from './exec-file-fenced.ts';
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
import { sandboxFromContext } from './exec-sandbox.ts';
import { isFullAccess, WireErrorCode, type Method, type Params } from './exec-server-schema.ts';
import { WireError } from './wire-error.ts';

export type FileMethod = Extract<Method, `fs/${string}`>;

/** What a file call works on. */
export interface FileCall {
  readonly handles: FileHandles;
  readonly watches: MissingWatches;
  /** Where a fence's places are on this machine. */
  readonly places: (policy: FencePolicy) => Promise<FencePlaces>;
  /** The connection that asked is gone: nobody waits for the answer. */
  readonly connectionGone: AbortSignal;
  /** The session that asked has ended. */
  readonly sessionEnded: AbortSignal;
}

/** What answers each file method. They throw a `WireError`, or the error of the system as it came. */
const fileMethods: {
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

/** A file call, within the fence that it asks for or without one. */
export async function fileCall<M extends FileMethod>(method: M, call: FileCall, params: Params<M>): Promise<object> {
  const { sandbox } = params as { readonly sandbox?: unknown };
  const fence = await fileFence(sandbox, call.places);
  return fence === null
    ? fileMethods[method](call, params)
    : // What works on something that is open asks for no fence.
      (fencedFileMethods as unknown as Readonly<Record<M, FencedCall<M>>>)[method](fence, call, params);
}

type FencedCall<M extends FileMethod> = (fence: FileFence, call: FileCall, params: Params<M>) => Promise<object>;

/** Null for none. Throws a `WireError` for one that cannot be held here. */
async function fileFence(sandbox: unknown, places: FileCall['places']): Promise<FileFence | null> {
  if (sandbox === undefined || sandbox === null || isFullAccess(sandbox)) {
    return null;
  }
  const mapped = sandboxFromContext(sandbox);
  if (mapped.kind === 'refused') {
    throw new WireError(WireErrorCode.invalidParams, mapped.why);
  }
  if (mapped.policy.kind === 'none') {
    return null;
  }
  if (process.platform !== 'linux') {
    throw new WireError(
      WireErrorCode.invalidParams,
      'sandbox: file calls cannot be fenced in on this system; start the client without a sandbox (danger-full-access)',
    );
  }
  try {
    return new FileFence(await places(mapped.policy));
  } catch (error) {
    throw error instanceof EngineError ? new WireError(WireErrorCode.invalidParams, error.message) : error;
  }
}

export function isFileMethod(method: Method): method is FileMethod {
  return Object.hasOwn(fileMethods, method);
}
