import type { BudgetHit, BudgetLimit, LimitEnded, SessionLimits } from '../../shared/budget.ts';
import { EngineError } from '../../shared/errors.ts';

/** What a session has used, in the units of `SessionLimits`. What is left out is not known, and hits nothing. */
export type BudgetMeasure = SessionLimits;

/** The field of `SessionLimits` for each limit, in the order in which a hit is told when several are hit at once. */
const FIELDS = {
  memory: 'memoryBytes',
  processes: 'processes',
  cpu: 'cpuSeconds',
  output: 'outputBytes',
  lifetime: 'lifetimeMs',
  idle: 'idleMs',
} as const satisfies Record<BudgetLimit, keyof SessionLimits>;

/** Every limit, in the order in which a hit is told when several are hit at once. */
export const BUDGET_LIMITS = Object.keys(FIELDS) as readonly BudgetLimit[];

/** Of these the limit itself is allowed; of a time, reaching it is the hit. */
const ALLOWS_ITS_MAXIMUM: ReadonlySet<BudgetLimit> = new Set(['memory', 'processes', 'output']);

/**
 * Checks limits that came from outside and answers a copy with the known fields only. Throws `invalid-argument` with
 * the field's name for anything but a positive safe integer, and for a field that is no limit: a misspelt one would
 * else be no limit at all.
 */
export function checkedLimits(limits: Readonly<Record<string, unknown>>): SessionLimits {
  const fields: readonly string[] = Object.values(FIELDS);
  const checked: Record<string, number> = {};
  for (const [name, value] of Object.entries(limits)) {
    if (!fields.includes(name)) {
      throw new EngineError('invalid-argument', `limits.${name} is no limit; there are ${fields.join(', ')}`);
    }
    if (value === undefined) {
      continue;
    }
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) {
      throw new EngineError('invalid-argument', `limits.${name} must be a positive whole number, not ${shown(value)}`);
    }
    checked[name] = value;
  }
  return checked;
}

/** A value of unknown origin for an error message: numbers as they are, all else by its type only. */
function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : value === null ? 'null' : `a ${typeof value}`;
}

/** The first limit that is hit by what was measured, or null. */
export function hitOf(limits: SessionLimits, measure: BudgetMeasure): BudgetHit | null {
  for (const limit of BUDGET_LIMITS) {
    const maximum = limits[FIELDS[limit]];
    const measured = measure[FIELDS[limit]];
    if (maximum === undefined || measured === undefined) {
      continue;
    }
    if (ALLOWS_ITS_MAXIMUM.has(limit) ? measured > maximum : measured >= maximum) {
      return withMessage({ limit, maximum, measured, enforcedBy: 'host', ended: null });
    }
  }
  return null;
}

/** The hit of a limit that the kernel enforced by itself. Null for a session without that limit. */
export function kernelHit(
  limits: SessionLimits,
  limit: 'memory' | 'processes',
  measured: number | null,
): BudgetHit | null {
  const maximum = limits[FIELDS[limit]];
  return maximum === undefined ? null : withMessage({ limit, maximum, measured, enforcedBy: 'kernel', ended: null });
}

/** The same hit, with what it ended, also in its message. */
export function hitThatEnded(hit: BudgetHit, ended: LimitEnded): BudgetHit {
  return withMessage({ ...hit, ended });
}

/**
 * How near a session is to its limits: the largest share of a limit that is used, 1 when one is reached. With an
 * earlier measure also what it will have used when it goes on growing as since then.
 */
export function nearness(limits: SessionLimits, measure: BudgetMeasure, earlier: BudgetMeasure = measure): number {
  let nearest = 0;
  for (const field of Object.values(FIELDS)) {
    const maximum = limits[field];
    const used = measure[field];
    if (maximum !== undefined && used !== undefined) {
      nearest = Math.max(nearest, (used + Math.max(0, used - (earlier[field] ?? used))) / maximum);
    }
  }
  return nearest;
}

function withMessage(hit: Omit<BudgetHit, 'message'>): BudgetHit {
  return { ...hit, message: `${headOf(hit)}: ${figuresOf(hit)}.` };
}

const LIMIT_NAMES = {
  memory: 'memory',
  processes: 'process',
  cpu: 'CPU',
  output: 'output',
  lifetime: 'time',
  idle: 'idle',
} as const satisfies Record<BudgetLimit, string>;

function headOf({ limit, ended }: Pick<BudgetHit, 'limit' | 'ended'>): string {
  const name = `its ${LIMIT_NAMES[limit]} limit`;
  switch (ended) {
    case 'child':
      return `Ended by ${name}`;
    case 'survivors':
      return `What outlived its child was ended by ${name}`;
    case 'nothing':
      return `Ended before ${name} could end it`;
    case null:
      return `Over ${name}`;
  }
}

function figuresOf({ limit, maximum, measured, enforcedBy }: Omit<BudgetHit, 'message'>): string {
  if (enforcedBy === 'kernel' || measured === null) {
    return limit === 'memory'
      ? `it needed more than ${bytes(maximum)}, and the kernel refused it that`
      : `the kernel refused it more processes and threads; the limit is ${maximum} processes`;
  }
  switch (limit) {
    case 'memory':
      return `its processes used ${pair(measured, maximum)}`;
    case 'processes':
      return `${measured} processes were there at once; the limit is ${maximum}`;
    case 'cpu':
      return `it used ${seconds(measured)} of CPU time; the limit is ${seconds(maximum)}`;
    case 'output':
      return `it printed ${pair(measured, maximum)}`;
    case 'lifetime':
      return `it ran for ${seconds(measured / 1_000)}; the limit is ${seconds(maximum / 1_000)}`;
    case 'idle':
      return (
        `it printed nothing and was given nothing for ${seconds(measured / 1_000)}; ` +
        `the limit is ${seconds(maximum / 1_000)}`
      );
  }
}

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** `1,536 bytes`, `312.5 MB`: exact below 10 kB, else to a tenth. In the units in which limits are set and shown. */
function bytes(count: number): string {
  if (count < 10_000) {
    return `${group(count)} ${count === 1 ? 'byte' : 'bytes'}`;
  }
  let value = count / 1_000;
  let unit = 0;
  // 999.95 would be shown as 1,000.0 of its unit.
  while (value >= 999.95 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${group(Number(value.toFixed(1)))} ${UNITS[unit] ?? ''}`;
}

/** `used; the limit is …`: exact where rounding would show the same figure twice. */
function pair(measured: number, maximum: number): string {
  const texts = [bytes(measured), bytes(maximum)];
  return texts[0] === texts[1]
    ? `${group(measured)} bytes; the limit is ${group(maximum)}`
    : texts.join('; the limit is ');
}

/** `0.25 seconds`, `90 seconds`, `1 second`. */
function seconds(count: number): string {
  const rounded = Number(count.toFixed(count < 1 ? 3 : 1));
  return `${group(rounded)} ${rounded === 1 ? 'second' : 'seconds'}`;
}

/** With commas, whatever the locale of the machine. */
function group(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}
