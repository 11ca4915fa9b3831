import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { until, type AppUnderTest } from './app-under-test.ts';

/** Bytes that a flood has printed since it began, before it is interrupted: its pane is behind by then. */
const FLOODED_BYTES = 8_000_000;

/**
 * Runs in the page: notes when the next Ctrl-C is pressed. `prompted` is the milliseconds from there until the frame is painted
 * in which the cursor of SESSION stands behind its prompt; above 10,000 when it did not come. What is before the prompt in
 * its row is none of its matter: where the kernel drops what a flood printed behind an ESC, that and the `^` of the echoed `^C`
 * begin a string that a terminal does not show, with the line's end in it.
 */
const WATCH_PROMPT = `(() => {
  globalThis.prompted = new Promise((resolve) => {
    const watch = ({ key, timeStamp }) => {
      if (key !== 'c') {
        return;
      }
      removeEventListener('keydown', watch, { capture: true });
      globalThis.interruptedAt = performance.timeOrigin + timeStamp;
      const look = () => {
        const { rows, cursor } = shellscopeTest.screenState(SESSION);
        if (rows[cursor.row].endsWith('$') || performance.now() - timeStamp > 10_000) {
          setTimeout(() => resolve(performance.now() - timeStamp));
        } else {
          requestAnimationFrame(look);
        }
      };
      requestAnimationFrame(look);
    };
    addEventListener('keydown', watch, { capture: true });
  });
})()`;

export interface Interrupted {
  /** Milliseconds from the key, as the window is told of it, to the end of the program, which the kernel tells. */
  readonly endMs: number;
  /** … and to the frame that shows the prompt. */
  readonly promptMs: number;
}

/** Floods the session that has the keyboard until it is behind, and interrupts it. The program tells its pid in a file. */
export async function interrupt(
  { page }: AppUnderTest,
  { session, pidFile }: { readonly session: string; readonly pidFile: string },
): Promise<Interrupted> {
  const begin = await printedBytes(page, session);
  await until('a flood', async () => (await printedBytes(page, session)) > begin + FLOODED_BYTES);
  const pid = Number(await readFile(pidFile, 'utf8'));
  await page.evaluate(WATCH_PROMPT.replaceAll('SESSION', JSON.stringify(session)));
  const pressed = page.keyboard.press('Control+c');
  const deadline = performance.now() + 10_000;
  while (existsSync(`/proc/${pid}/exe`) && performance.now() < deadline) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const end = performance.timeOrigin + performance.now();
  await pressed;
  const promptMs = await page.evaluate<number>('prompted');
  return { endMs: end - (await page.evaluate<number>('interruptedAt')), promptMs };
}

async function printedBytes(page: AppUnderTest['page'], session: string): Promise<number> {
  return page.evaluate<number>(
    `shellscope.listSessions().then(({ sessions }) => sessions.find(({ id }) => id === ${JSON.stringify(session)}).outputBytes)`,
  );
}
