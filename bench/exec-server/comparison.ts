import { percentile } from '../percentile.ts';

/** One thing that was measured at both servers. */
export interface Measured {
  readonly name: string;
  readonly unit: 'ms' | 'MB/s' | 'MB';
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

interface Summary {
  readonly p50: number;
  /** The worst hundredth begins here. */
  readonly p99: number;
  readonly worst: number;
}

/** A measure as it is shown. */
export interface Compared {
  readonly name: string;
  readonly unit: Measured['unit'];
  readonly count: number;
  readonly ours: Summary;
  readonly theirs: Summary;
  /** p50 of ours divided by p50 of theirs. */
  readonly ratio: number;
}

/** What is wanted of ours. */
export interface Goal {
  readonly goal: string;
  readonly met: boolean;
}

/** Names of the measures that have a goal. */
export const NAMES = {
  startPty: 'start → exited, /bin/true, pty',
  startPipe: 'start → exited, /bin/true, pipes',
  echo: 'key → echo of cat, raw pty',
  floodPty: 'flood through a pty',
  floodPipe: 'flood through pipes',
} as const;

export function compare({ name, unit, ours, theirs }: Measured): Compared {
  const mine = summary(ours, unit);
  const other = summary(theirs, unit);
  return { name, unit, count: ours.length, ours: mine, theirs: other, ratio: mine.p50 / other.p50 };
}

/** Goals of those measures that were taken. `lost`: bytes that are missing or wrong in any flood of ours. */
export function goals(compared: readonly Compared[], lost: number): readonly Goal[] {
  const wanted: readonly (readonly [goal: string, name: string, isMet: (figures: Compared) => boolean])[] = [
    ['start → exited on a pty: p50 below 5 ms', NAMES.startPty, ({ ours }) => ours.p50 < 5],
    ['start → exited on pipes: p50 below 5 ms', NAMES.startPipe, ({ ours }) => ours.p50 < 5],
    ['echo: p50 below 1 ms', NAMES.echo, ({ ours }) => ours.p50 < 1],
    ['echo: p99 below 5 ms', NAMES.echo, ({ ours }) => ours.p99 < 5],
    ['flood through a pty: at least theirs', NAMES.floodPty, ({ ratio }) => ratio >= 1],
    ['flood through pipes: at least theirs', NAMES.floodPipe, ({ ratio }) => ratio >= 1],
  ];
  const ofMeasures = wanted.flatMap(([goal, name, isMet]) =>
    compared.filter((each) => each.name === name).map((each) => ({ goal, met: isMet(each) })),
  );
  return [...ofMeasures, { goal: 'nothing lost and nothing wrong in the floods', met: lost === 0 }];
}

function summary(values: readonly number[], unit: Measured['unit']): Summary {
  const at = (part: number) => percentile(values, part) ?? Number.NaN;
  const moreIsBetter = unit === 'MB/s';
  return { p50: at(0.5), p99: at(moreIsBetter ? 0.01 : 0.99), worst: at(moreIsBetter ? 0 : 1) };
}
