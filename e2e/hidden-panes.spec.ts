import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** Waits in a shell for a file that the test makes. */
const AWAIT = 'until_file() { until [ -e "$1" ]; do sleep 0.02; done; }';

/** Counts the bytes of output that reach the page from here on, in whatever pane. */
async function countBytes(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const scope = globalThis as unknown as { countedBytes: number };
    scope.countedBytes = 0;
    MessagePort.prototype.addEventListener = function listen(this: MessagePort, ...given: unknown[]) {
      if (given[0] === 'message') {
        EventTarget.prototype.addEventListener.call(this, 'message', (event) => {
          const { data } = event as MessageEvent<{ readonly bytes?: unknown }>;
          scope.countedBytes += data.bytes instanceof Uint8Array ? data.bytes.length : 0;
        });
      }
      EventTarget.prototype.addEventListener.apply(this, given as Parameters<EventTarget['addEventListener']>);
    };
  });
  return () => page.evaluate(() => (globalThis as unknown as { countedBytes: number }).countedBytes);
}

/** Counts from here on how often a pane asks to be given nothing. */
async function countHolds(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const scope = globalThis as unknown as { countedHolds: number };
    scope.countedHolds = 0;
    // oxlint-disable-next-line typescript/unbound-method -- it is called with its object
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function post(this: MessagePort, ...given: unknown[]) {
      scope.countedHolds += (given[0] as { readonly type?: unknown }).type === 'hold' ? 1 : 0;
      postMessage.apply(this, given as Parameters<MessagePort['postMessage']>);
    };
  });
  return () => page.evaluate(() => (globalThis as unknown as { countedHolds: number }).countedHolds);
}

/** The number of seconds that the page's thread has been busy. */
async function startBusyClock(page: Page): Promise<() => Promise<number>> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  return async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
}

async function untilFile(path: string): Promise<void> {
  await expect
    .poll(
      () =>
        access(path).then(
          () => true,
          () => false,
        ),
      { timeout: 60_000, intervals: [20] },
    )
    .toBe(true);
}

/** Lets the program go on that waits for the file `go`, until it has made the file `told`. */
async function letItPrint(stateFolder: string): Promise<void> {
  await writeFile(join(stateFolder, 'go'), '');
  await untilFile(join(stateFolder, 'told'));
}

test('a flood in a hidden pane that was shown costs the page nothing and is not held up; shown again it is at its end', async ({
  shellscope,
  stateFolder,
}) => {
  test.setTimeout(120_000);
  const { page } = shellscope;
  const bytes = await countBytes(page);
  const busySeconds = await startBusyClock(page);
  const flooding = await shellscope.openShell();
  await shellscope.type(`${AWAIT}; cd; clear; until_file go; seq 7000000; echo al""l told; touch told\n`);
  const own = await shellscope.openShell();
  await shellscope.type('echo he""re\n');
  await shellscope.expectScreen(own, /\nhere\n\$ ?$/);

  const before = { bytes: await bytes(), busy: await busySeconds(), at: performance.now() };
  await letItPrint(stateFolder);
  const seconds = (performance.now() - before.at) / 1_000;
  const share = ((await busySeconds()) - before.busy) / seconds;
  test.info().annotations.push({
    type: 'a hidden flood',
    description: `54 MB in ${seconds.toFixed(1)} s, page busy ${(share * 100).toFixed(1)} % of them`,
  });
  expect(await bytes()).toBe(before.bytes);
  // With what is hidden parsed it was 0.87; it is 0.02, as where nothing happens.
  expect(share).toBeLessThan(0.1);

  await flooding.click();
  await shellscope.expectScreen(flooding, /\n7000000\nall told\n\$ ?$/);
  const lines = ((await shellscope.screenText(flooding)) ?? '').split('\n');
  const last = lines.indexOf('7000000');
  expect(last).toBeGreaterThan(4_000);
  expect(lines.slice(0, last + 1)).toEqual(
    Array.from({ length: last + 1 }, (_line, at) => String(7_000_000 - last + at)),
  );
  await shellscope.type('echo and th""en\n');
  await shellscope.expectScreen(flooding, /\nand then\n\$ ?$/);
});

test('a flood in a minimised window costs the page nothing; shown again the pane is at its end', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const bytes = await countBytes(page);
  const tab = await shellscope.openShell();
  await shellscope.type(
    `${AWAIT}; cd; clear; until_file go; seq 1000000; touch told; until_file then; echo and th""en\n`,
  );
  await shellscope.expectScreen(tab, /until_file|^$/);
  const holds = await countHolds(page);
  const inWindow = (act: 'hide' | 'minimize' | 'restore' | 'show'): Promise<void> =>
    shellscope.inApp(({ BrowserWindow }, name) => BrowserWindow.getAllWindows()[0]?.[name](), act);
  await inWindow('minimize');
  // Without a window manager nothing minimises it.
  await inWindow('hide');
  await expect.poll(holds).toBe(1);
  const before = await bytes();
  await letItPrint(stateFolder);
  expect((await bytes()) - before).toBe(0);

  await inWindow('restore');
  await inWindow('show');
  await shellscope.expectScreen(tab, /\n999999\n1000000$/);
  await writeFile(join(stateFolder, 'then'), '');
  await shellscope.expectScreen(tab, /\n1000000\nand then\n\$ ?$/);
});

test('a hidden pane whose program printed a little is shown again with that, without what it had', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const bytes = await countBytes(page);
  const tab = await shellscope.openShell();
  await shellscope.type(`${AWAIT}; cd; clear; seq 20000; until_file go; echo a lit""tle; touch told\n`);
  await shellscope.expectScreen(tab, /\n20000$/);
  const own = await shellscope.openShell();
  const before = await bytes();
  await letItPrint(stateFolder);
  await shellscope.type('echo he""re\n');
  await shellscope.expectScreen(own, /\nhere\n\$ ?$/);
  expect(await shellscope.screenText(tab)).toMatch(/\n20000$/);

  await tab.click();
  await shellscope.expectScreen(tab, /\n19999\n20000\na little\n\$ ?$/);
  expect((await bytes()) - before).toBeLessThan(1_000);
  await shellscope.type('echo and th""en\n');
  await shellscope.expectScreen(tab, /\na little\n.*\nand then\n\$ ?$/);
});

test('what a program draws once and then changes while its pane is hidden is whole when it is shown again', async ({
  shellscope,
  stateFolder,
}) => {
  const tab = await shellscope.openShell();
  const draw = `printf '\\033[?1049h\\033[2J\\033[3;3Hthe frame'`;
  const change = `awk 'BEGIN { for (i = 0; i < 200000; i++) printf "\\033[5;5Hcount %d ", i }'`;
  await shellscope.type(`${AWAIT}; cd; clear; until_file go; ${draw}; ${change}; touch told; sleep 300\n`);
  const own = await shellscope.openShell();
  await letItPrint(stateFolder);
  await expect(own).toHaveAttribute('aria-selected', 'true');
  await tab.click();
  await shellscope.expectScreen(tab, /^\n\n {2}the frame\n\n {4}count 199999\s*$/);
  // It has the keyboard.
  await shellscope.page.keyboard.press('Control+c');
  await shellscope.type(`printf '\\033[?1049l'; echo ba""ck\n`);
  await shellscope.expectScreen(tab, /^back\n\$ ?$/);
});

test('what the program of a hidden pane asks its terminal is answered once, and not again when it is shown', async ({
  shellscope,
  stateFolder,
}) => {
  const tab = await shellscope.openShell();
  const ask = `printf '\\033[6n'; read -rsd R first; touch told`;
  const askedAgain = `until_file end; read -rsd R -t 0.3 second; printf '%s|%s' "$first" "$second" > answers; echo ov""er`;
  await shellscope.type(
    `${AWAIT}; cd; clear; stty -echo -icanon; until_file go; ${ask}; echo a""sked; ${askedAgain}\n`,
  );
  await shellscope.openShell();
  await letItPrint(stateFolder);
  await tab.click();
  await shellscope.expectScreen(tab, /asked$/);
  await writeFile(join(stateFolder, 'end'), '');
  await shellscope.expectScreen(tab, /over\n/);
  const answers = await readFile(join(stateFolder, 'answers'), 'utf8');
  expect(answers.replace('\u001B', 'ESC ')).toMatch(/^ESC \[\d+;1\|$/);
});
