// What a command costs that an agent runs over MCP, beside a plain spawn, and what polls of a silent session cost the
// host. Nothing is judged: a figure is read by a person.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpHost, stdioHost, type McpHost } from './exec/mcp-host.ts';
import { percentile } from './percentile.ts';
import { programOptions, refuse } from './program-options.ts';

const USAGE = 'usage: npm run bench -- exec [--runs N] [--polls N]';

const values = programOptions(
  { runs: { type: 'string', default: '300' }, polls: { type: 'string', default: '1000' } },
  USAGE,
);
const [runs, polls] = [Number(values.runs), Number(values.polls)];
if (!(runs >= 1) || !(polls >= 1)) {
  refuse(USAGE);
}

const folder = await mkdtemp(join(tmpdir(), 'shellscope-exec-'));
const hosts: McpHost[] = [];
try {
  hosts.push(await stdioHost(folder), await httpHost(folder));
  await runCommands();
  for (const host of hosts) {
    await pollSilence(host);
  }
} finally {
  await Promise.all(hosts.map((host) => host.close()));
  await rm(folder, { recursive: true });
}

/** In turns, so that what else the machine does hits all alike. */
async function runCommands(): Promise<void> {
  const contenders: readonly (readonly [name: string, run: () => Promise<void>])[] = [
    ...hosts.map((host) => [`${host.name}: shell_exec`, () => shellExec(host)] as const),
    ['child_process.spawn', plainSpawn],
  ];
  const measured = contenders.map(() => [] as number[]);
  // The first run of each loads what the later ones have.
  for (let run = -1; run < runs; run += 1) {
    for (const [at, [, execute]] of contenders.entries()) {
      const startedAt = performance.now();
      await execute();
      if (run >= 0) {
        measured[at]?.push(performance.now() - startedAt);
      }
    }
  }
  console.log(`bash -c true, call to answer (${runs} runs, ms)`);
  console.log(row('', ['p50', 'p99', 'worst']));
  for (const [at, [name]] of contenders.entries()) {
    const figures = [0.5, 0.99, 1].map((part) => (percentile(measured[at] ?? [], part) ?? Number.NaN).toFixed(2));
    console.log(row(`  ${name}`, figures));
  }
}

async function shellExec({ client }: McpHost): Promise<void> {
  const { structuredContent } = await client.callTool({
    name: 'shell_exec',
    arguments: { command: 'true', shell: '/bin/bash', login: false, yield_ms: 24_000 },
  });
  if ((structuredContent as { readonly exit_code?: unknown } | undefined)?.exit_code !== 0) {
    throw new Error(`shell_exec did not end: ${JSON.stringify(structuredContent)}`);
  }
}

async function plainSpawn(): Promise<void> {
  await once(spawn('/bin/bash', ['-c', 'true'], { stdio: 'ignore' }), 'exit');
}

async function pollSilence(host: McpHost): Promise<void> {
  const { name, client } = host;
  const { structuredContent } = await client.callTool({
    name: 'shell_open',
    arguments: { command: 'exec sleep 3600' },
  });
  const { session_id } = structuredContent as { readonly session_id: string };
  const poll = () => client.callTool({ name: 'shell_read', arguments: { session_id } });
  await poll();
  const before = host.cpuMs();
  const times: number[] = [];
  for (let at = 0; at < polls; at += 1) {
    const startedAt = performance.now();
    await poll();
    times.push(performance.now() - startedAt);
  }
  const after = host.cpuMs();
  const used = before === null || after === null ? 'not told here' : `${(after - before).toFixed(0)} ms`;
  console.log(`${name}: ${polls} polls of a silent session`);
  console.log(
    row(
      '  call to answer (ms)',
      [percentile(times, 0.5), percentile(times, 0.99)].map((ms) => (ms ?? Number.NaN).toFixed(2)),
    ),
  );
  console.log(row('  CPU time of the host', [used]));
  await client.callTool({ name: 'shell_close', arguments: { session_id } });
}

function row(name: string, figures: readonly string[]): string {
  return [name.padEnd(28), ...figures.map((figure) => figure.padStart(12))].join('');
}
