import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, open, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Threads that Node has for the disk, unless it is told otherwise. */
const THREADS = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);

/**
 * Does something while no look at the disk is answered in this process, as when a network disk hangs: each of its threads
 * waits for the other end of a pipe. What was asked for meanwhile is answered afterwards.
 */
export async function whileDiskIsSlow(deed: () => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'shellscope-slow-disk-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const opened = Array.from(
    { length: THREADS },
    () =>
      new Promise<number>((resolve, reject) => {
        open(pipe, 'r', (error, descriptor) => (error === null ? resolve(descriptor) : reject(error)));
      }),
  );
  try {
    await deed();
  } finally {
    const other = openSync(pipe, 'w');
    for (const descriptor of await Promise.all(opened)) {
      closeSync(descriptor);
    }
    closeSync(other);
    rmSync(folder, { recursive: true });
  }
}
