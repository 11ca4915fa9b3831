import { inspectSandbox, type SandboxReport } from '../../src/engine/sandbox/sandbox-report.ts';
import { thisMachine } from '../../src/engine/this-machine.ts';

/** What this machine can do, looked at once. */
export const sandboxReport: SandboxReport = await inspectSandbox(thisMachine);

/** Why tests of the sandbox cannot run here; null when they can. */
export const NO_SANDBOX: string | null =
  sandboxReport.kind === 'usable'
    ? null
    : sandboxReport.missing.map(({ why, install }) => `${why} (${install})`).join('; ');

// Where a sandbox is expected, that tests of it did not run must not look like success.
if (NO_SANDBOX !== null && process.platform === 'linux' && process.env['CI'] !== undefined) {
  throw new Error(`the tests of the sandbox cannot run: ${NO_SANDBOX}`);
}
