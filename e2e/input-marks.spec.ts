import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { brokenRules } from './broken-rules.ts';
import { expect, launch, Shellscope, test } from './fixtures.ts';
import { filesWith, lettersIn, pressKeys, SECRET } from './secret-letters.ts';

/** A line of the terminal in view, and who typed there, by the name that assistive technology is told. */
type MarkedRow = readonly [line: string, who: string];

const marks = (page: Page): Locator => page.getByRole('tabpanel').locator('.input-marks').getByRole('img');

/** What is marked in view, from the top down; without the times of day. */
async function markedRows(page: Page): Promise<readonly MarkedRow[]> {
  const found = await marks(page).evaluateAll((elements) =>
    elements.map((element): [number, string, string] => {
      const rows = [...(element.closest('.xterm')?.querySelectorAll('.xterm-rows > div') ?? [])];
      const { top, height } = element.getBoundingClientRect();
      const row = rows.find((candidate) => {
        const box = candidate.getBoundingClientRect();
        return Math.abs(box.top + box.height / 2 - top - height / 2) < box.height / 2;
      });
      return [top, row?.textContent?.trim() ?? '', element.getAttribute('aria-label') ?? ''];
    }),
  );
  return found
    .toSorted(([a], [b]) => a - b)
    .map(([, line, name]) => [line, name.replaceAll(/ · [\d:]+(?: [AP]M)?/g, '')]);
}

async function auditOf(stateFolder: string): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(join(stateFolder, 'audit.jsonl'), 'utf8').catch(() => '');
  const events = text.split('\n').filter((line) => line !== '');
  return events
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => type === 'input')
    .map(({ by, times, bytes, hidden }) => ({ by, times, bytes, hidden }));
}

test('S8: each span of input is marked with who it was, in the pane, in what is kept and in the audit log; a password in none', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page, app } = shellscope;
  const log: Buffer[] = [];
  app.process().stderr?.on('data', (data: Buffer) => log.push(data));
  await agent.start('job', ['/bin/bash', '--norc', '--noediting', '-i'], { env: { PS1: '$ ' } });
  const tab = shellscope.tab(/^bash/);
  await tab.click();
  await shellscope.expectScreen(tab, '$');
  await agent.write('job', 'echo by agent\r', 'w1');
  await shellscope.expectScreen(tab, /\nby agent\n\$/);
  // The program asks where the cursor is, and the terminal answers.
  await agent.write('job', `printf '\\e[6n'; read -rsd R place; echo "at \${place#*[}"\r`, 'w2');
  await shellscope.expectScreen(tab, /\nat 4;1\n\$/);
  await shellscope.type('echo mine\n');
  await shellscope.expectScreen(tab, /\nmine\n\$/);
  await shellscope.type('read -rsp "Password: " word; echo; echo ta""ken\n');
  await expect(shellscope.tab(/waits: password/)).toHaveCount(1);
  await pressKeys(await page.context().newCDPSession(page), SECRET);
  await shellscope.expectScreen(tab, /\ntaken\n\$/);

  const expected: readonly MarkedRow[] = [
    ['$ echo by agent', 'test-agent typed 14 B'],
    [`$ printf '\\e[6n'; read -rsd R place; echo "at \${place#*[}"`, 'test-agent typed 57 B'],
    ['at 4;1', 'the terminal answered the program'],
    ['$ echo mine', 'you typed 10 B (10 times)'],
    ['$ read -rsp "Password: " word; echo; echo ta""ken', 'you typed 48 B (48 times)'],
    ['Password:', 'you typed what the terminal does not show'],
  ];
  await expect.poll(() => markedRows(page)).toEqual(expected);
  const signs = await marks(page)
    .locator('span')
    .evaluateAll((all) => all.map((sign) => sign.getAttribute('data-by')));
  expect(signs).toEqual(['agent', 'agent', 'terminal', 'person', 'person', 'person']);

  // Shown again, from the retained output.
  await page.reload();
  await expect.poll(() => markedRows(page)).toEqual(expected);
  await expect.poll(() => auditOf(stateFolder)).toHaveLength(6);
  const byAgent = { kind: 'agent', client: 'test-agent' };
  const audit = [
    { by: byAgent, times: 1, bytes: 14 },
    { by: byAgent, times: 1, bytes: 57 },
    { by: { kind: 'terminal' }, times: 1, bytes: 6 },
    { by: { kind: 'person' }, times: 10, bytes: 10 },
    { by: { kind: 'person' }, times: 48, bytes: 48 },
    { by: { kind: 'person' }, hidden: true },
  ];
  expect(await auditOf(stateFolder)).toEqual(audit);

  const toldToAgent = JSON.stringify(agent.frames);
  agent.drop();
  await app.close();
  expect(lettersIn(toldToAgent + Buffer.concat(log).toString(), SECRET)).toEqual([]);
  expect(await filesWith(stateFolder, SECRET)).toEqual([]);

  // What is kept of the session: the same clock, the same lines.
  const again = await launch(stateFolder);
  const next = await Shellscope.drawn(again, await again.firstWindow());
  await next.tab(/^bash, test-agent/).click();
  await expect.poll(() => markedRows(next.page)).toEqual(expected);
  await next.page.keyboard.press('Control+Shift+Y');
  const timeline = next.page.getByRole('complementary', { name: 'Timeline' });
  for (const [, who] of expected) {
    await expect(timeline.getByRole('button', { name: who })).not.toHaveCount(0);
  }
  await expect(timeline.getByText(/does not show \(/)).toHaveCount(0);
  await again.close();
});

test('the keyboard goes from input to input, and who it was is told; there are no marks in a full-screen program', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/bash', '--norc', '--noediting', '-i'], { env: { PS1: '$ ' } });
  const tab = shellscope.tab(/^bash/);
  await tab.click();
  await shellscope.expectScreen(tab, '$');
  await agent.write('job', 'seq 1000 1100\r', 'w1');
  await shellscope.expectScreen(tab, /\n1100\n\$/);
  await agent.write('job', 'seq 2000 2100\r', 'w2');
  await shellscope.expectScreen(tab, /\n2100\n\$/);
  const rows = page.getByRole('tabpanel').locator('.xterm-rows');
  await expect(rows).not.toContainText('seq 2000');
  await tab.press('Enter');
  const note = page.getByRole('tabpanel').locator('.input-note');
  await expect(note).toHaveRole('status');

  await page.keyboard.press('Control+Shift+PageUp');
  await expect(note).toHaveText(/^Input 2 of 2: test-agent typed 14 B · \d/);
  await expect(rows).toContainText('seq 2000');
  await expect(page.locator('.shown-place')).toBeVisible();
  await page.keyboard.press('Control+Shift+PageUp');
  await expect(note).toHaveText(/^Input 1 of 2: test-agent typed 14 B · \d/);
  await expect(rows).toContainText('seq 1000');
  await page.keyboard.press('Control+Shift+PageUp');
  await expect(note).toHaveText('No earlier input in this pane');
  await page.keyboard.press('Control+Shift+PageDown');
  await expect(note).toHaveText(/^Input 2 of 2: /);
  await page.keyboard.press('Control+Shift+PageDown');
  await expect(note).toHaveText('No later input in this pane');
  await expect(rows).toContainText('2100');
  expect(await brokenRules(page)).toEqual([]);

  // By its name in the palette, too.
  await page.keyboard.press('Control+Shift+P');
  await page.keyboard.type('previous input');
  await page.keyboard.press('Enter');
  await expect(note).toHaveText(/^Input 2 of 2: /);

  // Typing ends it, and is marked itself.
  await page.keyboard.press('Control+Shift+PageDown');
  await page.keyboard.type("printf '\\e[?1049h'; read -rsn1; printf '\\e[?1049l'\n");
  await expect(note).toBeEmpty();
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          (window as never as Bridge).shellscopeTest.screenState(
            (window as never as Bridge).shellscopeTest.selectedSession() ?? '',
          )?.screen,
      ),
    )
    .toBe('alternate');
  await expect(marks(page)).toHaveCount(0);
  await page.keyboard.type('x');
  await shellscope.expectScreen(tab, /1049l'\n\$/);
  await expect
    .poll(async () => (await markedRows(page)).map(([line]) => line))
    .toEqual([expect.stringMatching(/^\$ printf/)]);
});

interface Bridge {
  readonly shellscopeTest: {
    screenState(id: string): { readonly screen: string } | null;
    selectedSession(): string | null;
  };
}

test('marks stay at their lines when the pane gets another width, and can be turned off', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const tab = await shellscope.openShell();
  const long = `echo ${'wide '.repeat(30).trim()}`;
  await shellscope.type(`${long}\n`);
  await shellscope.expectScreen(tab, /wide\n\$/);
  await shellscope.type('echo next\n');
  await shellscope.expectScreen(tab, /\nnext\n\$/);
  await expect(marks(page)).toHaveCount(2);
  await shellscope.setContentSize(700, 600);
  await expect
    .poll(async () => (await markedRows(page)).map(([line]) => line))
    .toEqual([expect.stringMatching(/^\$ echo wide/), '$ echo next']);
  await writeFile(join(stateFolder, 'settings.json'), JSON.stringify({ terminal: { inputMarks: false } }));
  await expect(marks(page)).toHaveCount(0);
});

test('marks stay beside their lines when the pane gets fewer rows', async ({ shellscope }) => {
  const { page } = shellscope;
  const tab = await shellscope.openShell();
  // Far enough down that a wrong share of the height would be another line.
  await shellscope.type(`clear; printf '1\\n2\\n3\\n4\\n5\\n'\n`);
  await shellscope.expectScreen(tab, /^1\n2\n3\n4\n5\n\$ ?$/);
  await shellscope.type('echo mine\n');
  await shellscope.expectScreen(tab, /\nmine\n\$ ?$/);
  const expected: readonly MarkedRow[] = [['$ echo mine', 'you typed 10 B (10 times)']];
  await expect.poll(() => markedRows(page)).toEqual(expected);
  const rows = page.getByRole('tabpanel').locator('.xterm-rows > div');
  const before = await rows.count();
  await shellscope.setContentSize(900, 600);
  await expect.poll(() => rows.count()).toBeLessThan(before);
  await expect.poll(() => markedRows(page)).toEqual(expected);
});
