import { pathToFileURL } from 'node:url';

/**
 * The `sandbox` that Codex sends with a request to an exec-server for workspace-write, its own places left out: everything
 * may be read but what is `hidden` (absolute paths), and only the workspace may be written to.
 */
export function workspaceWriteContext(
  workspace: string,
  { hidden = [] }: { readonly hidden?: readonly string[] } = {},
): Readonly<Record<string, unknown>> {
  return {
    permissions: {
      type: 'managed',
      network: 'restricted',
      file_system: {
        type: 'restricted',
        entries: [
          { path: { type: 'special', value: { kind: 'root' } }, access: 'read' },
          { path: { type: 'special', value: { kind: 'project_roots' } }, access: 'write' },
          ...hidden.map((path) => ({ path: { type: 'path', path }, access: 'none' })),
        ],
      },
    },
    workspaceRoots: [pathToFileURL(workspace).href],
  };
}
