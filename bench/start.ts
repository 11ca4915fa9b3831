// How long a newcomer waits: from `npm start` on a built tree to the window, and to a prompt that answers.
// Ends with 1 when that takes too long.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { chromium, type Browser } from 'playwright';
import { exitCodeOf, goalText, type Goal } from './goal.ts';
import { loadText, machineFacts } from './machine.ts';
import { percentile } from './percentile.ts';
import { programOptions, refuse } from './program-options.ts';
import { environmentFor, newFolder, until } from './window/app-under-test.ts';

const USAGE = 'usage: npm run bench -- start [--runs N]';

const values = programOptions({ runs: { type: 'string', default: '5' } }, USAGE);
const runs = Number(values.runs);
if (!(runs >= 1)) {
  refuse(USAGE);
}

console.log(machineFacts());
const windowMs: number[] = [];
const promptMs: number[] = [];
for (let run = 0; run < runs; run += 1) {
  const took = await startOnce();
  windowMs.push(took.windowMs);
  promptMs.push(took.promptMs);
}
console.log(`from npm start on a built tree (${runs} runs)`);
console.log(`  to the window        ${figure(windowMs, 0.5)} p50 ${figure(windowMs, 1)} worst ms`);
console.log(`  to a prompt in use   ${figure(promptMs, 0.5)} p50 ${figure(promptMs, 1)} worst ms`);
const goal: Goal = { of: 'to a prompt in use, p50', figureMs: percentile(promptMs, 0.5), belowMs: 2_000 };
console.log(`  ${goalText(goal)}`);
console.log(`load average at the end ${loadText()}`);
process.exitCode = exitCodeOf([goal]);

async function startOnce(): Promise<{ readonly windowMs: number; readonly promptMs: number }> {
  const folder = await newFolder();
  const begin = performance.now();
  const args = ['start', '--', '--shellscope-test', '--listen=ws://127.0.0.1:0', '--remote-debugging-port=0'];
  // Another home, but the Electron that was fetched before.
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const env = { ...environmentFor(folder), XDG_CACHE_HOME: cache };
  const child = spawn('npm', args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let browser: Browser | null = null;
  try {
    browser = await chromium.connectOverCDP(await debuggerOf(child.stderr));
    const [context] = browser.contexts();
    const page = context?.pages()[0] ?? (await context?.waitForEvent('page'));
    if (page === undefined) {
      throw new Error('there is no window');
    }
    await page.getByRole('button', { name: 'New shell' }).first().waitFor();
    const shownMs = performance.now() - begin;
    await page.keyboard.press('Control+Shift+T');
    const screen = () =>
      page.evaluate<string>('shellscopeTest.screenText(shellscopeTest.selectedSession() ?? "") ?? ""');
    await until('a prompt', async () => (await screen()).endsWith('$'));
    await page.keyboard.type('echo $((6 * 7))\n');
    await until('the answer', async () => (await screen()).includes('\n42\n'));
    return { windowMs: shownMs, promptMs: performance.now() - begin };
  } finally {
    await browser?.close();
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

/** The address of the page's debugger, which Chromium tells on stderr. Throws when the app ends without one. */
async function debuggerOf(stderr: Readable): Promise<string> {
  const told: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      // What comes after it is read to nowhere: a full pipe would hold the app.
      stderr.resume();
      return address;
    }
    told.push(line);
  }
  throw new Error(`the app ended before it had a window:\n${told.join('\n')}`);
}

function figure(valuesMs: readonly number[], part: number): string {
  return (percentile(valuesMs, part) ?? Number.NaN).toFixed(0).padStart(6);
}
