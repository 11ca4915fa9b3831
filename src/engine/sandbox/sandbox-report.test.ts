import { describe, expect, test } from 'vitest';
import { inspectSandbox, type SandboxMachine } from './sandbox-report.ts';

const works = { exitCode: 0, output: '' };
const failed = { exitCode: 1, output: 'bwrap: No permissions to create new namespace\n' };

function machine(changed: Partial<SandboxMachine> & { readonly programs?: readonly string[] }): SandboxMachine {
  const { programs = ['bwrap', 'apt-get'] } = changed;
  return {
    platform: 'linux',
    isRoot: false,
    find: (program) => (programs.includes(program) ? `/usr/bin/${program}` : null),
    run: async (_program, args) => (args[0] === '--version' ? { exitCode: 0, output: 'bubblewrap 0.8.0\n' } : works),
    read: async () => null,
    ...changed,
  };
}

const missingOf = async (changed: Parameters<typeof machine>[0]) => {
  const report = await inspectSandbox(machine(changed));
  return report.kind === 'missing' ? report.missing[0] : null;
};

describe('what is told of a machine', () => {
  test('one that can, with the program it has', async () => {
    expect(await inspectSandbox(machine({}))).toEqual({
      kind: 'usable',
      tool: 'bubblewrap',
      program: '/usr/bin/bwrap',
      version: '0.8.0',
      canDisableUserNamespaces: true,
    });
  });

  test('an older bubblewrap does what it can', async () => {
    const report = await inspectSandbox(
      machine({ run: async (_program, args) => (args.includes('--disable-userns') ? failed : works) }),
    );
    expect(report).toMatchObject({ kind: 'usable', version: null, canDisableUserNamespaces: false });
  });

  test.each([
    [['apt-get'], false, 'sudo apt-get install -y bubblewrap'],
    [['apt-get'], true, 'apt-get install -y bubblewrap'],
    [['dnf'], false, 'sudo dnf install -y bubblewrap'],
    [['pacman'], false, 'sudo pacman -S --needed bubblewrap'],
    [[], false, null],
  ])('without bubblewrap, with %j, root %j: %s', async (programs, isRoot, install) => {
    expect(await missingOf({ programs, isRoot })).toEqual({
      what: 'bubblewrap',
      why: 'bubblewrap (bwrap), which fences commands in, is not installed',
      install,
    });
  });

  test.each([
    ['/proc/sys/kernel/unprivileged_userns_clone', '0\n', 'sudo sysctl -w kernel.unprivileged_userns_clone=1'],
    ['/proc/sys/user/max_user_namespaces', '0\n', 'sudo sysctl -w user.max_user_namespaces=15000'],
    [
      '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
      '1\n',
      'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
    ],
    ['/nothing', '', null],
  ])('where it cannot make one because of %s', async (file, text, install) => {
    const part = await missingOf({ run: async () => failed, read: async (path) => (path === file ? text : null) });
    expect(part?.install).toBe(install);
    expect(part?.why).toContain('No permissions to create new namespace');
  });

  test('a bubblewrap that cannot even be started is missing, with the reason', async () => {
    const part = await missingOf({ run: () => Promise.reject(new Error('EACCES')) });
    expect(part?.why).toContain('EACCES');
  });

  test('other systems: a Mac has its own, the rest none', async () => {
    expect(await inspectSandbox(machine({ platform: 'darwin', programs: ['sandbox-exec'] }))).toMatchObject({
      kind: 'usable',
      tool: 'seatbelt',
    });
    expect(await missingOf({ platform: 'darwin', programs: [] })).toMatchObject({ what: 'sandbox-exec' });
    expect(await missingOf({ platform: 'win32' })).toMatchObject({ install: null });
  });
});
