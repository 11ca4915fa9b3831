/** A figure beside what it is to be. Pure. */

export interface Goal {
  /** e.g. `key to echo, p95` */
  readonly of: string;
  /** What was measured, in milliseconds; null or no number when nothing was. */
  readonly figureMs: number | null;
  /** In milliseconds; a figure that is as much has missed it. */
  readonly belowMs: number;
}

/** A figure that is missing has met no goal. */
function isMet({ figureMs, belowMs }: Goal): boolean {
  return figureMs !== null && figureMs < belowMs;
}

/** `met: key to echo, p95: 29.1 ms, goal below 50 ms` */
export function goalText(goal: Goal): string {
  const { of, figureMs, belowMs } = goal;
  const figure = figureMs === null || Number.isNaN(figureMs) ? 'no figure' : `${figureMs.toFixed(1)} ms`;
  return `${isMet(goal) ? 'met' : 'not met'}: ${of}: ${figure}, goal below ${belowMs} ms`;
}

/** What a program ends with that measured them: 0, or 1 when one was not met, or there was none to judge. */
export function exitCodeOf(goals: readonly Goal[]): 0 | 1 {
  return goals.length > 0 && goals.every(isMet) ? 0 : 1;
}
