import { InvalidArgumentError } from 'commander';

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A time on the command line, in milliseconds: `500`, `500ms`, `1.5s`, `2m`, `1h`. Throws commander's error. */
export function durationArgument(text: string): number {
  const parts = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  if (parts === null) {
    throw new InvalidArgumentError('It must be a time like 500 (milliseconds), 30s, 2m or 1h.');
  }
  return Number(parts[1]) * (UNITS_MS[parts[2] ?? 'ms'] ?? 1);
}

/** How long ago something was, in a table: `5s`, `12m`, `3h`, `9d`. */
export function ageText(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1_000));
  const steps = [
    [60, 1, 's'],
    [3_600, 60, 'm'],
    [86_400, 3_600, 'h'],
    [Number.POSITIVE_INFINITY, 86_400, 'd'],
  ] as const;
  const [, size, unit] = steps.find(([below]) => seconds < below) ?? steps[3];
  return `${Math.floor(seconds / size)}${unit}`;
}
