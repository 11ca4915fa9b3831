import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

/** Rounds before what is there for good is there: code, feedback, pools. */
const WARM_UP = 30;

/** Words of each thing that is watched, and bytes of a word; many times what else a round leaves. */
const WORDS = 15_000;
const WORD_BYTES = 8;

/**
 * How much of what is dead after each round was moved to the old generation all the same, where only a collection of the
 * whole heap finds it: 0 for none, 1 for all. A round is given what it shall hold on to while it lasts.
 */
export async function survivingShare(
  rounds: number,
  round: (held: readonly number[], number: number) => Promise<void> | void,
): Promise<number> {
  const run = async (number: number) =>
    round(
      Array.from({ length: WORDS }, () => number),
      number,
    );
  // What the first rounds leave for good is not counted, and what is in use from here on is in the old generation.
  for (let number = -WARM_UP; number < 0; number += 1) {
    await run(number);
  }
  collect();
  const before = oldBytes();
  for (let number = 0; number < rounds; number += 1) {
    await run(number);
  }
  for (let times = 0; times < 3; times += 1) {
    collect({ type: 'minor' });
  }
  return (oldBytes() - before) / (rounds * WORDS * WORD_BYTES);
}

function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name === 'old_space' || name === 'large_object_space')
    .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
}
