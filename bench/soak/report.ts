import { latencyText } from '../percentile.ts';
import type { SoakResult } from './soak.ts';

interface Row {
  readonly what: string;
  readonly found: string;
  /** Null for what is told and not judged. */
  readonly isRight: boolean | null;
}

/** The table at the end of a soak, and whether all in it is as it must be. */
export function reportOf(result: SoakResult): { readonly text: string; readonly isRight: boolean } {
  const rows = rowsOf(result);
  const width = Math.max(...rows.map(({ what }) => what.length));
  const lines = rows.map(({ what, found, isRight }) => {
    const verdict = isRight === null ? '    ' : isRight ? 'ok  ' : 'OFF ';
    return `${verdict}${what.padEnd(width)}  ${found}`;
  });
  return {
    text: [...lines, ...result.tally.told.map((fault) => `     ${fault}`)].join('\n'),
    isRight: rows.every(({ isRight }) => isRight !== false),
  };
}

function rowsOf({ tally, left: leftovers, memory, loopDelayMs, seconds }: SoakResult): readonly Row[] {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const told = (what: string, found: string): Row => ({ what, found, isRight: null });
  const none = (what: string, count: number): Row => ({ what, found: String(count), isRight: count === 0 });
  const left = (what: string, names: readonly string[]): Row => ({
    what,
    found: [names.length, ...names.slice(0, 5)].join('  '),
    isRight: names.length === 0,
  });
  return [
    told('sessions started, ended', `${tally.started}, ${tally.ended} in ${seconds.toFixed(0)} s`),
    {
      what: 'bytes verified by checksum',
      found: megabytes(tally.bytesBySum),
      // A soak that saw nothing shows nothing.
      isRight: tally.bytesBySum > 0,
    },
    {
      what: 'bytes read back by checksum',
      found: megabytes(tally.bytesReadBack),
      isRight: tally.bytesReadBack > 0,
    },
    told('bytes verified by place', `${megabytes(tally.bytesByPlace)} in ${tally.visits} visits`),
    told('told as gone', `${megabytes(tally.gapBytes)} in ${tally.gaps} gaps`),
    told(
      'closed before all was given out',
      `${tally.forgottenEarly} sessions with ${megabytes(tally.bytesNotGivenOut)} to come`,
    ),
    none('bytes lost', tally.bytesLost),
    none('sessions with lost bytes', tally.faultsOf('lost')),
    none('bytes changed (places)', tally.faultsOf('changed')),
    none('gaps told wrongly', tally.faultsOf('gap')),
    none('sessions with wrong facts', tally.faultsOf('facts')),
    none('sessions that hung', tally.faultsOf('hung')),
    none('errors', tally.faultsOf('error')),
    left('descriptors left', leftovers.descriptors),
    left('children left', leftovers.children),
    left('timers left', leftovers.timers),
    left('other handles left', leftovers.handles),
    {
      what: 'RSS at start, middle, end, peak',
      found:
        memory === null
          ? 'too short'
          : `${[memory.start, memory.middle, memory.end, memory.peak].map(Math.round).join(', ')} MiB`,
      isRight: null,
    },
    {
      what: 'RSS slope after the warm-up',
      found: memory === null ? 'too short' : `${memory.slopePerMinute.toFixed(2)} MiB/min`,
      isRight: memory?.flat ?? null,
    },
    told('start → first byte', latencyText(tally.startToFirstByteMs)),
    told('exit → told', latencyText(tally.exitToToldMs)),
    told('SIGKILL → told', latencyText(tally.killToToldMs)),
    told('event loop late', `p99 ${loopDelayMs.toFixed(1)} ms`),
  ];
}
