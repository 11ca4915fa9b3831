import type { Runtime } from 'node:inspector';
import type { CDPSession } from '@playwright/test';
import { expect, test, type Shellscope } from './fixtures.ts';

const CYCLES = 50;

/** Sessions that are open at once: more than live terminals (8), so that opening one throws another one's away. */
const AT_ONCE = 10;
const ROUNDS = CYCLES / AT_ONCE;

/** Panes that are divided off and closed in each round. */
const PANES = 2;

/** What one pane's terminal may take and leave behind, in bytes: a leaked one has 300 kB and more. */
const HEAP_NOISE_PER_PANE = 20_000;

interface Counts {
  readonly terminals: number;
  readonly nodes: number;
  readonly listeners: number;
  /** Ends of panes' channels: in the page, and in the main process. */
  readonly pagePorts: number;
  readonly mainPorts: number;
  /** Of the page, in bytes. */
  readonly heap: number;
}

/** What is alive after everything that nobody holds was collected. */
async function countsOf({ page, app }: Shellscope, cdp: CDPSession): Promise<Counts> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
  const { result } = await cdp.send('Runtime.evaluate', { expression: 'MessagePort.prototype' });
  const { objects } = await cdp.send('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' });
  const { result: length } = await cdp.send('Runtime.callFunctionOn', {
    objectId: objects.objectId ?? '',
    functionDeclaration: 'function () { return this.length; }',
  });
  await cdp.send('Runtime.releaseObject', { objectId: objects.objectId ?? '' });
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return {
    heap: usedSize,
    terminals: await page.locator('.xterm').count(),
    nodes,
    listeners: jsEventListeners,
    pagePorts: Number(length.value),
    mainPorts: await app.evaluate(({ MessageChannelMain }) => openPorts(MessageChannelMain)),
  };
}

/** Runs in the main process, where `app.evaluate` sends its text: it can use nothing of this file. */
declare function openPorts(channel: unknown): number;

/** Waits for a fact of the page, which is looked at in each frame. */
async function until({ page }: Shellscope, selector: string, count: number): Promise<void> {
  await page.waitForFunction(([sought, wanted]) => document.querySelectorAll(sought).length === wanted, [
    selector,
    count,
  ] as const);
}

test('fifty panes that were opened, hidden and closed leave no terminal, node, listener, port or memory behind', async ({
  shellscope,
  agent,
}) => {
  test.setTimeout(120_000);
  const { page, app } = shellscope;
  await agent.start('stays', ['/bin/sh', '-c', 'echo this stays; exec cat']);
  await until(shellscope, '[role=tab]', 1);
  await app.evaluate(async ({ MessageChannelMain }) => {
    const { Session } = process.getBuiltinModule('node:inspector');
    const { port1, port2 } = new MessageChannelMain();
    const scope = globalThis as unknown as { portPrototype: unknown; openPorts: () => number };
    scope.portPrototype = Object.getPrototypeOf(port1);
    port1.close();
    port2.close();
    scope.openPorts = () => {
      const session = new Session();
      session.connect();
      let count = Number.NaN;
      session.post('Runtime.evaluate', { expression: 'globalThis.portPrototype' }, (_error, { result }) => {
        session.post('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' }, (_fault, { objects }) => {
          const functionDeclaration = 'function () { return this.length; }';
          const request = { objectId: objects.objectId ?? '', functionDeclaration };
          session.post('Runtime.callFunctionOn', request, (_failure, answer: Runtime.CallFunctionOnReturnType) => {
            count = Number(answer.result.value);
          });
        });
      });
      session.disconnect();
      return count;
    };
  });
  const cdp = await page.context().newCDPSession(page);

  const shown = page.getByRole('tab', { selected: true });
  const round = async (number: number) => {
    const ids = Array.from({ length: AT_ONCE }, (_, index) => `r${number}-${index}`);
    for (const id of ids) {
      await agent.start(id, ['/bin/sh', '-c', `echo session ${id}; exec cat`]);
    }
    await until(shellscope, '[role=tab]', 1 + AT_ONCE);
    for (const id of ids) {
      await page.keyboard.press('Control+PageDown');
      await expect.poll(() => shellscope.screenText(shown), { intervals: [20] }).toBe(`session ${id}`);
    }
    // The last ones into a pane of their own, with the others beside them, which is closed again.
    for (let pane = 0; pane < PANES; pane += 1) {
      await page.keyboard.press('Alt+Shift+ArrowRight');
      await until(shellscope, '[role=tablist]', 2);
      await page.keyboard.press('Control+Alt+Shift+W');
      await until(shellscope, '[role=tablist]', 1);
    }
    for (const key of ['Y', 'L', 'O', 'K']) {
      await page.keyboard.press(`Control+Shift+${key}`);
      await page.keyboard.press(`Control+Shift+${key}`);
    }
    for (const id of ids) {
      await agent.write(id, '\u0004', `${id}-end`);
    }
    await until(shellscope, '[role=tab][data-exit-code="0"]', AT_ONCE);
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('Close all ended');
    await page.keyboard.press('Enter');
    await until(shellscope, '[role=tab]', 1);
    await expect.poll(() => shellscope.screenText(shellscope.tabs.first()), { intervals: [20] }).toBe('this stays');
  };
  // The cap is reached, and what is made once is made.
  await round(-1);
  const before = await countsOf(shellscope, cdp);
  for (let number = 0; number < ROUNDS; number += 1) {
    await round(number);
  }
  const after = await countsOf(shellscope, cdp);
  test.info().annotations.push({ type: 'counts', description: JSON.stringify({ before, after }) });

  expect(after.terminals).toBe(before.terminals);
  expect(after.pagePorts).toBe(before.pagePorts);
  expect(after.mainPorts).toBe(before.mainPorts);
  // One leak per pane would be fifty; a tooltip or a scroll bar more is none.
  expect(after.nodes - before.nodes).toBeLessThan(CYCLES);
  expect(after.listeners - before.listeners).toBeLessThan(CYCLES / 2);
  expect(after.heap - before.heap).toBeLessThan(CYCLES * HEAP_NOISE_PER_PANE);
  await cdp.detach();
});

test('fifty times showing earlier output leaves no terminal, node or listener behind', async ({
  shellscope,
  agent,
}) => {
  test.setTimeout(120_000);
  const { page } = shellscope;
  await agent.start('long', ['/bin/sh', '-c', 'echo the begin; seq 20000; exec cat']);
  const tab = shellscope.tab(/test-agent/);
  await tab.click();
  await shellscope.expectScreen(tab, /20000$/);
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('the begin');
  await expect(page.getByRole('search').getByRole('status')).toHaveText('1 earlier');
  const cdp = await page.context().newCDPSession(page);
  const counts = async () => {
    await cdp.send('HeapProfiler.collectGarbage');
    const { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
    return { nodes, listeners: jsEventListeners, terminals: await page.locator('.xterm').count() };
  };
  const cycle = async () => {
    await page.keyboard.press('Enter');
    await expect(page.locator('.earlier-output [data-shown]')).toHaveCount(1);
    await expect(page.locator('.xterm')).toHaveCount(2);
    await page.keyboard.press('Escape');
    await expect(page.locator('.earlier-output')).toHaveCount(0);
  };
  for (let turn = 0; turn < 5; turn += 1) {
    await cycle();
  }
  const before = await counts();
  for (let turn = 0; turn < CYCLES; turn += 1) {
    await cycle();
  }
  const after = await counts();
  test.info().annotations.push({ type: 'counts', description: JSON.stringify({ before, after }) });
  expect(after.terminals).toBe(1);
  expect(after.nodes - before.nodes).toBeLessThan(CYCLES);
  expect(after.listeners - before.listeners).toBeLessThan(CYCLES / 2);
  await cdp.detach();
});
