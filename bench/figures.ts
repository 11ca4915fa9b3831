// Figures of the engine beside its peers, in one run, in turns. Nothing is judged: a figure is read by a person.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Contender } from './figures/contender.ts';
import { engineContender } from './figures/engine-contender.ts';
import { echo, exitToTold, flood, startToExit, type Measure } from './figures/measures.ts';
import { childProcess, nodePty } from './figures/peers.ts';
import { loadText, machineFacts } from './machine.ts';
import { percentile } from './percentile.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '2000' }, only: { type: 'string', default: '' } },
});
const runs = Number(values.runs);
if (!(runs >= 1)) {
  console.error('usage: npm run bench -- [--runs N] [--only PART_OF_A_NAME]');
  process.exit(2);
}

const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
const folder = await mkdtemp(join(tmpdir(), 'shellscope-figures-'));
const pairs: readonly (readonly [ours: Contender, peer: Contender])[] = [
  [engineContender('pty', join(folder, 'transcripts')), nodePty],
  [engineContender('pipe', join(folder, 'transcripts')), childProcess],
];
const measures: readonly (readonly [runs: number, measure: Measure])[] = [
  [runs, startToExit],
  [runs, exitToTold(python, folder)],
  // Each is many keys, or many bytes.
  [Math.ceil(runs / 50), echo],
  [Math.ceil(runs / 200), flood],
];

console.log(machineFacts());
console.log(row(['', 'p50', 'worst 1 %', 'worst', 'short runs', 'p50 ÷ peer']));
try {
  for (const [count, measure] of measures.filter(([, { name }]) => name.includes(values.only))) {
    for (const pair of pairs) {
      await compare(measure, count, pair);
    }
  }
} finally {
  await Promise.all(pairs.flat().map((contender) => contender.close()));
  await rm(folder, { recursive: true });
}
console.log(`load average at the end ${loadText()}`);

/** Lets both run in turns, so that what else the machine does hits both alike. */
async function compare(measure: Measure, count: number, pair: readonly [Contender, Contender]): Promise<void> {
  // The first run of each loads what the later ones have.
  await measure.run(pair[0]);
  await measure.run(pair[1]);
  const ours: number[] = [];
  const peers: number[] = [];
  const short = [0, 0] as [number, number];
  for (let run = 0; run < count; run += 1) {
    const mine = await measure.run(pair[0]);
    const other = await measure.run(pair[1]);
    ours.push(mine.value);
    peers.push(other.value);
    short[0] += mine.missingBytes === 0 ? 0 : 1;
    short[1] += other.missingBytes === 0 ? 0 : 1;
  }
  const ratio = (percentile(ours, 0.5) ?? Number.NaN) / (percentile(peers, 0.5) ?? Number.NaN);
  console.log(`${measure.name} (${count} runs, ${measure.unit})`);
  for (const [index, measured] of [ours, peers].entries()) {
    const worst = measure.unit === 'MB/s' ? [0.01, 0] : [0.99, 1];
    const texts = [0.5, ...worst].map((part) => (percentile(measured, part) ?? Number.NaN).toFixed(3));
    const name = pair[index]?.name ?? '';
    console.log(row([`  ${name}`, ...texts, String(short[index]), index === 0 ? ratio.toFixed(2) : '']));
    if (measure.goal !== undefined) {
      const within = measured.filter((value) => value <= (measure.goal ?? 0)).length;
      console.log(`    within ${measure.goal} ${measure.unit}: ${within} of ${count}`);
    }
  }
}

function row([name = '', ...figures]: readonly string[]): string {
  return [name.padEnd(24), ...figures.map((figure) => figure.padStart(12))].join('');
}
