// @ts-check
import { renameSync, writeFileSync } from 'node:fs';

/**
 * Writes a file so that a reader sees the old text or the new one, never a part.
 * @param {string} file Its folder exists.
 * @param {string} text
 */
export function writeAtomically(file, text) {
  const partial = `${file}.${process.pid}.partial`;
  writeFileSync(partial, text);
  renameSync(partial, file);
}
