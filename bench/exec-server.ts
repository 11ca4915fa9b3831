// Our exec-server beside the real one, in one run, in turns, by the same client. Each has a process of its own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare, goals, NAMES, type Compared, type Goal, type Measured } from './exec-server/comparison.ts';
import { REPETITION_BYTES } from './exec-server/flood-text.ts';
import { bareFlood, flood, startIdleShells, startToExited, typist, warmPages } from './exec-server/measures.ts';
import {
  ourServer,
  realServer,
  startServer,
  type RunningServer,
  type ServerKind,
  type Transport,
} from './exec-server/server-process.ts';
import { loadText, machineFacts } from './machine.ts';
import { percentile } from './percentile.ts';

const USAGE = `usage: npm run bench -- exec-server [options]
  --transport websocket|stdio  how the client reaches both (websocket)
  --starts N        starts of /bin/true on a pty, and as many on pipes (200)
  --keys N          keys typed (200)
  --in-a-row N      starts or keys of one server before the other's (20)
  --floods N        floods through a pty, and as many through pipes (5)
  --megabytes N     of one flood (200)
  --shells A,B,…    idle shells at which memory is read (0,50,200)
  --json            print JSON
Give 0, or --shells '', to leave a measure out.
SHELLSCOPE_CODEX names the executable of Codex; without it the one in the cache is taken.`;

const { values } = parsed();
const transport = values.transport as Transport;
const codex = process.env['SHELLSCOPE_CODEX'] ?? '';
const kinds = { ours: ourServer(transport), theirs: realServer(transport, codex) };
const repetitions = Math.ceil((count('megabytes') * 1e6) / REPETITION_BYTES);

const measured: Measured[] = [];
const damage = { ours: 0, theirs: 0 };
const facts = machineFacts();
say(`${facts}\n${transport}; theirs is ${codex}\n${row(['', 'p50', 'worst 1 %', 'worst', 'ours ÷ theirs'])}`);
await withBoth(async (ours, theirs) => {
  for (const [name, tty] of [
    [NAMES.startPty, true],
    [NAMES.startPipe, false],
  ] as const) {
    await inRows(name, count('starts'), ours, theirs, (server) => startToExited(server, tty));
  }
});
if (count('keys') > 0) {
  await withBoth(async (ours, theirs) => {
    const typists = { ours: await typist(ours), theirs: await typist(theirs) };
    await inRows(NAMES.echo, count('keys'), typists.ours, typists.theirs, (each) => each.type());
    await Promise.all([typists.ours.end(), typists.theirs.end()]);
  });
}
const bare = await floods();
await memory();
const compared = measured.map(compare);
const judged = goals(compared, damage.ours);
if (values.json) {
  console.log(
    JSON.stringify(
      { machine: facts, transport, measures: compared, bare: percentile(bare, 0.5), damage, goals: judged },
      null,
      2,
    ),
  );
} else {
  say(`bytes missing or pieces wrong: ours ${damage.ours}, theirs ${damage.theirs}`);
  say(judged.map(goalText).join('\n'));
  say(`load average at the end ${loadText()}`);
}

/** Answers how fast a terminal is when its output is thrown away, in 10^6 bytes per second, each time. */
async function floods(): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'shellscope-flood-'));
  const file = join(folder, 'text');
  const bare: number[] = [];
  try {
    await withBoth(async (ours, theirs) => {
      for (const [name, tty] of [
        [NAMES.floodPty, true],
        [NAMES.floodPipe, false],
      ] as const) {
        await inTurns({ name, unit: 'MB/s', turns: count('floods') }, ours, theirs, async (server) => {
          await warmPages(join(folder, 'scratch'), repetitions * REPETITION_BYTES);
          const { megabytesPerSecond, lostBytes, wrongPieces } = await flood(server, { file, repetitions, tty });
          damage[server === ours ? 'ours' : 'theirs'] += lostBytes + wrongPieces;
          const kernel = tty && server === ours ? await bareFlood({ file, repetitions }) : null;
          bare.push(...(kernel === null ? [] : [kernel]));
          return megabytesPerSecond;
        });
        const kernel = tty ? percentile(bare, 0.5) : null;
        if (kernel !== null) {
          say(row(['  bare', kernel.toFixed(2)]));
        }
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
  return bare;
}

/** Servers that have done nothing else. */
async function memory(): Promise<void> {
  const steps = values.shells
    .split(',')
    .filter((text) => text !== '')
    .map(Number);
  if (steps.length === 0) {
    return;
  }
  await withBoth(async (ours, theirs) => {
    let started = 0;
    for (const shells of steps) {
      for (const server of [ours, theirs]) {
        await startIdleShells(server, shells - started);
      }
      started = shells;
      note({
        name: `resident memory with ${shells} idle shells`,
        unit: 'MB',
        ours: [ours.residentMegabytes()],
        theirs: [theirs.residentMegabytes()],
      });
    }
  });
}

/** Takes the measure at both in turns, so that what else the machine does hits both alike. */
async function inTurns<T>(
  { name, unit, turns }: { readonly name: string; readonly unit: Measured['unit']; readonly turns: number },
  ours: T,
  theirs: T,
  measure: (at: T) => Promise<number>,
): Promise<void> {
  if (turns > 0) {
    const { all } = await takenInRows({ total: turns, inARow: 1 }, ours, theirs, measure);
    note({ name, unit, ...all });
  }
}

/**
 * Takes times at both in rows, in turns. In turns one by one the slower server would decide how long the faster one's caches
 * and core have gone cold, so that what follows such a pause is a measure of its own: the first of each row.
 */
async function inRows<T>(
  name: string,
  total: number,
  ours: T,
  theirs: T,
  measure: (at: T) => Promise<number>,
): Promise<void> {
  if (total > 0) {
    const { all, first } = await takenInRows({ total, inARow: count('in-a-row') }, ours, theirs, measure);
    note({ name, unit: 'ms', ...all });
    note({ name: `${name}, after a pause`, unit: 'ms', ...first });
  }
}

/** A row of ours, one of theirs, and so on: all of each, and the first of each row. */
async function takenInRows<T>(
  { total, inARow }: { readonly total: number; readonly inARow: number },
  ours: T,
  theirs: T,
  measure: (at: T) => Promise<number>,
) {
  // The first loads what the later ones have.
  await measure(ours);
  await measure(theirs);
  const all = { ours: [] as number[], theirs: [] as number[] };
  const first = { ours: [] as number[], theirs: [] as number[] };
  for (let done = 0; done < total; done += inARow) {
    for (const side of ['ours', 'theirs'] as const) {
      const row: number[] = [];
      while (row.length < Math.min(inARow, total - done)) {
        row.push(await measure(side === 'ours' ? ours : theirs));
      }
      all[side].push(...row);
      first[side].push(...row.slice(0, 1));
    }
  }
  return { all, first };
}

async function withBoth(use: (ours: RunningServer, theirs: RunningServer) => Promise<void>): Promise<void> {
  const started: RunningServer[] = [];
  const start = async (kind: ServerKind) => {
    const server = await startServer(kind, transport);
    started.push(server);
    return server;
  };
  try {
    await use(await start(kinds.ours), await start(kinds.theirs));
  } finally {
    await Promise.all(started.map((server) => server.close()));
  }
}

function note(one: Measured): void {
  measured.push(one);
  say(figuresText(compare(one)));
}

function figuresText({ name, unit, count: turns, ours, theirs, ratio }: Compared): string {
  return [
    `${name} (${turns === 1 ? 'once' : `${turns} times each`}, ${unit})`,
    row(['  ours', ...Object.values(ours).map((figure: number) => figure.toFixed(2)), ratio.toFixed(2)]),
    row(['  theirs', ...Object.values(theirs).map((figure: number) => figure.toFixed(2))]),
  ].join('\n');
}

function goalText({ goal, met }: Goal): string {
  return `${met ? 'met    ' : 'NOT MET'}  ${goal}`;
}

function row([name = '', ...figures]: readonly string[]): string {
  return [name.padEnd(12), ...figures.map((figure) => figure.padStart(14))].join('');
}

/** With `--json` nothing but that is printed. */
function say(text: string): void {
  if (!values.json) {
    console.log(text);
  }
}

function count(name: 'starts' | 'keys' | 'in-a-row' | 'floods' | 'megabytes'): number {
  return Number(values[name]);
}

function parsed() {
  try {
    const options = parseArgs({
      options: {
        transport: { type: 'string', default: 'websocket' },
        starts: { type: 'string', default: '200' },
        keys: { type: 'string', default: '200' },
        'in-a-row': { type: 'string', default: '20' },
        floods: { type: 'string', default: '5' },
        megabytes: { type: 'string', default: '200' },
        shells: { type: 'string', default: '0,50,200' },
        json: { type: 'boolean', default: false },
      },
    });
    const { transport: way, starts, keys, floods: runs, megabytes, shells } = options.values;
    const isWhole = (text: string) => /^\d+$/.test(text);
    if (
      ['websocket', 'stdio'].includes(way) &&
      [starts, keys, runs, megabytes].every(isWhole) &&
      /^[1-9]\d*$/.test(options.values['in-a-row']) &&
      /^(?:\d+(?:,\d+)*)?$/.test(shells)
    ) {
      return options;
    }
  } catch {
    // An option that there is not: the usage says which there are.
  }
  console.error(USAGE);
  process.exit(2);
}
