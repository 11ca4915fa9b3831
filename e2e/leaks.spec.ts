import type { Runtime } from 'node:inspector';
import type { CDPSession } from '@playwright/test';
import { expect, test, type Shellscope } from './fixtures.ts';

/** More sessions than live terminals (8), so that each show builds one anew and throws one away. */
const SESSIONS = 10;
const CYCLES = 50;

interface Counts {
  readonly terminals: number;
  readonly nodes: number;
  readonly listeners: number;
  /** Ends of panes' channels: in the page, and in the main process. */
  readonly pagePorts: number;
  readonly mainPorts: number;
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
  return {
    terminals: await page.locator('.xterm').count(),
    nodes,
    listeners: jsEventListeners,
    pagePorts: Number(length.value),
    mainPorts: await app.evaluate(({ MessageChannelMain }) => openPorts(MessageChannelMain)),
  };
}

/** Runs in the main process, where `app.evaluate` sends its text: it can use nothing of this file. */
declare function openPorts(channel: unknown): number;

test('fifty times opening and hiding panes leaves no terminal, node, listener or port behind', async ({
  shellscope,
  agent,
}) => {
  test.setTimeout(120_000);
  const { page, app } = shellscope;
  for (let index = 0; index < SESSIONS; index += 1) {
    await agent.start(`p${index}`, ['/bin/sh', '-c', `echo session ${index}; exec cat`]);
  }
  await expect(shellscope.tabs).toHaveCount(SESSIONS);
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

  const cycle = async (turn: number) => {
    const index = turn % SESSIONS;
    await page.keyboard.press('Control+PageDown');
    const selected = page.locator('[role=tab][aria-selected=true]');
    await expect(selected).toHaveAttribute('data-session-id', /./);
    await expect.poll(() => shellscope.screenText(selected), { intervals: [20] }).toMatch(/^session \d$/);
    if (index === 0) {
      for (const key of ['Y', 'L', 'O', 'K']) {
        await page.keyboard.press(`Control+Shift+${key}`);
        await page.keyboard.press(`Control+Shift+${key}`);
      }
      await page.keyboard.press('Control+Shift+P');
      await page.keyboard.press('Escape');
    }
  };
  // Until every pane has been shown, the cap is reached, and what is made once is made.
  for (let turn = 0; turn < 2 * SESSIONS; turn += 1) {
    await cycle(turn);
  }
  const before = await countsOf(shellscope, cdp);
  for (let turn = 0; turn < CYCLES; turn += 1) {
    await cycle(turn);
  }
  const after = await countsOf(shellscope, cdp);
  test.info().annotations.push({ type: 'counts', description: JSON.stringify({ before, after }) });

  expect(after.terminals).toBe(before.terminals);
  expect(after.pagePorts).toBe(before.pagePorts);
  expect(after.mainPorts).toBe(before.mainPorts);
  // One leak per cycle would be fifty; a tooltip or a scroll bar more is none.
  expect(after.nodes - before.nodes).toBeLessThan(CYCLES);
  expect(after.listeners - before.listeners).toBeLessThan(CYCLES / 2);
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
