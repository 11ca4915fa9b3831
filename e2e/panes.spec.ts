import type { Locator } from '@playwright/test';
import { brokenRules } from './broken-rules.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

/** The names of the groups' tab lists, and the pane in view of each. */
const tabLists = ({ page }: Shellscope): Locator => page.getByRole('tablist');
const panels = ({ page }: Shellscope): Locator => page.getByRole('tabpanel');

async function widthOf(panel: Locator): Promise<number> {
  return (await panel.boundingBox())?.width ?? 0;
}

test('panes are split, gone through, resized, and closed by the keyboard alone, and axe finds nothing', async ({
  shellscope,
}) => {
  const { page } = shellscope;
  await page.keyboard.press('Control+Shift+T');
  const first = shellscope.tabs.first();
  await shellscope.expectScreen(first, '$');
  await shellscope.type('echo one\n');
  await shellscope.expectScreen(first, /\none\n/);

  // A shell of its own beside it, which has the keyboard; both are in view and live.
  await page.keyboard.press('Control+Shift+H');
  await expect(tabLists(shellscope)).toHaveCount(2);
  await expect(tabLists(shellscope).nth(1)).toHaveAccessibleName('Sessions, pane 2 of 2');
  const second = tabLists(shellscope).nth(1).getByRole('tab');
  await shellscope.expectScreen(second, '$');
  await shellscope.type('clear; echo two; stty size\n');
  await shellscope.expectScreen(second, /^two\n\d+ \d+\n/);
  const columns = Number((await shellscope.screenText(second))?.split('\n')[1]?.split(' ')[1]);
  expect(columns).toBeGreaterThan(40);
  expect(columns).toBeLessThan(85);
  await expect(panels(shellscope)).toHaveCount(2);
  expect(await shellscope.screenText(first)).toContain('one');

  // Down, then through all three; what is typed goes to the pane that was gone to.
  await page.keyboard.press('Control+Shift+X');
  await expect(tabLists(shellscope)).toHaveCount(3);
  const third = tabLists(shellscope).nth(2).getByRole('tab');
  await shellscope.expectScreen(third, '$');
  await page.keyboard.press('Control+Shift+ArrowLeft');
  await shellscope.type('echo in the first\n');
  await shellscope.expectScreen(first, /in the first\s+in the first/);
  await page.keyboard.press('Control+Shift+ArrowRight');
  await page.keyboard.press('Control+Shift+ArrowDown');
  await shellscope.type('echo in the third\n');
  await shellscope.expectScreen(third, /in the third\s+in the third/);
  expect(await brokenRules(shellscope.page)).toEqual([]);

  // Wider from its right half: the left one gives way. The line between them moves by arrows as well.
  const shownBy = async (tab: Locator): Promise<Locator> =>
    page.locator(`#${(await tab.getAttribute('aria-controls')) ?? ''}`);
  const left = await shownBy(first);
  const before = await widthOf(left);
  await page.keyboard.press('Alt+Shift+End');
  await expect.poll(() => widthOf(left)).toBeLessThan(before - 20);
  const border = page.getByRole('separator', { name: 'Between pane 1 and pane 2' });
  await expect(border).toHaveAttribute('aria-valuenow', '45');
  await border.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(border).toHaveAttribute('aria-valuenow', '55');
  await page.keyboard.press('Enter');
  await expect(border).toHaveAttribute('aria-valuenow', '50');

  // A tab goes to the pane on its left, with the keyboard; its own pane, empty now, is gone.
  await page.keyboard.press('Control+Shift+P');
  await shellscope.type('go to the pane above');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Alt+Shift+ArrowLeft');
  await expect(tabLists(shellscope)).toHaveCount(2);
  await expect(tabLists(shellscope).first().getByRole('tab')).toHaveCount(2);
  await shellscope.type('echo moved\n');
  await shellscope.expectScreen(shellscope.tab(/bash|sh/).nth(1), /moved\s+moved/);

  // The pane is closed, and all its tabs are kept.
  await page.keyboard.press('Control+Alt+Shift+W');
  await expect(tabLists(shellscope)).toHaveCount(1);
  await expect(shellscope.tabs).toHaveCount(3);
  await expect(tabLists(shellscope)).toHaveAccessibleName('Sessions');
  expect(await brokenRules(shellscope.page)).toEqual([]);
});

test('an agent’s new session comes in the background where the person works, and takes nothing from her', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('watched', ['/bin/sh', '-c', 'echo watched; exec sleep 300']);
  const own = await shellscope.openShell();
  // To the right: her shell beside the agent's session.
  await page.keyboard.press('Alt+Shift+ArrowRight');
  await expect(tabLists(shellscope)).toHaveCount(2);
  await shellscope.expectScreen(shellscope.tab(/sleep|watched/), 'watched');
  await shellscope.type('echo mi');
  await agent.start('new', ['/bin/sh', '-c', 'echo new; exec sleep 300']);
  await expect(tabLists(shellscope).nth(1).getByRole('tab')).toHaveCount(2);
  await shellscope.type('ne\n');
  await shellscope.expectScreen(own, /echo mine\s+mine/);
  await expect(own).toHaveAttribute('aria-selected', 'true');
  // The agent's size is the agent's in the narrow pane as well.
  await expect(page.getByRole('tabpanel').getByText('80×24 set by test-agent').first()).toBeVisible();
  expect(await brokenRules(shellscope.page)).toEqual([]);
});

test('a tab is dragged beside a pane, among other tabs and back, and its program goes on', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('watched', ['/bin/cat']);
  const own = await shellscope.openShell();
  const cat = shellscope.tab(/cat/);

  const drag = async (from: Locator, to: { readonly x: number; readonly y: number }): Promise<void> => {
    await from.hover();
    await page.mouse.down();
    await page.mouse.move(to.x - 20, to.y, { steps: 4 });
    await page.mouse.move(to.x, to.y, { steps: 4 });
  };
  const middleOf = async (element: Locator): Promise<{ readonly x: number; readonly y: number }> => {
    const { x, y, width, height } = (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    return { x: x + width / 2, y: y + height / 2 };
  };

  // Escape takes it back.
  await drag(cat, { x: 1_200, y: 400 });
  await expect(page.locator('.drop-mark')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await expect(page.locator('.drop-mark')).toHaveCount(0);
  await expect(tabLists(shellscope)).toHaveCount(1);
  await expect(own).toHaveAttribute('aria-selected', 'true');

  await drag(cat, { x: 1_200, y: 400 });
  await page.mouse.up();
  await expect(tabLists(shellscope)).toHaveCount(2);
  await expect(tabLists(shellscope).nth(1).getByRole('tab')).toHaveAccessibleName(/cat/);
  await agent.write('watched', 'still here\r', 'w1');
  await shellscope.expectScreen(cat, /still here\s+still here/);
  expect(await shellscope.screenText(own)).toContain('$');

  // Into the middle of the other pane: one group again, in the order in which they were put.
  await drag(cat, await middleOf(page.getByRole('tabpanel', { name: /you/ })));
  await page.mouse.up();
  await expect(page.getByRole('tabpanel')).toHaveCount(1);
  await expect(tabLists(shellscope)).toHaveCount(1);
  await expect(shellscope.tabs.nth(1)).toHaveAccessibleName(/cat/);

  // And along the strip, before the other one.
  const first = (await shellscope.tabs.first().boundingBox()) ?? { x: 0, y: 0 };
  await drag(cat, { x: first.x + 4, y: first.y + 10 });
  await page.mouse.up();
  await expect(shellscope.tabs.first()).toHaveAccessibleName(/cat/);
  await expect(shellscope.tabs).toHaveCount(2);
});

test('of nine panes in view one has no terminal, says so, and gets one on demand', async ({ shellscope }) => {
  const { page } = shellscope;
  await page.keyboard.press('Control+Shift+T');
  await shellscope.expectScreen(shellscope.tabs.first(), '$');
  const split = async (key: 'H' | 'X', count: number): Promise<void> => {
    await page.keyboard.press(`Control+Shift+${key}`);
    await expect(tabLists(shellscope)).toHaveCount(count);
  };
  // Three columns, each of three rows.
  await split('H', 2);
  await split('H', 3);
  for (const column of [0, 1, 2]) {
    await split('X', 4 + 2 * column);
    await split('X', 5 + 2 * column);
    await page.keyboard.press('Control+Shift+ArrowLeft');
  }
  const note = page.getByText('Eight terminals are shown already');
  await expect(note).toHaveCount(1);
  await expect(page.locator('.xterm-screen')).toHaveCount(8);
  expect(await brokenRules(shellscope.page)).toEqual([]);

  const waiting = page.getByRole('tabpanel').filter({ has: note });
  const id = await waiting.getAttribute('aria-labelledby');
  const tab = page.locator(`#${id ?? ''}`);
  await waiting.getByRole('button', { name: 'Show it here' }).click();
  await shellscope.expectScreen(tab, '$');
  await shellscope.type('echo here\n');
  await shellscope.expectScreen(tab, /here\s+here/);
  await expect(page.locator('.xterm-screen')).toHaveCount(8);
  await expect(note).toHaveCount(1);
  await expect(waiting).not.toHaveAttribute('aria-labelledby', id ?? '');
});
