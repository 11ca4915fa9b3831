import { describe, expect, test } from 'vitest';
import { sandboxFromContext } from './exec-sandbox.ts';

const special = (kind: string, access: string, subpath?: string) => ({
  path: { type: 'special', value: { kind, ...(subpath === undefined ? {} : { subpath }) } },
  access,
  ...(subpath === undefined ? {} : { missing_path_behavior: 'skip' }),
});

/** As the client 0.169 sends it for workspace-write. */
const context = (entries: readonly unknown[], network = 'restricted') => ({
  permissions: { type: 'managed', file_system: { type: 'restricted', entries }, network },
  cwd: 'file:///home/ada/app',
  workspaceRoots: ['file:///home/ada/my%20app'],
  windowsSandboxLevel: 'disabled',
  windowsSandboxProxySettingsMode: 'reconcile',
  useLegacyLandlock: false,
});

const WORKSPACE_WRITE = [
  special('root', 'read'),
  special('project_roots', 'write'),
  special('slash_tmp', 'write'),
  special('tmpdir', 'write'),
  special('project_roots', 'read', '.git'),
  special('project_roots', 'read', '.codex'),
];

const refusalOf = (sandbox: unknown) => {
  const mapped = sandboxFromContext(sandbox);
  return mapped.kind === 'refused' ? mapped.why : mapped;
};

describe('the sandbox that Codex asks for', () => {
  test('workspace-write: its roots and the temporary folders, without the network', () => {
    expect(sandboxFromContext(context(WORKSPACE_WRITE))).toEqual({
      kind: 'policy',
      policy: {
        kind: 'workspace-write',
        writable: ['/home/ada/my app'],
        readOnly: ['/home/ada/my app/.git', '/home/ada/my app/.codex'],
        hidden: [],
        network: 'none',
        temp: 'host',
        git: 'read-only',
      },
    });
  });

  test('read-only: nothing to write to', () => {
    expect(sandboxFromContext(context([special('root', 'read')], 'enabled'))).toMatchObject({
      policy: { kind: 'read-only', writable: [], network: 'host', temp: 'private' },
    });
  });

  test('folders by their paths, and places that cannot be read', () => {
    const entries = [
      special('root', 'read'),
      { path: { type: 'path', path: '/srv/data' }, access: 'write' },
      { path: { type: 'path', path: 'file:///srv/secret' }, access: 'none' },
    ];
    expect(sandboxFromContext(context(entries))).toMatchObject({
      policy: { kind: 'workspace-write', writable: ['/srv/data'], hidden: ['/srv/secret'] },
    });
  });

  test.each([
    null,
    undefined,
    { permissions: { type: 'disabled' } },
    { permissions: { type: 'managed', network: 'enabled', file_system: { type: 'unrestricted' } } },
  ])('none: %j', (sandbox) => {
    expect(sandboxFromContext(sandbox)).toEqual({ kind: 'policy', policy: { kind: 'none' } });
  });
});

describe('what cannot be built is refused, and named', () => {
  const root = special('root', 'read');

  test.each([
    [{}, 'sandbox.permissions'],
    [true, 'sandbox'],
    [{ permissions: { type: 'external' } }, 'sandbox.permissions.type'],
    [context([root], 'some'), 'sandbox.permissions.network'],
    [context([special('root', 'execute')]), 'sandbox.permissions.file_system.entries.0.access'],
    [context([{ ...root, unless: 'x' }]), 'sandbox.permissions.file_system.entries.0'],
    [context([{ ...root, missing_path_behavior: 'create' }]), 'missing_path_behavior'],
    [context([special('root', 'write')]), '/ with the access `write`'],
    [context([special('project_roots', 'write')]), 'not everything can be read'],
    [context([root, special('moon', 'read')]), 'moon'],
    [context([root, special('slash_tmp', 'write', 'x')]), 'slash_tmp'],
    [context([root, special('tmpdir', 'write')]), 'TMPDIR'],
    [context([root, special('slash_tmp', 'none')]), 'slash_tmp'],
    [context([root, special('project_roots', 'write', '../other')]), '../other'],
    [context([root, { path: { type: 'path', path: 'a/b' }, access: 'write' }]), 'a/b'],
    [{ ...context([root]), workspaceRoots: ['file://elsewhere/x'] }, 'workspaceRoots'],
    [
      { permissions: { type: 'managed', network: 'restricted', file_system: { type: 'unrestricted' } } },
      'network alone',
    ],
  ])('%j', (sandbox, named) => {
    expect(refusalOf(sandbox)).toContain(named);
  });
});
