import { findRuns } from './find-runs.ts';
import { GIT_SUBCOMMANDS } from './known-safe-git.ts';
import { systemProgram, textOf, type JudgedWord } from './plain-command.ts';
import { any, everyText, isOption, none, onlyOptions, without, type SafeArguments } from './safe-arguments.ts';

/** Actions of find(1) that run, delete or write. */
const FIND_WRITES = /^-(delete|fprint|fprint0|fprintf|fls)$/;

/** What it runs is judged by itself; here those words are passed over. */
const find: SafeArguments = (args) => {
  const runs = findRuns(args);
  return everyText(
    args.filter((_word, index) => !runs.some(({ from, to }) => index >= from && index <= to)),
    (text) => !FIND_WRITES.test(text),
  );
};

/** `sed -n` with scripts that only print lines: `5p`, `1,20p`, `$p`. Anything else may write (w), run (e) or edit in place (-i). */
const sed: SafeArguments = ([quiet, script, ...files]) =>
  textOf(quiet) === '-n' &&
  /^(\d+|\$)?(,(\d+|\$))?p$/.test(textOf(script) ?? '') &&
  everyText(files, (text) => !isOption(text));

const date: SafeArguments = (args) =>
  everyText(
    args,
    (text) => text.startsWith('+') || /^(-u|--utc|-R|-I\w*|--iso-8601(=\w+)?|--rfc-\w+(=\w+)?)$/.test(text),
  );

const printf: SafeArguments = (args) => !(textOf(args[0]) ?? '-v').startsWith('-v');

/** `-v` evaluates what it is given as a variable with an index, and that may hold a command. */
const testProgram: SafeArguments = (args) =>
  args.every((word) => textOf(word) !== null && textOf(word) !== '-v' && textOf(word) !== '-R');

/** Only deeper: elsewhere a repository or a configuration file may lie in wait. */
const cd: SafeArguments = ([folder, ...more]) => {
  const path = textOf(folder) ?? '..';
  return more.length === 0 && /^[\w.][\w./ -]*$/.test(path) && !path.split('/').includes('..');
};

/** Without the letters that show the environment of other processes. */
const ps: SafeArguments = (args) => everyText(args, (text) => /^(-[efAaLlwj]+|-[pu]|--forest|aux|ax|\d+)$/.test(text));

/** `env` and `$ENV` give out the environment. */
const jq: SafeArguments = (args) =>
  everyText(args, (text) =>
    isOption(text) ? /^-[rcSsen]+$/.test(text) : !/env|input_filename|import|include/i.test(text),
  );

const versionOnly: SafeArguments = (args) =>
  args.length === 1 && /^(-v|-V|--version|version)$/.test(textOf(args[0]) ?? '');

const git: SafeArguments = (args) => {
  const start = args.findIndex((word) => !GIT_PREFIXES.has(textOf(word) ?? ''));
  const subcommand = textOf(args[start]);
  const isSafe = subcommand === null ? undefined : GIT_SUBCOMMANDS.get(subcommand);
  return isSafe?.(args.slice(start + 1)) ?? false;
};

/** Options before git's subcommand that lead to no other repository, configuration or program. */
const GIT_PREFIXES = new Set(['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs']);

/**
 * Programs that are known to do no harm with certain arguments: they read files and say something. Where a program is
 * not here, or its arguments are not, nothing is known of it.
 */
const KNOWN_SAFE: ReadonlyMap<string, SafeArguments> = new Map<string, SafeArguments>([
  ...[
    ...[
      'true',
      'false',
      ':',
      'echo',
      'pwd',
      'cat',
      'head',
      'tail',
      'wc',
      'ls',
      'stat',
      'basename',
      'dirname',
      'realpath',
    ],
    ...[
      'readlink',
      'nl',
      'tac',
      'rev',
      'cut',
      'paste',
      'tr',
      'fold',
      'expand',
      'unexpand',
      'column',
      'comm',
      'cmp',
      'seq',
    ],
    ...[
      'sleep',
      'id',
      'whoami',
      'groups',
      'uname',
      'arch',
      'nproc',
      'uptime',
      'which',
      'md5sum',
      'sha1sum',
      'sha256sum',
    ],
    ...[
      'sha512sum',
      'b2sum',
      'cksum',
      'sum',
      'od',
      'strings',
      'du',
      'df',
      'free',
      'grep',
      'egrep',
      'fgrep',
      'join',
      'look',
    ],
    ...['locale', 'tty', 'type', 'times'],
  ].map((name): [string, SafeArguments] => [name, any]),
  ['[', testProgram],
  ['test', testProgram],
  ['cd', cd],
  ['printf', printf],
  ['date', date],
  ['sed', sed],
  ['find', find],
  ['git', git],
  ['hostname', none],
  ['jobs', none],
  ['exit', onlyOptions(/^(?!)/)],
  // It says where a program is; with another option it runs it, which is a carried command.
  ['command', (args) => /^-[vV]$/.test(textOf(args[0]) ?? '')],
  ['sort', without(/^(-[^-]*[oT]|--(o|t|c|f))/)],
  ['uniq', onlyOptions(/^-[cdiu]+$/)],
  ['diff', without(/^--(p|t)|^-[^-]*l/)],
  ['rg', without(/^(--(pre|hostname-bin|search-zip)|-[^-]*z)/)],
  ['fd', without(/^(-[^-]*[xX]|--exec)/)],
  ['tree', without(/^-[^-]*[oR]|^--output/)],
  ['file', without(/^(-[^-]*[CmzZ]|--(c|m|u))/)],
  ['ps', ps],
  ['jq', jq],
  ['base64', without(/^(-[^-]*o|--output)/)],
  ['hexdump', any],
  ['xxd', onlyOptions(/^-[bceglspu0-9]+$/)],
  ...['node', 'npm', 'python3', 'python', 'cargo', 'rustc', 'go', 'tsc', 'gcc', 'bash', 'make', 'java'].map(
    (name): [string, SafeArguments] => [name, versionOnly],
  ),
]);

/** Places where credentials are kept. Reading them is no harm to the machine, and all the harm there is. */
const SECRET_PLACES =
  /(^|[/~])(\.ssh|\.gnupg|\.aws|\.kube|\.docker|\.azure|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.password-store)(\/|$)|(^|\/)(id_(rsa|dsa|ecdsa|ed25519)|shadow|gshadow|environ|\.env(\.\w+)?)$|^\/proc\/|^\/dev\/(?!null$|stdin$|fd\/)/;

/**
 * Is this command known to do no harm? In the workspace `cd` may go by an absolute path, too; null when there is none.
 * `uniq a b` writes to b, and so no second operand is allowed it.
 */
export function isKnownSafe(words: readonly [JudgedWord, ...JudgedWord[]], workspace: string | null): boolean {
  const name = systemProgram(words[0]);
  const args = words.slice(1);
  if (name === 'cd' && args.length === 1 && workspace !== null && isInside(textOf(args[0]) ?? '', workspace)) {
    return true;
  }
  const isSafe = name === null ? undefined : KNOWN_SAFE.get(name);
  if (isSafe === undefined || !isSafe(args)) {
    return false;
  }
  if ((name === 'uniq' || name === 'xxd') && operands(args) > 1) {
    return false;
  }
  return !args.some((word) => SECRET_PLACES.test(textOf(word) ?? ''));
}

function operands(args: readonly JudgedWord[]): number {
  return args.filter((word) => word.kind !== 'text' || !isOption(word.value)).length;
}

function isInside(path: string, folder: string): boolean {
  return (path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`)) && !path.split('/').includes('..');
}
