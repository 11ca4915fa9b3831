import { textOf, type JudgedWord } from './plain-command.ts';

/** Actions of find(1) that run a program. */
const RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** One such action: indices of its first and its last word, and the words of the command between them. */
export interface FindRun {
  readonly from: number;
  readonly to: number;
  readonly command: readonly JudgedWord[];
}

/** What find(1) runs. Like find itself it takes a `+` for the end only after `{}`; else it is the command's own word. */
export function findRuns(args: readonly JudgedWord[]): readonly FindRun[] {
  const runs: FindRun[] = [];
  for (let from = 0; from < args.length; from += 1) {
    if (!RUNS.has(textOf(args[from]) ?? '')) {
      continue;
    }
    const end = args.findIndex((_word, index) => index > from && isEnd(args, index));
    const to = end < 0 ? args.length - 1 : end;
    runs.push({ from, to, command: args.slice(from + 1, end < 0 ? undefined : end) });
    from = to;
  }
  return runs;
}

function isEnd(args: readonly JudgedWord[], index: number): boolean {
  const text = textOf(args[index]);
  return text === ';' || (text === '+' && textOf(args[index - 1]) === '{}');
}
