import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

/**
 * The file operations that control groups are made of. An interface, so that the rules of the kernel can be played by
 * a test where the real ones may not be touched. Paths are absolute. All but `read` throw what the system says.
 */
export interface CgroupFiles {
  /** The file's text, or null when it cannot be read, whatever the reason. */
  read(path: string): string | null;
  /** Writes in one write(2), into a file that exists: control files are never created. */
  write(path: string, text: string): void;
  makeFolder(path: string): void;
  /** Fails with EBUSY while something in the group has not been reaped. */
  removeFolder(path: string): void;
}

/** The real ones. */
export const systemCgroupFiles: CgroupFiles = {
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      // Not there, or not ours to read: in both cases the kernel tells nothing here.
      return null;
    }
  },
  write(path, text) {
    writeFileSync(path, text, { flag: 'r+' });
  },
  makeFolder(path) {
    mkdirSync(path);
  },
  removeFolder(path) {
    rmdirSync(path);
  },
};
