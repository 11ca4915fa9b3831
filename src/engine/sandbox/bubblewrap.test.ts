import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bubblewrapArguments } from './bubblewrap.ts';
import type { SandboxPlan } from './sandbox-plan.ts';
import { seatbeltArguments } from './seatbelt.ts';

const plan: SandboxPlan = {
  cwd: '/home/ada/app',
  visible: ['/home/ada/app'],
  replaced: [
    { path: '/run', isWritable: false },
    { path: '/tmp', isWritable: true },
  ],
  writable: ['/home/ada/app'],
  readOnly: [
    { path: '/home/ada/app/.git/hooks', kind: 'folder' },
    { path: '/home/ada/app/.git/config', kind: 'file' },
  ],
  hidden: [
    { path: '/home/me/.local/state/shellscope', kind: 'folder' },
    { path: '/home/me/.control.sock', kind: 'file' },
    { path: '/tmp/.X11-unix', kind: 'folder' },
  ],
  network: 'none',
  temp: 'private',
};

const withAbilities = (changed: Partial<SandboxPlan> = {}, canDisableUserNamespaces = true) =>
  bubblewrapArguments({ ...plan, ...changed }, { canDisableUserNamespaces });

describe('the arguments of bubblewrap', () => {
  test('mount the system read-only, then what is writable, then what is not, then what is hidden', () => {
    expect(withAbilities()).toEqual([
      '--die-with-parent',
      ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--unshare-net'],
      ...['--disable-userns', '--cap-drop', 'ALL'],
      ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
      ...['--perms', '1777', '--tmpfs', '/run', '--perms', '1777', '--tmpfs', '/tmp'],
      ...[
        '--ro-bind-try',
        '/run/current-system',
        '/run/current-system',
        '--ro-bind-try',
        '/run/wrappers',
        '/run/wrappers',
      ],
      ...['--ro-bind-try', '/run/opengl-driver', '/run/opengl-driver'],
      ...['--ro-bind-try', '/run/booted-system', '/run/booted-system'],
      ...['--bind', '/home/ada/app', '/home/ada/app', '--remount-ro', '/run'],
      ...['--bind', '/home/ada/app/.git', '/home/ada/app/.git'],
      ...['--ro-bind', '/home/ada/app/.git/hooks', '/home/ada/app/.git/hooks'],
      ...['--ro-bind', '/home/ada/app/.git/config', '/home/ada/app/.git/config'],
      ...['--tmpfs', '/home/me/.local/state/shellscope', '--remount-ro', '/home/me/.local/state/shellscope'],
      ...['--ro-bind', '/dev/null', '/home/me/.control.sock'],
      ...['--chdir', '/home/ada/app', '--'],
    ]);
  });

  test('bring the way to the listed hosts into a network of its own, and start the relay with it', () => {
    const args = withAbilities({ network: { relay: '/opt/out/native/relay', socket: '/run/user/1/s/network/7-1' } });
    expect(args).toContain('--unshare-net');
    const relay = args.indexOf('/opt/out/native/relay');
    expect(args.slice(relay - 1, relay + 5)).toEqual([
      ...['--ro-bind', '/opt/out/native/relay', '/run/shellscope/relay'],
      ...['--ro-bind', '/run/user/1/s/network/7-1', '/run/shellscope/network'],
    ]);
    // The folder in memory is there by then, and still may be written to.
    expect(args.lastIndexOf('/run', relay)).toBeLessThan(relay);
    expect(args.indexOf('--remount-ro')).toBeGreaterThan(relay);
    expect(args.slice(args.indexOf('--'))).toEqual(['--', '/run/shellscope/relay', '/run/shellscope/network', '31280']);
  });

  test('never take the terminal away, and never leave the network open unasked', () => {
    fc.assert(
      fc.property(fc.constantFrom('none', 'host'), fc.boolean(), fc.boolean(), (network, canDisable, isPrivate) => {
        const args = withAbilities({ network, temp: isPrivate ? 'private' : 'host' }, canDisable);
        expect(args).not.toContain('--new-session');
        expect(args.includes('--unshare-net')).toBe(network === 'none');
        expect(args.includes('--disable-userns')).toBe(canDisable);
        expect(args.at(-1)).toBe('--');
      }),
    );
  });

  test('keep a directory visible that lies in a replaced folder', () => {
    const args = withAbilities({ cwd: '/tmp/app', visible: ['/tmp/app'], writable: [], readOnly: [] });
    expect(args.join(' ')).toContain('--ro-bind /tmp/app /tmp/app');
    const writable = withAbilities({ cwd: '/tmp/app', visible: ['/tmp/app'], writable: ['/tmp/app'], readOnly: [] });
    expect(writable.join(' ')).not.toContain('--ro-bind /tmp/app');
  });

  test('hold every folder between a writable one and what is protected in it', () => {
    const args = withAbilities({ readOnly: [{ path: '/home/ada/app/a/b/c', kind: 'file' }] }).join(' ');
    expect(args).toContain(
      '--bind /home/ada/app/a /home/ada/app/a --bind /home/ada/app/a/b /home/ada/app/a/b --ro-bind /home/ada/app/a/b/c',
    );
  });

  test('put an empty folder where nothing may be made', () => {
    const args = withAbilities({ readOnly: [{ path: '/home/ada/app/.git/hooks', kind: 'missing' }] }).join(' ');
    expect(args).toContain('--tmpfs /home/ada/app/.git/hooks --remount-ro /home/ada/app/.git/hooks');
  });
});

describe('the profile of Seatbelt (never run on a Mac yet)', () => {
  const [, profile = '', ...parameters] = seatbeltArguments(plan);

  test('denies what is not allowed, and last what is protected and hidden', () => {
    const lines = profile.split('\n');
    expect(lines.slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
    expect(lines.slice(-4)).toEqual([
      '(allow file-write* (subpath (param "WRITABLE_0")))',
      '(deny file-write* (subpath (param "READ_ONLY_0")) (subpath (param "READ_ONLY_1")))',
      '(deny file-write-unlink (literal (param "HELD_0")))',
      '(deny file-read* file-write* network-outbound (subpath (param "HIDDEN_0")) (subpath (param "HIDDEN_1")) (subpath (param "HIDDEN_2")))',
    ]);
    expect(profile).not.toContain('(allow network');
  });

  test('has paths as parameters only', () => {
    expect(profile).not.toContain('/work');
    expect(parameters).toContain('WRITABLE_0=/home/ada/app');
    expect(parameters).toContain('HELD_0=/home/ada/app/.git');
    const [, quoted = ''] = seatbeltArguments({ ...plan, writable: ['/a")(allow default)("'] });
    expect(quoted).not.toContain('allow default');
  });

  test('opens the network only when asked', () => {
    expect(seatbeltArguments({ ...plan, network: 'host' })[1]).toContain('(allow network*');
  });
});
