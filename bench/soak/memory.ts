/** Resident memory of this process at one moment. */
export interface MemorySample {
  /** Milliseconds since the run began. */
  readonly atMs: number;
  readonly bytes: number;
}

/** Resident memory over a run. All in MiB. */
export interface MemoryCourse {
  /** By the line through the samples after the warm-up. */
  readonly start: number;
  readonly middle: number;
  readonly end: number;
  readonly peak: number;
  readonly slopePerMinute: number;
  /** Null when the run was too short to say. */
  readonly flat: boolean | null;
}

/** Part of a run, and at most so many milliseconds, in which memory may grow: caches fill, the heap finds its size. */
const WARM_UP = { part: 0.2, mostMs: 60_000 } as const;

/** Time after the warm-up below which a slope says nothing, in milliseconds: one large collection is as much. */
const LEAST_JUDGED_MS = 120_000;

/**
 * Growth after the warm-up that is still flat, as a part of the memory there was. A leak of 100 bytes a chunk is several
 * times as much in ten minutes.
 */
const FLAT_PART = 0.1;

const MIB = 1024 * 1024;

/** Fits a line through the samples after the warm-up; null of fewer than two of them. */
export function courseOfMemory(samples: readonly MemorySample[]): MemoryCourse | null {
  const lastAtMs = samples.at(-1)?.atMs ?? 0;
  const warmUpMs = Math.min(WARM_UP.mostMs, lastAtMs * WARM_UP.part);
  const judged = samples.filter(({ atMs }) => atMs >= warmUpMs);
  const first = judged[0];
  const last = judged.at(-1);
  if (first === undefined || last === undefined || first === last) {
    return null;
  }
  const meanMs = mean(judged.map(({ atMs }) => atMs));
  const meanBytes = mean(judged.map(({ bytes }) => bytes));
  const covariance = mean(judged.map(({ atMs, bytes }) => (atMs - meanMs) * (bytes - meanBytes)));
  const slope = covariance / mean(judged.map(({ atMs }) => (atMs - meanMs) ** 2));
  const bytesAt = (atMs: number) => meanBytes + slope * (atMs - meanMs);
  const growth = bytesAt(last.atMs) - bytesAt(first.atMs);
  return {
    start: bytesAt(first.atMs) / MIB,
    middle: bytesAt((first.atMs + last.atMs) / 2) / MIB,
    end: bytesAt(last.atMs) / MIB,
    peak: Math.max(...samples.map(({ bytes }) => bytes)) / MIB,
    slopePerMinute: (slope * 60_000) / MIB,
    flat: last.atMs - first.atMs < LEAST_JUDGED_MS ? null : growth <= FLAT_PART * bytesAt(first.atMs),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
