import { bubblewrapArguments } from './bubblewrap.ts';

/** Something that is not there, or does not work; and what to do about it. */
export interface MissingPart {
  readonly what: string;
  /** A sentence for a person. */
  readonly why: string;
  /** The command that mends it; null where we know none. */
  readonly install: string | null;
}

/** Can commands be fenced in on this machine (D8)? */
export type SandboxReport =
  | {
      readonly kind: 'usable';
      readonly tool: 'bubblewrap' | 'seatbelt';
      /** Absolute path. */
      readonly program: string;
      /** As it says itself; null when it does not. */
      readonly version: string | null;
      readonly canDisableUserNamespaces: boolean;
    }
  | { readonly kind: 'missing'; readonly missing: readonly [MissingPart, ...MissingPart[]] };

/** How a look at the machine is taken, so that any machine can be told of. */
export interface SandboxMachine {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  /** Absolute path of a program of the system, never of one in a workspace; null when it has none. */
  find(program: string): string | null;
  /** Runs it to its end. Rejects only when it cannot be started. */
  run(program: string, args: readonly string[]): Promise<{ readonly exitCode: number | null; readonly output: string }>;
  /** Text of a file, or null when it cannot be read. */
  read(path: string): Promise<string | null>;
}

/** Looks whether a sandbox can be made here, by making one. Never rejects. */
export async function inspectSandbox(machine: SandboxMachine): Promise<SandboxReport> {
  if (machine.platform === 'linux') {
    return inspectBubblewrap(machine);
  }
  return machine.platform === 'darwin'
    ? inspectSeatbelt(machine)
    : missing('a sandbox', `on ${machine.platform} commands cannot be fenced in yet`, null);
}

function missing(what: string, why: string, install: string | null): SandboxReport {
  return { kind: 'missing', missing: [{ what, why, install }] };
}

async function inspectSeatbelt(machine: SandboxMachine): Promise<SandboxReport> {
  const program = machine.find('sandbox-exec');
  return program === null
    ? missing('sandbox-exec', 'sandbox-exec is part of macOS and is not on this machine', null)
    : { kind: 'usable', tool: 'seatbelt', program, version: null, canDisableUserNamespaces: false };
}

async function inspectBubblewrap(machine: SandboxMachine): Promise<SandboxReport> {
  const program = machine.find('bwrap');
  if (program === null) {
    return missing(
      'bubblewrap',
      'bubblewrap (bwrap), which fences commands in, is not installed',
      installCommand(machine),
    );
  }
  const told = await ran(machine, program, ['--version']);
  const version = /(\d+\.\d+\.\d+)/.exec(told.output)?.[1] ?? null;
  let output = '';
  for (const canDisableUserNamespaces of [true, false]) {
    const plan = {
      cwd: '/',
      visible: [],
      replaced: [],
      writable: [],
      readOnly: [],
      hidden: [],
      network: 'none',
      temp: 'private',
    } as const;
    const trial = await ran(machine, program, [...bubblewrapArguments(plan, { canDisableUserNamespaces }), 'true']);
    if (trial.exitCode === 0) {
      return { kind: 'usable', tool: 'bubblewrap', program, version, canDisableUserNamespaces };
    }
    ({ output } = trial);
  }
  return { kind: 'missing', missing: [await whyItFails(machine, output.trim())] };
}

async function ran(machine: SandboxMachine, program: string, args: readonly string[]) {
  try {
    return await machine.run(program, args);
  } catch (error) {
    return { exitCode: null, output: String(error) };
  }
}

/** The usual reasons, from what the kernel says of itself. */
async function whyItFails(machine: SandboxMachine, output: string): Promise<MissingPart> {
  const what = 'user namespaces';
  const sudo = machine.isRoot ? '' : 'sudo ';
  const setting = async (name: string) =>
    (await machine.read(`/proc/sys/${name.replaceAll('.', '/')}`))?.trim() ?? null;
  const off = `bubblewrap is installed, but it cannot make a sandbox: ${output}`;
  if ((await setting('kernel.unprivileged_userns_clone')) === '0') {
    return { what, why: off, install: `${sudo}sysctl -w kernel.unprivileged_userns_clone=1` };
  }
  if ((await setting('user.max_user_namespaces')) === '0') {
    return { what, why: off, install: `${sudo}sysctl -w user.max_user_namespaces=15000` };
  }
  if ((await setting('kernel.apparmor_restrict_unprivileged_userns')) === '1') {
    return { what, why: off, install: `${sudo}sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` };
  }
  return { what: 'bubblewrap', why: `${off}. In a container it needs leave to make namespaces`, install: null };
}

/** Package managers by the program that is there, in the order in which they are looked for. */
const INSTALLERS = [
  ['apt-get', 'apt-get install -y bubblewrap'],
  ['dnf', 'dnf install -y bubblewrap'],
  ['pacman', 'pacman -S --needed bubblewrap'],
  ['zypper', 'zypper install -y bubblewrap'],
  ['apk', 'apk add bubblewrap'],
] as const;

function installCommand(machine: SandboxMachine): string | null {
  const [, command] = INSTALLERS.find(([program]) => machine.find(program) !== null) ?? [];
  return command === undefined ? null : `${machine.isRoot ? '' : 'sudo '}${command}`;
}
