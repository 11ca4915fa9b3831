/** The value that this part of the values is not above (nearest rank); null of none. */
export function percentile(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}

/** `p50 / p99`, and the largest, of times in milliseconds. */
export function latencyText(timesMs: readonly number[]): string {
  const text = (value: number | null) => (value === null ? '–' : value.toFixed(value < 10 ? 2 : 0));
  return `p50 ${text(percentile(timesMs, 0.5))}  p99 ${text(percentile(timesMs, 0.99))}  max ${text(percentile(timesMs, 1))} ms  (${timesMs.length})`;
}
