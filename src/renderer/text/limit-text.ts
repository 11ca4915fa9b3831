/** The limits of a running session, each with what is used of it. */
import type { SessionLimits } from '../../shared/budget.ts';
import type { SessionUsage } from '../../shared/session-facts.ts';
import { bytesText, durationText } from './quantity-text.ts';

/** What a session has used. What is left out is not known yet, or the system does not tell it. */
export type MeasuredUse = Partial<Omit<SessionUsage, 'id' | 'cpuPercent'>> & { readonly outputBytes?: number };

/** What is used, and of how much where there is a limit: `9.5 MB of 10 MB`, else `9.5 MB`. */
export function usedOf(used: string, maximum: number | undefined, text: (amount: number) => string): string {
  return maximum === undefined ? used : `${used} of ${maximumText(text(maximum))}`;
}

/** A limit was chosen, not measured: `10 MB` for `10.0 MB`, `5 min` for `5 min 0 s`. */
function maximumText(text: string): string {
  return text.replace(/\.0 /, ' ').replace(/ 0 (?:s|min)$/, '');
}

/**
 * A text for each limit there is: `memory 61.0 MB of 512 MB`, `3 of 64 processes`, `CPU time 2.0 s of 1 min`; where
 * the use is not known `memory at most 512 MB`. Memory that is over its limit while the session runs on says why.
 */
export function limitWords(limits: SessionLimits, used: MeasuredUse): readonly string[] {
  const { memoryBytes, processes, cpuSeconds, outputBytes, lifetimeMs, idleMs } = limits;
  const { residentBytes } = used;
  const words: string[] = [];
  if (memoryBytes !== undefined) {
    words.push(`memory ${memoryShare(residentBytes, memoryBytes)}`);
  }
  if (processes !== undefined) {
    words.push(`${shareText(used.processes, processes, String)} ${processes === 1 ? 'process' : 'processes'}`);
  }
  if (cpuSeconds !== undefined) {
    words.push(`CPU time ${shareText(used.cpuMs, cpuSeconds * 1_000, durationText)}`);
  }
  if (outputBytes !== undefined) {
    words.push(`output ${shareText(used.outputBytes, outputBytes, bytesText)}`);
  }
  if (lifetimeMs !== undefined) {
    words.push(`lifetime ${shareText(used.lifetimeMs, lifetimeMs, durationText)}`);
  }
  if (idleMs !== undefined) {
    words.push(`idle ${shareText(used.idleMs, idleMs, durationText)}`);
  }
  return words;
}

/** What is used of the memory, and why a session that seems to be over its limit runs on. */
export function memoryShare(used: number | undefined, maximum: number): string {
  // What ends a session counts them once; the figure that is had cheaply does not.
  const isOver = used !== undefined && used > maximum;
  return `${shareText(used, maximum, bytesText)}${isOver ? ' (shared pages count in each process)' : ''}`;
}

/** What is used, and of how much; `at most 512 MB` where only that is known. */
export function shareText(used: number | undefined, maximum: number, text: (amount: number) => string): string {
  return used === undefined ? `at most ${maximumText(text(maximum))}` : usedOf(text(used), maximum, text);
}
