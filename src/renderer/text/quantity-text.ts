/** How long something took, for a person: `340 ms`, `1.2 s`, `2 min 5 s`, `3 h 12 min`. Negative spans count as 0. */
export function durationText(spanMs: number): string {
  const ms = Math.max(0, Math.round(spanMs));
  if (ms < 1_000) {
    return `${ms} ms`;
  }
  if (ms < 59_950) {
    return `${(ms / 1_000).toFixed(1)} s`;
  }
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) {
    return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
  const minutes = Math.round(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const BYTE_UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** An amount of bytes in decimal units: `812 B`, `1.2 kB`, `3.2 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) {
    return `${bytes} B`;
  }
  let amount = bytes / 1_000;
  let unit = 0;
  while (amount >= 999.95 && unit < BYTE_UNITS.length - 1) {
    amount /= 1_000;
    unit += 1;
  }
  return `${amount.toFixed(amount < 99.95 ? 1 : 0)} ${BYTE_UNITS[unit]}`;
}
