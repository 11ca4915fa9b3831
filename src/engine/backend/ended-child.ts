import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

/**
 * Node keeps the object of an ended child until the whole heap is collected next: whatever it leads to would outlive
 * every collection of young objects, and be copied by them.
 */
export function letGo(child: ChildProcess): void {
  child.removeAllListeners();
  Object.assign(child, { stdin: null, stdout: null, stderr: null, stdio: [] });
}

/**
 * Keeps streams of a child paused through its exit: in the tick after it Node lets all of them flow (`flushStdio`). To be
 * called at `exit`.
 */
export function pauseAgain(streams: readonly Readable[], isPaused: () => boolean): void {
  process.nextTick(() =>
    process.nextTick(() => {
      if (isPaused()) {
        streams.forEach((stream) => stream.pause());
      }
    }),
  );
}
