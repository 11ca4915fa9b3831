import { expect, test } from './fixtures.ts';

test('wide, joined and combining characters take the cells that programs count on', async ({ shellscope }) => {
  const { page } = shellscope;
  const tab = await shellscope.openShell();
  const column = async () => {
    const cursor = await page.locator('.xterm-cursor').first().boundingBox();
    const rows = await page.locator('.xterm-rows').first().boundingBox();
    return cursor === null || rows === null ? null : Math.round((cursor.x - rows.x) / cursor.width);
  };
  for (const [text, cells] of [
    ['abcd', 4],
    ['漢字', 4],
    ['e\u0301e\u0301', 2],
    ['🦀🦀', 4],
  ] as const) {
    // As bytes: what no key has is typed by other events, which are not what is tested here.
    const bytes = [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16)}`).join('');
    await shellscope.type(`clear; printf '${bytes}'; sleep 300\n`);
    await shellscope.expectScreen(tab, text);
    await expect.poll(column, { message: text }).toBe(cells);
    await page.keyboard.press('Control+c');
    await shellscope.expectScreen(tab, /\$ ?$/);
  }
});

test('a flood in a pane that nobody looks at is held up by nothing, and holds up nothing', async ({
  shellscope,
  agent,
}) => {
  const own = await shellscope.openShell();
  // More than memory retains and than any pane is given before it must have parsed something.
  await agent.start('flood', ['/bin/sh', '-c', 'head -c 20000000 /dev/zero | tr "\\0" x | fold -w 99; exit 7']);
  await shellscope.type('echo during $((6 * 7))\n');
  await shellscope.expectScreen(own, /\nduring 42\n/);
  const tab = shellscope.tab(/test-agent/);
  await expect(tab).toHaveAttribute('data-exit-code', '7', { timeout: 30_000 });
  // It was never shown: nothing of it was drawn, and all of it went to its agent.
  expect(await shellscope.screenText(tab)).toBeNull();
  await expect(own).toHaveAttribute('aria-selected', 'true');
  const { output } = await agent.closedProcess('flood');
  expect(output.replaceAll(/\s/g, '')).toHaveLength(20_000_000);
});

test('a keyboard that nobody uses goes back to the agent by itself', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  // Only the half minute without a key is shortened: who counts it, and what comes of it, is the app's own.
  await shellscope.inApp(() => {
    const real = globalThis.setTimeout;
    const quick = (act: () => void, afterMs?: number, ...rest: unknown[]) =>
      real(act, afterMs === 30_000 ? 1_500 : afterMs, ...rest);
    globalThis.setTimeout = Object.assign(quick, real) as typeof setTimeout;
  }, null);
  await agent.start('job', ['/bin/cat']);
  await shellscope.tab(/cat/).click();
  await shellscope.type('mine');
  await expect(page.getByText('You hold the keyboard')).toBeVisible();
  await expect(page.getByText('test-agent holds the keyboard')).toBeVisible();
  await page.keyboard.press('Control+Shift+Y');
  const entries = page.getByRole('complementary', { name: 'Timeline' }).getByRole('listitem');
  await expect(entries.filter({ hasText: /keyboard.*back|back.*keyboard/ })).toHaveCount(1);
});

test('a pane has a cursor where there is an input, and none of a session on pipes, whatever that writes and again', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const shows = `printf 'a\\033[?25hb\\033[!pc\\033[?1049;25hd\\nend'`;
  await agent.start('pipes', ['/bin/sh', '-c', `${shows}; exec sleep 300`], { tty: false });
  const pipes = shellscope.tab(/test-agent/);
  const shell = await shellscope.openShell();
  const pane = page.getByRole('tabpanel');
  const cursor = pane.locator('.xterm-cursor');
  const look = async (): Promise<void> => {
    await shell.click();
    await pane.getByRole('textbox', { name: 'Terminal input' }).focus();
    await expect(cursor).toHaveCount(1);
    await pipes.click();
    await shellscope.expectScreen(pipes, 'end');
    const output = pane.getByRole('textbox', { name: 'Terminal output' });
    await output.focus();
    await expect(output).not.toBeEditable();
    await expect(pane.locator('.xterm-rows')).toContainText('end');
    await expect(cursor).toHaveCount(0);
    await page.keyboard.press('Tab');
    await expect(output).not.toBeFocused();
    await expect(cursor).toHaveCount(0);
  };
  await look();
  await page.reload();
  await look();
});
