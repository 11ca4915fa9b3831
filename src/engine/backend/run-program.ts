import { execFile } from 'node:child_process';

/** How a program ended that was run for its answer. */
export interface ProgramAnswer {
  /** Null when it was killed, e.g. at the time limit. */
  readonly exitCode: number | null;
  /** Its stdout, then its stderr. */
  readonly output: string;
}

/** Runs one of the system's programs to its end. Rejects only when it cannot be started. */
export function runProgram(file: string, args: readonly string[], timeoutMs: number): Promise<ProgramAnswer> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { timeout: timeoutMs, cwd: '/' }, (error, stdout, stderr) => {
      const code = error === null ? 0 : (error.code ?? null);
      if (typeof code === 'string') {
        reject(error ?? new Error(code));
      } else {
        resolve({ exitCode: code, output: stdout + stderr });
      }
    });
  });
}
