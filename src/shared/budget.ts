/** What a session may use; a field that is left out has no limit. All are positive whole numbers. */
export interface SessionLimits {
  /** Memory of all its processes together, in bytes. */
  readonly memoryBytes?: number;
  /** Processes at the same time, the leader included; see `ResourceUsage.processes`. */
  readonly processes?: number;
  /** CPU time of everything it ever ran, in seconds of one core. */
  readonly cpuSeconds?: number;
  /** Bytes that it prints, over all its streams. */
  readonly outputBytes?: number;
  /** Time since its start, in milliseconds. */
  readonly lifetimeMs?: number;
  /** Time without output and without input, in milliseconds. A child that computes in silence is idle by this. */
  readonly idleMs?: number;
}

/** Which limit was hit. */
export type BudgetLimit = 'memory' | 'processes' | 'cpu' | 'output' | 'lifetime' | 'idle';

/**
 * What a limit ended. `child`: the session's child, and all that ran with it. `survivors`: the child had ended by itself,
 * or at somebody's word, and the limit ended what still ran of it. `nothing`: all of it had ended before the limit could
 * end it.
 */
export type LimitEnded = 'child' | 'survivors' | 'nothing';

/** A limit that was hit, as a fact of a session. Plain data. */
export interface BudgetHit {
  readonly limit: BudgetLimit;
  /** What was allowed, in the unit of the limit's field in `SessionLimits`. */
  readonly maximum: number;
  /** What was measured, in the same unit. Null when the kernel enforced the limit and no figure above it exists. */
  readonly measured: number | null;
  /** `kernel`: a control group refused it or ended the child. `host`: it was measured, and the host ends the child. */
  readonly enforcedBy: 'kernel' | 'host';
  /** Null while that is not known: between the hit and the end that it leads to. */
  readonly ended: LimitEnded | null;
  /** A sentence for a person and for an agent: what happened, the figures, and what can be done. */
  readonly message: string;
}
