import { EngineError } from '../../shared/errors.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { PROXY_VARIABLES, relayProgram } from './network-door.ts';
import { planSandbox } from './plan-sandbox.ts';
import type { FencePolicy, SandboxPolicy } from './sandbox-policy.ts';
import type { SandboxReport } from './sandbox-report.ts';
import { seatbeltArguments } from './seatbelt.ts';

/** A command as it was asked for. */
export interface UnfencedCommand {
  /** The program first. */
  readonly argv: readonly string[];
  /** What the child sees as its own name, when not `argv[0]`. */
  readonly arg0?: string;
  readonly cwd: string;
  /** The child's whole environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** How a command is put into its sandbox: another program starts it, in the same directory and on the same terminal. */
export interface Fence {
  /** Words to put before the command's own; none without a sandbox. */
  readonly prefix: readonly string[];
  /** Variables that differ inside. */
  readonly environment: Readonly<Record<string, string>>;
}

/** bwrap of Debian 12 cannot set the child's own name, and sandbox-exec never can; bash does. */
const NAMED_BY_BASH = ['/bin/bash', '-p', '-c', 'exec -a "$0" -- "$@"'];

/**
 * How to put a command into its sandbox (D4); for `none`, not at all. Rejects with `sandbox-missing` where this
 * machine cannot do it, and says what to install: a command that shall be fenced in never runs outside of it (D8).
 * `networkSocket` is where the proxy listens that lets it reach the policy's hosts.
 */
export async function fenceFor(
  command: UnfencedCommand,
  policy: SandboxPolicy,
  report: SandboxReport,
  networkSocket: string | null = null,
): Promise<Fence> {
  const { argv, arg0, cwd, environment } = command;
  if (policy.kind === 'none') {
    return { prefix: [], environment: {} };
  }
  if (report.kind === 'missing') {
    throw new EngineError('sandbox-missing', missingText(report.missing));
  }
  const isListed = typeof policy.network !== 'string';
  if (isListed && report.tool !== 'bubblewrap') {
    throw new EngineError(
      'sandbox-missing',
      'a list of hosts can be held on Linux only yet; ask for no network, or all',
    );
  }
  const door = isListed && networkSocket !== null ? { relay: relayProgram(), socket: networkSocket } : null;
  const plan = await planSandbox({ policy, cwd, environment, ...(door === null ? {} : { door }) });
  const naming = arg0 === undefined || arg0 === argv[0] ? [] : [...NAMED_BY_BASH, arg0];
  const args = report.tool === 'bubblewrap' ? bubblewrapArguments(plan, report) : seatbeltArguments(plan);
  return {
    prefix: [report.program, ...args, ...naming],
    environment: { ...insideEnvironment(policy, environment), ...(door === null ? {} : PROXY_VARIABLES) },
  };
}

/** A private /tmp is the only temporary folder that can be written to. */
function insideEnvironment(
  { temp }: FencePolicy,
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return temp === 'private' && environment['TMPDIR'] !== undefined ? { TMPDIR: '/tmp' } : {};
}

function missingText(parts: Extract<SandboxReport, { kind: 'missing' }>['missing']): string {
  const sentences = parts.map(({ why, install }) => (install === null ? why : `${why}. To mend it: ${install}`));
  return `it shall run in a sandbox, and none can be made: ${sentences.join('; ')}`;
}
