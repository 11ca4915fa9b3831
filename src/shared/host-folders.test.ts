import { expect, it } from 'vitest';
import { runtimeFolderOf, stateFolderOf } from './host-folders.ts';

const HOME = '/home/ada';

it.each([
  [{}, 'linux', '/home/ada/.local/state/shellscope'],
  [{ XDG_STATE_HOME: '/s', SHELLSCOPE_STATE_DIR: '' }, 'linux', '/s/shellscope'],
  [{ XDG_STATE_HOME: '/s', SHELLSCOPE_STATE_DIR: '/own' }, 'linux', '/own'],
  [{}, 'darwin', '/home/ada/Library/Application Support/shellscope'],
  [{ LOCALAPPDATA: 'C:\\L' }, 'win32', 'C:\\L\\shellscope'],
])('state with %j on %s is kept in %s', (environment, platform, folder) => {
  expect(stateFolderOf({ environment, platform, home: HOME })).toBe(folder);
});

it.each([
  [{}, '/home/ada/.local/state/shellscope/run'],
  [{ XDG_RUNTIME_DIR: '' }, '/home/ada/.local/state/shellscope/run'],
  [{ XDG_RUNTIME_DIR: '/run/user/7' }, '/run/user/7/shellscope'],
  [{ XDG_RUNTIME_DIR: '/run/user/7', SHELLSCOPE_STATE_DIR: '/own' }, '/own/run'],
  [{ XDG_RUNTIME_DIR: '/run/user/7', SHELLSCOPE_STATE_DIR: '/own', SHELLSCOPE_RUNTIME_DIR: '/r' }, '/r'],
])('the control socket with %j lies in %s', (environment, folder) => {
  expect(runtimeFolderOf({ environment, platform: 'linux', home: HOME })).toBe(folder);
});

it('who was not told of the runtime folder finds the socket in the same place as who was', () => {
  const facts = { platform: 'linux', home: HOME, userRuntime: '/run/user/7' };
  const told = runtimeFolderOf({ ...facts, environment: { XDG_RUNTIME_DIR: '/run/user/7' } });
  expect(runtimeFolderOf({ ...facts, environment: {} })).toBe(told);
  expect(runtimeFolderOf({ ...facts, environment: { SHELLSCOPE_STATE_DIR: '/own' } })).toBe('/own/run');
});
