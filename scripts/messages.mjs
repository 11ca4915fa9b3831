// @ts-check
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * A machine or a tree that is not as it must be. The message is addressed to the person at the
 * keyboard: what is wrong and what to do. Shown without a stack.
 */
export class SetupError extends Error {
  /**
   * @param {string} message
   * @param {{ cause?: unknown, details?: string }} [options] details: output of a failed program, printed as it is below the message.
   */
  constructor(message, options = {}) {
    super(message, { cause: options.cause });
    this.name = 'SetupError';
    /** @readonly */
    this.details = options.details ?? '';
  }
}

/**
 * Writes one line for a person to stderr. Stdout belongs to the program that is started.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`shellscope: ${line}\n`);
}

/** What the file system refuses for reasons that are the machine's and not ours. */
const refusedByMachine = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC'];

/**
 * Runs the main function of a script and sets the exit code: what `main` answers, or 1 after a
 * {@link SetupError} or a refusal of the file system. Any other error is a mistake in these scripts
 * and is left to end the process.
 * @param {() => Promise<number | void>} main Answers the exit code; nothing means 0.
 * @returns {Promise<boolean>} Whether it went through, with exit code 0.
 */
export async function runScript(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (error instanceof SetupError) {
      if (error.details !== '') {
        process.stderr.write(`${error.details.trimEnd()}\n`);
      }
    } else if (!(error instanceof Error && 'code' in error && refusedByMachine.includes(String(error.code)))) {
      throw error;
    }
    say(error.message);
    process.exitCode = 1;
  }
  return process.exitCode === 0;
}

/**
 * Tells whether a module was started as a program (`node scripts/x.mjs`) and not imported.
 * @param {string} moduleUrl `import.meta.url` of the asking module.
 */
export function isProgram(moduleUrl) {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === realpathSync(fileURLToPath(moduleUrl));
}
