import { textOf } from './plain-command.ts';
import { onlyOptions, without, type SafeArguments } from './safe-arguments.ts';

/**
 * Options of the commands that show history. They write (`--output`), run a program of a configuration (`--ext-diff`,
 * `--textconv`), or ask the network. Git takes any unambiguous beginning of a long option.
 */
const REFUSED = /^(-O|--(o(?!neline$)|ext|te|show-sig))/;

const history: SafeArguments = without(REFUSED);

/** Lists; with an operand or most options it changes something. */
const listing: SafeArguments = (args) =>
  args.every((word) => /^(-a|-r|-v|-vv|--all|--remotes|--list|--show-current|--verbose)$/.test(textOf(word) ?? ''));

/**
 * Subcommands of git that only read, with the arguments with which they do. A repository's own configuration can make
 * even these run programs (core.fsmonitor, diff drivers); the sandbox keeps it read-only, see docs/approvals.md.
 */
export const GIT_SUBCOMMANDS: ReadonlyMap<string, SafeArguments> = new Map<string, SafeArguments>([
  ['status', history],
  ['log', history],
  ['diff', history],
  ['show', history],
  ['shortlog', history],
  ['rev-parse', history],
  ['rev-list', history],
  ['describe', history],
  ['blame', history],
  ['ls-files', history],
  ['ls-tree', history],
  ['merge-base', history],
  ['name-rev', history],
  ['cat-file', without(/^--(te|filters|batch)/)],
  ['branch', listing],
  ['tag', (args) => args.length === 0 || textOf(args[0]) === '-l' || textOf(args[0]) === '--list'],
  ['remote', (args) => args.length === 0 || (args.length === 1 && textOf(args[0]) === '-v')],
  ['stash', (args) => args.length === 1 && textOf(args[0]) === 'list'],
  ['worktree', (args) => args.length === 1 && textOf(args[0]) === 'list'],
  ['version', onlyOptions(/^(?!)/)],
  ['--version', onlyOptions(/^(?!)/)],
]);
