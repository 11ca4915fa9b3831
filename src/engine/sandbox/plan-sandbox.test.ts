import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planSandbox } from './plan-sandbox.ts';
import { readOnly, sandboxKey, sandboxText, workspaceWrite, type FencePolicy } from './sandbox-policy.ts';

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'plan-')));
  await mkdir(join(folder, 'app', '.git', 'hooks'), { recursive: true });
  await writeFile(join(folder, 'app', '.git', 'config'), '');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const app = (...more: readonly string[]) => join(folder, 'app', ...more);
const plan = (policy: FencePolicy, environment: Readonly<Record<string, string>> = {}, cwd = app()) =>
  planSandbox({ policy, cwd, environment });

describe('the plan of a sandbox', () => {
  test('follows links once, and protects what protects itself where it is', async () => {
    await symlink(app(), join(folder, 'link'));
    await mkdir(app('.codex'));
    const {
      writable,
      readOnly: held,
      cwd,
    } = await plan(workspaceWrite(join(folder, 'link')), {}, join(folder, 'link'));
    expect({ writable, held, cwd }).toEqual({
      writable: [app()],
      held: [
        { path: app('.codex'), kind: 'folder' },
        { path: app('.git'), kind: 'folder' },
      ],
      cwd: app(),
    });
  });

  test('where commits may be made holds what steers git, and hooks also before they are there', async () => {
    await rm(app('.git', 'hooks'), { recursive: true });
    const { readOnly: held } = await plan(workspaceWrite(app(), { git: 'commits' }));
    expect(held).toEqual([
      { path: app('.git/config'), kind: 'file' },
      { path: app('.git/hooks'), kind: 'missing' },
    ]);
  });

  test('does not hold what is not there, is outside, or lies in what is held', async () => {
    const named = [app('none'), join(folder, 'outside'), app('.git', 'config')];
    const { readOnly: held } = await plan(workspaceWrite(app(), { readOnly: named }));
    expect(held).toEqual([{ path: app('.git'), kind: 'folder' }]);
  });

  test('hides the sockets that variables lead to', async () => {
    await mkdir(join(folder, 'sockets'));
    await Promise.all(['ssh', 'bus', 'docker'].map((name) => writeFile(join(folder, 'sockets', name), '')));
    const { hidden } = await plan(readOnly(), {
      SSH_AUTH_SOCK: join(folder, 'sockets/ssh'),
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, 'sockets/bus')},guid=1`,
      DOCKER_HOST: `unix://${join(folder, 'sockets/docker')}`,
      WAYLAND_DISPLAY: 'wayland-0',
    });
    expect(hidden.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['bus', 'docker', 'ssh'].map((name) => join(folder, 'sockets', name))),
    );
  });

  test('with the real temporary folders lets them be written to, TMPDIR among them', async () => {
    const { writable, replaced } = await plan(workspaceWrite(app(), { temp: 'host' }), { TMPDIR: folder });
    expect(writable).toEqual(expect.arrayContaining([await realpath('/tmp'), folder, app()]));
    expect(replaced.filter(({ isWritable }) => isWritable)).toEqual([]);
  });

  test.each([
    ['a root that is not there', () => workspaceWrite(join(folder, 'none')), 'cannot be found'],
    ['a root that is a file', () => workspaceWrite(app('.git', 'config')), 'is no folder'],
    ['a root by half a path', () => workspaceWrite('app'), 'no absolute path'],
    ['everything', () => workspaceWrite('/'), 'there is no sandbox'],
  ])('is refused for %s', async (_what, policy, why) => {
    await expect(plan(policy())).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(why),
    });
  });

  test('is refused where a link stands in the place of what is protected', async () => {
    await rm(app('.git'), { recursive: true });
    await symlink(folder, app('.git'));
    await expect(plan(workspaceWrite(app()))).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`${app('.git')} is a link`),
    });
  });
});

describe('the names of a sandbox', () => {
  test('for a person', () => {
    expect([{ kind: 'none' } as const, readOnly(), workspaceWrite('/a', { network: 'host' })].map(sandboxText)).toEqual(
      ['none', 'read-only, no network', 'workspace-write, with network'],
    );
  });

  test('for a grant: the same for the same, whatever the order', () => {
    const one = workspaceWrite('/a', { hidden: ['/b', '/c'] });
    expect(sandboxKey(one)).toBe(sandboxKey({ ...one, hidden: ['/c', '/b'] }));
    for (const other of [
      { network: 'host' },
      { temp: 'host' },
      { git: 'commits' },
      { writable: ['/a', '/d'] },
    ] as const) {
      expect(sandboxKey({ ...one, ...other })).not.toBe(sandboxKey(one));
    }
    expect(sandboxKey({ kind: 'none' })).toBe('none');
  });
});
