import { execFileSync } from 'node:child_process';

let found: string | null = null;

/**
 * Path of the Python that `python3` stands for. Where that is the script of a version manager, which starts several
 * programs before it becomes Python, a test would wait for them each time. Throws when there is none.
 */
export function pythonProgram(): string {
  found ??= execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
  return found;
}
