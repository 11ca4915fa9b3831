import { isIn, type SandboxPlan } from './sandbox-plan.ts';

/**
 * Arguments for sandbox-exec(1) of macOS, up to the command. Pure, and never run on a Mac yet: only its text is tested.
 *
 * The last rule of a profile that fits decides. Paths are parameters, so that no path becomes a rule. macOS has no
 * private /tmp and no process table of its own: `temp: 'private'` is no temporary folder at all here, and signals reach
 * only what is in the same sandbox.
 */
export function seatbeltArguments(plan: SandboxPlan): readonly string[] {
  const parameters: string[] = [];
  const filter = (name: string, path: string, kind: 'subpath' | 'literal') => {
    parameters.push('-D', `${name}=${path}`);
    return `(${kind} (param "${name}"))`;
  };
  const allowed = plan.writable.map((path, index) => filter(`WRITABLE_${index}`, path, 'subpath'));
  const refused = plan.readOnly.map(({ path }, index) => filter(`READ_ONLY_${index}`, path, 'subpath'));
  // A folder with something protected in it cannot be renamed away from it.
  const held = heldFolders(plan).map((path, index) => filter(`HELD_${index}`, path, 'literal'));
  const hidden = plan.hidden.map(({ path }, index) => filter(`HIDDEN_${index}`, path, 'subpath'));
  const profile = [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork)',
    '(allow signal process-info* (target same-sandbox))',
    '(allow sysctl-read user-preference-read ipc-posix-sem)',
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo" "com.apple.system.logger"))',
    '(allow file-read* file-test-existence file-ioctl)',
    '(allow pseudo-tty)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/tty") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))',
    rule('allow file-write*', allowed),
    rule('deny file-write*', refused),
    rule('deny file-write-unlink', held),
    rule('deny file-read* file-write* network-outbound', hidden),
    ...(plan.network === 'host'
      ? [
          '(allow network* system-socket)',
          '(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd" "com.apple.trustd.agent"))',
        ]
      : []),
  ].filter((line) => line !== '');
  return ['-p', profile.join('\n'), ...parameters];
}

function rule(head: string, filters: readonly string[]): string {
  return filters.length === 0 ? '' : `(${head} ${filters.join(' ')})`;
}

function heldFolders({ writable, readOnly, hidden }: SandboxPlan): readonly string[] {
  return [
    ...new Set(
      [...readOnly, ...hidden].flatMap(({ path }) => {
        const parts = path.split('/');
        return parts
          .map((_part, index) => parts.slice(0, index).join('/'))
          .filter((folder) => writable.some((root) => folder !== root && isIn(folder, root)));
      }),
    ),
  ];
}
