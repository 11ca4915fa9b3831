// Figures of the window under load: floods in visible panes, and one pane that is typed into. Ends with 1 when a goal is not met.
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exitCodeOf, goalText, type Goal } from './goal.ts';
import { loadText, machineFacts } from './machine.ts';
import { percentile } from './percentile.ts';
import { programOptions, refuse } from './program-options.ts';
import { startApp, until, type AppUnderTest } from './window/app-under-test.ts';
import { interrupt, type Interrupted } from './window/interrupt.ts';

const USAGE = 'usage: npm run bench -- window [--floods 1,4] [--keys N] [--interrupts N]';

const values = programOptions(
  {
    floods: { type: 'string', default: '1,4' },
    keys: { type: 'string', default: '100' },
    interrupts: { type: 'string', default: '20' },
  },
  USAGE,
);
const keys = Number(values.keys);
const interrupts = Number(values.interrupts);
const floods = values.floods.split(',').map(Number);
if (!(keys >= 1) || !(interrupts >= 1) || floods.some((count) => !(count >= 0 && count <= 6))) {
  refuse(USAGE);
}

/** Full output: lines of 100 characters with colours, as fast as the terminal takes them. Tells its pid in a file first. */
const FLOOD = String.raw`echo $$ > "$1"
exec yes "$(printf '\033[32m%0100d\033[0m' 7)"
`;

/** Runs in the page: the times between frames, in milliseconds, from now on. */
const WATCH_FRAMES = `(() => {
  globalThis.frameGaps = [];
  let last = performance.now();
  const next = (now) => {
    frameGaps.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})()`;

/**
 * Runs in the page: milliseconds from each key to the frame in which the terminal shows another text. Until `echoWatch` is
 * aborted: a key that is typed elsewhere would be looked for in every frame from then on.
 */
const WATCH_KEYS = `(() => {
  globalThis.nextEcho = Promise.resolve(0);
  globalThis.echoWatch = new AbortController();
  addEventListener('keydown', ({ timeStamp }) => {
    const before = shellscopeTest.screenText(SESSION);
    nextEcho = new Promise((resolve) => {
      const look = () => {
        if (shellscopeTest.screenText(SESSION) === before) {
          requestAnimationFrame(look);
        } else {
          resolve(performance.now() - timeStamp);
        }
      };
      requestAnimationFrame(look);
    });
  }, { capture: true, signal: echoWatch.signal });
})()`;

console.log(machineFacts());
const goals: Goal[] = [];
for (const count of floods) {
  const judged = await measure(count);
  for (const goal of judged) {
    console.log(`  ${goalText(goal)}`);
  }
  goals.push(...judged);
}
console.log(`load average at the end ${loadText()}`);
process.exitCode = exitCodeOf(goals);

/** Answers the goals, with what was measured of each. */
async function measure(floodCount: number): Promise<readonly Goal[]> {
  const under = await startApp();
  try {
    const { app, page } = under;
    const flood = join(under.folder, 'flood');
    await writeFile(flood, FLOOD);
    await openPanes(under, floodCount + 1);
    const sessions = await under.sessions();
    const [typed = '', ...flooded] = sessions;
    for (const [index, session] of flooded.entries()) {
      await focusPane(under, session);
      await page.keyboard.type(`bash ${flood} ${join(under.folder, `pid-${index}`)}\n`);
      await until('the flood to begin', async () => existsSync(join(under.folder, `pid-${index}`)));
    }
    await focusPane(under, typed);
    await page.keyboard.type('exec cat > /dev/null\n');
    await until('cat', async () => (await under.screenText(typed)).endsWith('cat > /dev/null'));

    await page.evaluate(WATCH_FRAMES);
    await page.evaluate(WATCH_KEYS.replaceAll('SESSION', JSON.stringify(typed)));
    await app.evaluate(() => {
      const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      (globalThis as unknown as { delay: typeof delay }).delay = delay;
    });
    const echoMs: number[] = [];
    for (let key = 1; key <= keys; key += 1) {
      await page.keyboard.press('x');
      echoMs.push(await page.evaluate<number>('nextEcho'));
    }
    const gapsMs = await page.evaluate<readonly number[]>('frameGaps');
    await page.evaluate('echoWatch.abort()');
    const loopMs = await app.evaluate(() => {
      const { delay } = globalThis as unknown as { delay: { percentile(part: number): number } };
      return delay.percentile(99) / 1e6;
    });
    console.log(`${floodCount} of ${sessions.length} visible panes flooded`);
    console.log(
      `  gap between frames   ${figure(gapsMs, 0.5)} p50 ${figure(gapsMs, 0.95)} p95 ${figure(gapsMs, 1)} worst ms`,
    );
    console.log(
      `  key to echo          ${figure(echoMs, 0.5)} p50 ${figure(echoMs, 0.95)} p95 ${figure(echoMs, 1)} worst ms`,
    );
    console.log(`  main's loop delay    ${loopMs.toFixed(1)} p99 ms`);
    const interrupted: Interrupted[] = [];
    for (let turn = 0; flooded.length > 0 && interrupted.length < interrupts; turn += 1) {
      const index = turn % flooded.length;
      const session = flooded[index] ?? '';
      const pidFile = join(under.folder, `pid-${index}`);
      await focusPane(under, session);
      interrupted.push(await interrupt(under, { session, pidFile }));
      await rm(pidFile);
      await page.keyboard.type(`bash ${flood} ${pidFile}\n`);
      await until('the flood to begin again', async () => existsSync(pidFile));
    }
    const endMs = interrupted.map((one) => one.endMs);
    const promptMs = interrupted.map((one) => one.promptMs);
    if (interrupted.length > 0) {
      console.log(`  Ctrl-C to the end    ${figure(endMs, 0.5)} p50 ${figure(endMs, 1)} worst ms`);
      console.log(
        `  Ctrl-C to the prompt ${figure(promptMs, 0.5)} p50 ${figure(promptMs, 0.95)} p95 ${figure(promptMs, 1)} worst ms`,
      );
    }
    return [
      { of: 'gap between frames, p95', figureMs: percentile(gapsMs, 0.95), belowMs: 50 },
      { of: 'key to echo, p95', figureMs: percentile(echoMs, 0.95), belowMs: 50 },
      { of: "main's loop delay, p99", figureMs: loopMs, belowMs: 16 },
      ...(floodCount === 0
        ? []
        : [
            { of: 'Ctrl-C to the end, worst', figureMs: percentile(endMs, 1), belowMs: 100 },
            { of: 'Ctrl-C to the prompt on the screen, p95', figureMs: percentile(promptMs, 0.95), belowMs: 100 },
          ]),
    ];
  } finally {
    await under.close();
  }
}

/** Each pane has a shell of its own. */
async function openPanes(under: AppUnderTest, count: number): Promise<void> {
  const { page } = under;
  await page.keyboard.press('Control+Shift+T');
  await until('a tab', async () => (await under.sessions()).length === 1);
  for (let pane = 1; pane < count; pane += 1) {
    await until('a prompt', async () => (await under.screenText((await under.sessions()).at(-1) ?? '')).endsWith('$'));
    await page.keyboard.press(pane % 2 === 1 ? 'Control+Shift+H' : 'Control+Shift+X');
    await until('a pane', async () => (await under.sessions()).length === pane + 1);
  }
  for (const session of await under.sessions()) {
    await until('a prompt', async () => (await under.screenText(session)).endsWith('$'));
  }
}

async function focusPane({ page }: AppUnderTest, session: string): Promise<void> {
  await page.locator(`[role=tab][data-session-id="${session}"]`).click();
  const isThere = `document.activeElement?.closest('[role=tabpanel]')?.id === 'panel-${session}'`;
  await until('the keyboard', () => page.evaluate<boolean>(isThere));
}

function figure(valuesMs: readonly number[], part: number): string {
  return (percentile(valuesMs, part) ?? Number.NaN).toFixed(1).padStart(6);
}
