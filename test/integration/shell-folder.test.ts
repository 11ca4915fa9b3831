import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { SessionId, SessionInfo } from '../../src/shared/session.ts';
import { test as base } from '../support/engine-world.ts';

const SHELL = ['/bin/bash', '--norc', '-i'];

const test = base.extend<{ folder: string }>({
  folder: async ({ task }, use) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), `shellscope-folder-${task.id}-`)));
    await mkdir(join(folder, 'inner'));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

/** Resolves when the session's folder is that; a test that waits in vain says what it is. */
async function comesTo(engine: Engine, id: SessionId, path: string, host: string | null = null): Promise<void> {
  const isThere = ({ folder }: SessionInfo): boolean => folder?.path === path && folder.host === host;
  const { promise, resolve } = withResolver();
  const stop = engine.onEvent((event) => {
    if (event.type === 'changed' && event.session.id === id && isThere(event.session)) {
      resolve();
    }
  });
  if (isThere(await engine.get(id))) {
    resolve();
  }
  await promise;
  stop();
}

function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe.runIf(process.platform === 'linux')('the folder of a session', () => {
  test('follows its shell, also into a shell in it and back, and stays where it was last seen', async ({
    world,
    folder,
  }) => {
    const { engine } = world;
    const { id, cwd } = await world.start(SHELL);
    const type = (line: string) => engine.write(id, Buffer.from(`${line}\r`));
    await comesTo(engine, id, cwd);
    await type(`cd ${folder}`);
    await comesTo(engine, id, folder);
    await type(`bash --norc -i`);
    await type(`cd inner`);
    await comesTo(engine, id, join(folder, 'inner'));
    await type('exit');
    await comesTo(engine, id, folder);
    await type('cd inner && exit');
    const { folder: last, cwd: start } = await world.closed(id);
    expect([last, start]).toEqual([{ path: folder, host: null, isHome: false }, cwd]);
  });

  test('is that of a command which goes elsewhere before it runs something long', async ({ world, folder }) => {
    const { id } = await world.start(['/bin/sh', '-c', `cd ${folder}/inner && sleep 300; :`]);
    await comesTo(world.engine, id, join(folder, 'inner'));
  });

  test('is that of another machine while a program tells of it, and until the shell is at its prompt again', async ({
    world,
    folder,
  }) => {
    const { engine } = world;
    const { id } = await world.start(SHELL, { cwd: folder });
    await comesTo(engine, id, folder);
    await engine.write(id, Buffer.from(`printf '\\033]7;file://build-3/srv/a%%20b\\007'; sleep 300\r`));
    await comesTo(engine, id, '/srv/a b', 'build-3');
    await engine.write(id, Buffer.from('\u0003'));
    await comesTo(engine, id, folder);
  });

  test('is not what a program says of this machine, where the system knows better', async ({ world, folder }) => {
    const { engine } = world;
    const told = new Set<string | undefined>();
    const stop = engine.onEvent((event) => told.add(event.type === 'changed' ? event.session.folder?.path : undefined));
    const script = `printf '\\033]7;file://${hostname()}/etc\\007\\033]9;4;3\\007'; read go; cd inner; read go`;
    const { id } = await world.start(['/bin/sh', '-c', script], { cwd: folder });
    await comesTo(engine, id, folder);
    await engine.write(id, Buffer.from('\r'));
    await comesTo(engine, id, join(folder, 'inner'));
    stop();
    expect(told).toEqual(new Set([undefined, folder, join(folder, 'inner')]));
  });
});
