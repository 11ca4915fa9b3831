import { getPriority } from 'node:os';
import { resolve } from 'node:path';
import { isRunning } from '../test/support/is-running.ts';
import { expect, test } from './fixtures.ts';

const FULL_SCREEN_PROGRAM = resolve('test/fixtures/programs/full-screen.py');

test.beforeEach(async ({ shellscope }) => {
  await shellscope.openShell();
});

test('a person opens a shell with +, types into it, and its exit is told', async ({ shellscope }) => {
  const tab = shellscope.tabs.first();
  await shellscope.type('echo $((6 * 7)); pwd\n');
  await shellscope.expectScreen(tab, /42\n/);
  await shellscope.type('exit 4\n');
  await expect(tab).toHaveAttribute('data-exit-code', '4');
  await expect(tab).toHaveAccessibleName(/exited 4/);
});

test('the shell has the size of its pane, and gets the new one when the window changes', async ({ shellscope }) => {
  const tab = shellscope.tabs.first();
  const size = async (): Promise<readonly number[]> => {
    await shellscope.type('clear; stty size\n');
    await shellscope.expectScreen(tab, /^\d+ \d+\n/);
    return (await shellscope.screenText(tab))?.split('\n')[0]?.split(' ').map(Number) ?? [];
  };
  const [rows = 0, cols = 0] = await size();
  expect(cols).toBeGreaterThan(100);
  await shellscope.setContentSize(800, 500);
  await expect(async () => {
    const [newRows = 0, newCols = 0] = await size();
    expect(newRows).toBeLessThan(rows);
    expect(newCols).toBeLessThan(cols);
  }).toPass();
});

test('a full-screen program draws, takes keys, follows the size and leaves the screen as it was', async ({
  shellscope,
}) => {
  const tab = shellscope.tabs.first();
  await shellscope.expectScreen(tab, '$');
  await shellscope.type('clear; echo before\n');
  await shellscope.type(`python3 ${FULL_SCREEN_PROGRAM}\n`);
  await shellscope.expectScreen(tab, /^full screen \d+x\d+\n\nkeys:/);
  await shellscope.type('abc');
  await shellscope.page.keyboard.press('ArrowUp');
  await shellscope.expectScreen(tab, 'keys: abc<259>');
  const before = await shellscope.screenText(tab);
  await shellscope.setContentSize(900, 600);
  await expect.poll(async () => (await shellscope.screenText(tab))?.split('\n')[0]).not.toBe(before?.split('\n')[0]);
  await shellscope.type('q');
  await shellscope.expectScreen(tab, /^before\n/);
});

test('a REPL takes lines, edits them, and its endless loop ends by Ctrl-C', async ({ shellscope }) => {
  const tab = shellscope.tabs.first();
  await shellscope.type('python3 -q -i\n');
  await shellscope.expectScreen(tab, '>>>');
  await shellscope.type('6 * 71');
  await shellscope.page.keyboard.press('Backspace');
  await shellscope.type('\n');
  await shellscope.expectScreen(tab, /\n42\n/);
  await shellscope.type('while True: pass\n\n');
  await shellscope.page.keyboard.press('Control+c');
  await shellscope.expectScreen(tab, 'KeyboardInterrupt');
});

test('Ctrl-C belongs to the shell', async ({ shellscope }) => {
  const tab = shellscope.tabs.first();
  // Only once the job runs: what is typed before a Ctrl-C is thrown away by the terminal.
  await shellscope.type('clear; echo run""ning; sleep 300\n');
  await shellscope.expectScreen(tab, /^running$/);
  await shellscope.page.keyboard.press('Control+c');
  await shellscope.expectScreen(tab, /\n\$$/);
  await shellscope.type('echo interrupted: $?\n');
  await shellscope.expectScreen(tab, 'interrupted: 130');
});

test('a running shell goes on while the window is loaded anew, with its screen and its keyboard', async ({
  shellscope,
}) => {
  const tab = shellscope.tabs.first();
  await shellscope.type('echo before the reload\n');
  await shellscope.expectScreen(tab, /\nbefore the reload\n/);
  await shellscope.page.reload();
  await shellscope.expectScreen(tab, /\nbefore the reload\n\$$/);
  await shellscope.page.getByRole('tabpanel').getByRole('textbox').focus();
  await shellscope.type('echo after it\n');
  await shellscope.expectScreen(tab, /\nafter it\n/);
});

test('closing the window ends every child', async ({ shellscope }) => {
  const tab = shellscope.tabs.first();
  await shellscope.type('clear; echo $$; setsid sleep 300 & echo $!\n');
  await shellscope.expectScreen(tab, /^\d+\n(?:\[1\] \d+\n)?\d+\n/);
  const pids = [...((await shellscope.screenText(tab)) ?? '').matchAll(/^(\d+)$/gm)].map(([, pid]) => Number(pid));
  expect(pids.length).toBeGreaterThanOrEqual(2);
  await shellscope.app.close();
  expect(pids.filter(isRunning)).toEqual([]);
});

test('what the person runs has the niceness that the app was started with', async ({ shellscope, agent }) => {
  const started = getPriority();
  await shellscope.type('clear; nice\n');
  await shellscope.expectScreen(shellscope.tabs.first(), new RegExp(`^${started}\n`));
  await agent.start('pipes', ['/bin/sh', '-c', 'nice'], { tty: false });
  expect((await agent.closedProcess('pipes')).output).toBe(`${started}\n`);
});
