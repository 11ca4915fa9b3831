// The engine under load for a long time; see `bench/soak/soak.ts`. Exits with 1 when anything is not as it must be.
import { parseArgs } from 'node:util';
import { reportOf } from './soak/report.ts';
import { plants, runSoak, type Plant } from './soak/soak.ts';

const USAGE = `usage: npm run soak -- [--minutes N | --seconds N] [--sessions N] [--seed N] [--plant ${plants.join('|')}]`;

function options() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seconds: { type: 'string' },
      sessions: { type: 'string', default: '200' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      plant: { type: 'string' },
    },
  });
  const plant = plants.find((name) => name === values.plant) ?? null;
  const seconds = values.seconds === undefined ? Number(values.minutes) * 60 : Number(values.seconds);
  const numbers = { seconds, sessions: Number(values.sessions), seed: Number(values.seed) };
  if ((values.plant !== undefined && plant === null) || Object.values(numbers).some((number) => !(number > 0))) {
    throw new Error('a value that cannot be used');
  }
  return { ...numbers, plant };
}

let chosen: {
  readonly seconds: number;
  readonly sessions: number;
  readonly seed: number;
  readonly plant: Plant | null;
};
try {
  chosen = options();
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  process.exit(2);
}
console.log(`${chosen.sessions} sessions for ${chosen.seconds} s, seed ${chosen.seed}`);
const { text, isRight } = reportOf(await runSoak({ ...chosen, onProgress: (line) => console.log(line) }));
console.log(text);
process.exit(isRight ? 0 : 1);
