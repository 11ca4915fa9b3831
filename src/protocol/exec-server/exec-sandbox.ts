import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { SandboxPolicy } from '../../engine/engine.ts';

/** The fence that a client's `sandbox` asks for, or why this host cannot build it. */
export type MappedSandbox =
  | { readonly kind: 'policy'; readonly policy: SandboxPolicy }
  | { readonly kind: 'refused'; readonly why: string };

const place = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('special'),
    value: z.strictObject({ kind: z.string(), subpath: z.string().nullish() }),
  }),
  z.strictObject({ type: z.literal('path'), path: z.string() }),
]);

const entry = z.strictObject({
  path: place,
  access: z.enum(['read', 'write', 'none']),
  // A place that is not there is never held here; that is what `skip` says.
  missing_path_behavior: z.literal('skip').nullish(),
});
type Entry = z.output<typeof entry>;

/**
 * What Codex sends (0.169; research of its wire, 1.7). Of `permissions` every word is known or refused: a word that is
 * not understood could be a fence. The rest is about other systems.
 */
const context = z.object({
  permissions: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('disabled') }),
    z.strictObject({
      type: z.literal('managed'),
      network: z.enum(['restricted', 'enabled']),
      file_system: z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('unrestricted') }),
        z.strictObject({ type: z.literal('restricted'), entries: z.array(entry).max(1000) }),
      ]),
    }),
  ]),
  workspaceRoots: z.array(z.string()).max(100).default([]),
});

/** Our fence for the `sandbox` of a start. Null and absent ask for none. */
export function sandboxFromContext(sandbox: unknown): MappedSandbox {
  if (sandbox === undefined || sandbox === null) {
    return { kind: 'policy', policy: { kind: 'none' } };
  }
  const parsed = context.safeParse(sandbox);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refused(`${['sandbox', ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'it cannot be read'}`);
  }
  const { permissions, workspaceRoots } = parsed.data;
  if (permissions.type === 'disabled') {
    return { kind: 'policy', policy: { kind: 'none' } };
  }
  const { file_system: files, network } = permissions;
  if (files.type === 'unrestricted') {
    return network === 'enabled'
      ? { kind: 'policy', policy: { kind: 'none' } }
      : refused('sandbox: a fence around the network alone cannot be built here');
  }
  const roots = workspaceRoots.map(localPath);
  if (!roots.every((root) => root !== null)) {
    return refused('sandbox.workspaceRoots: each must be a file: URI, or an absolute path, of this machine');
  }
  return mapEntries(files.entries, roots.map(String), network === 'enabled' ? 'host' : 'none');
}

function refused(why: string): MappedSandbox {
  return { kind: 'refused', why };
}

/** Whether it is a folder of the machine or stands for one. `undefined`: an unknown one. */
type Meant = 'root' | 'slash_tmp' | 'tmpdir' | readonly string[] | undefined;

function mapEntries(entries: readonly Entry[], roots: readonly string[], network: 'none' | 'host'): MappedSandbox {
  const lists = { write: new Set<string>(), read: new Set<string>(), none: new Set<string>() };
  let isRootReadable = false;
  const temporary = new Set<string>();
  for (const { path, access } of entries) {
    const meant = meaning(path, roots);
    if (meant === undefined) {
      return refused(`sandbox: the place ${JSON.stringify(path)} is not known here`);
    }
    if (meant === 'root') {
      if (access !== 'read') {
        return refused(`sandbox: / with the access \`${access}\` cannot be built here`);
      }
      isRootReadable = true;
    } else if (meant === 'slash_tmp' || meant === 'tmpdir') {
      if (access === 'none') {
        return refused(`sandbox: ${meant} that cannot be read cannot be built here`);
      }
      // What may be read there is what lies there; the folder of our own is for what may be written to.
      temporary.add(`${meant} ${access}`);
    } else {
      for (const folder of meant) {
        lists[access].add(folder);
      }
    }
  }
  if (!isRootReadable) {
    return refused('sandbox: a fence in which not everything can be read cannot be built here');
  }
  if (temporary.has('tmpdir write') && !temporary.has('slash_tmp write')) {
    return refused('sandbox: TMPDIR that may be written to without /tmp cannot be built here');
  }
  return {
    kind: 'policy',
    policy: {
      kind: lists.write.size === 0 && !temporary.has('slash_tmp write') ? 'read-only' : 'workspace-write',
      writable: [...lists.write],
      readOnly: [...lists.read],
      hidden: [...lists.none],
      network,
      // Codex shares /tmp with what runs outside, and its tools look for files of one another there.
      temp: temporary.has('slash_tmp write') ? 'host' : 'private',
      git: 'read-only',
    },
  };
}

function meaning(path: Entry['path'], roots: readonly string[]): Meant {
  if (path.type === 'path') {
    const local = localPath(path.path);
    return local === null ? undefined : local === '/' ? 'root' : [local];
  }
  const { kind, subpath } = path.value;
  if (kind === 'project_roots') {
    // A way out of the root would be a folder that the client did not name.
    const isInside = (root: string) => `${resolve(root, subpath ?? '')}/`.startsWith(root === '/' ? '/' : `${root}/`);
    return roots.every(isInside) ? roots.map((root) => join(root, subpath ?? '')) : undefined;
  }
  const isPlain = subpath === undefined || subpath === null;
  return isPlain && (kind === 'root' || kind === 'slash_tmp' || kind === 'tmpdir') ? kind : undefined;
}

function localPath(text: string): string | null {
  if (isAbsolute(text)) {
    return resolve(text);
  }
  try {
    const url = new URL(text);
    return url.protocol === 'file:' && (url.hostname === '' || url.hostname === 'localhost')
      ? resolve(fileURLToPath(url))
      : null;
  } catch {
    // No URI, or one with an encoding that no path has.
    return null;
  }
}
