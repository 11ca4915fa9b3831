/** What the system tells about the processes of sessions. Plain data. */

import type { SessionId, SessionInfo } from './session.ts';

/** What a running session uses, all its processes together. */
export interface SessionUsage {
  readonly id: SessionId;
  /** Share of one core, in per cent (two busy cores: 200); null until it was sampled twice. */
  readonly cpuPercent: number | null;
  /** Bytes in RAM; what processes share counts in each of them. */
  readonly residentBytes: number;
  /** As they count for its limit. */
  readonly processes: number;
  /** CPU time of everything it ever ran, in milliseconds. */
  readonly cpuMs: number;
  /** Time since its start, in milliseconds, without the time in which the machine slept. */
  readonly lifetimeMs: number;
  /** Time without output and without input, in milliseconds, counted likewise. */
  readonly idleMs: number;
}

/** A port at which a process can be reached: `0.0.0.0` and `::` are all of the machine's addresses. */
export interface ReachedPort {
  readonly protocol: 'tcp' | 'udp';
  readonly address: string;
  readonly port: number;
}

/** A process that outlived its session's child. Null where the system does not tell. */
export interface SurvivingProcess {
  readonly pid: number;
  readonly command: string | null;
  readonly ageMs: number | null;
  readonly residentBytes: number | null;
  readonly listening: readonly ReachedPort[] | null;
}

/** What still runs of one ended session. */
export interface SessionSurvivors {
  readonly session: SessionId;
  readonly processes: readonly SurvivingProcess[];
}

/** What became of the ended sessions that were to be closed. */
export interface ClosedSessions {
  readonly closed: number;
  /** Left alone, since closing them would end what outlived them. */
  readonly kept: number;
}

/** What came back of the tabs that the person closed last. */
export interface ReopenedTabs {
  /** As ended sessions, the oldest first. Empty when nothing was closed. */
  readonly sessions: readonly SessionInfo[];
  /** How many are not kept. */
  readonly lost: number;
}
