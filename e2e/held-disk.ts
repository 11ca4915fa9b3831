import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Shellscope } from './fixtures.ts';

/** From now on no look at the disk is answered in the app, as when a network disk hangs; the answer ends that. */
export async function holdDisk(shellscope: Shellscope, stateFolder: string): Promise<() => Promise<void>> {
  const pipe = join(stateFolder, 'held');
  execFileSync('mkfifo', [pipe]);
  await shellscope.inApp((_electron, path) => {
    const { open, closeSync } = process.getBuiltinModule('node:fs');
    // One for each thread that Node has for the disk.
    for (let thread = 0; thread < Number(process.env['UV_THREADPOOL_SIZE'] ?? 4); thread += 1) {
      open(path, 'r', (_error, descriptor) => closeSync(descriptor));
    }
  }, pipe);
  return () =>
    shellscope.inApp((_electron, path) => {
      const { closeSync, openSync } = process.getBuiltinModule('node:fs');
      // Both ways: a reader that was woken already is not missed, and none is waited for.
      const descriptor = openSync(path, 'r+');
      setTimeout(() => closeSync(descriptor), 1_000);
    }, pipe);
}
