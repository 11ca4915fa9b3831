// Figures of the engine beside its peers, in one run, in turns. Nothing is judged: a figure is read by a person.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender } from './figures/contender.ts';
import { engineContender } from './figures/engine-contender.ts';
import { echo, exitToTold, flood, startToExit, type Measure } from './figures/measures.ts';
import { childProcess, nodePty, waiting } from './figures/peers.ts';
import { loadText, machineFacts } from './machine.ts';
import { percentile } from './percentile.ts';
import { programOptions, refuse } from './program-options.ts';

const USAGE = 'usage: npm run bench -- [--runs N] [--only PART_OF_A_NAME] [--alone] [--electron]';

const values = programOptions(
  {
    runs: { type: 'string', default: '2000' },
    only: { type: 'string', default: '' },
    // One after the other, ours first: what peers leave to be collected is else collected while ours is measured.
    alone: { type: 'boolean', default: false },
  },
  USAGE,
);
const runs = Number(values.runs);
if (!(runs >= 1)) {
  refuse(USAGE);
}

const folder = await mkdtemp(join(tmpdir(), 'shellscope-figures-'));
const ours = (['pty', 'pipe'] as const).map((kind) => engineContender(kind, join(folder, 'transcripts')));
const peers: readonly Contender[] = [nodePty, childProcess];
const groups: readonly (readonly Contender[])[] = values.alone
  ? [...ours, ...peers].map((each) => [each])
  : ours.map((each, index) => [each, ...peers.slice(index, index + 1)]);
const measures: readonly (readonly [runs: number, measure: Measure, more?: readonly Contender[]])[] = [
  [runs, startToExit],
  [runs, exitToTold(folder), [waiting]],
  // Each is many keys, or many bytes.
  [Math.ceil(runs / 50), echo],
  [Math.ceil(runs / 200), flood],
];

console.log(machineFacts());
console.log(row(['', 'p50', 'worst 1 %', 'worst', 'short runs', 'p50 ÷ peer']));
try {
  for (const [count, measure, more] of measures.filter(([, { name }]) => name.includes(values.only))) {
    for (const contenders of more === undefined ? groups : [...groups, more]) {
      await compare(measure, count, contenders);
    }
  }
} finally {
  await Promise.all(groups.flat().map((contender) => contender.close()));
  await rm(folder, { recursive: true });
}
console.log(`load average at the end ${loadText()}`);

/** Lets all run in turns, so that what else the machine does hits all alike. */
async function compare(measure: Measure, count: number, contenders: readonly Contender[]): Promise<void> {
  const measured = contenders.map((contender) => ({ contender, values: [] as number[], short: 0 }));
  // The first run of each loads what the later ones have.
  for (const { contender } of measured) {
    await measure.run(contender);
  }
  for (let run = 0; run < count; run += 1) {
    for (const each of measured) {
      const { value, missingBytes } = await measure.run(each.contender);
      each.values.push(value);
      each.short += missingBytes === 0 ? 0 : 1;
    }
  }
  const [ours, peers] = measured.map(({ values: all }) => percentile(all, 0.5) ?? Number.NaN);
  console.log(`${measure.name} (${count} runs, ${measure.unit})`);
  for (const { contender, values: all, short } of measured) {
    const worst = measure.unit === 'MB/s' ? [0.01, 0] : [0.99, 1];
    const texts = [0.5, ...worst].map((part) => (percentile(all, part) ?? Number.NaN).toFixed(3));
    const isOurs = contender === contenders[0];
    const ratio = isOurs && ours !== undefined && peers !== undefined ? (ours / peers).toFixed(2) : '';
    console.log(row([`  ${contender.name}`, ...texts, String(short), ratio]));
    if (measure.goal !== undefined) {
      const within = all.filter((value) => value <= (measure.goal ?? 0)).length;
      console.log(`    within ${measure.goal} ${measure.unit}: ${within} of ${count}`);
    }
  }
}

function row([name = '', ...figures]: readonly string[]): string {
  return [name.padEnd(24), ...figures.map((figure) => figure.padStart(12))].join('');
}
