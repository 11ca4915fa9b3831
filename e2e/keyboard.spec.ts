import type { ExecClient, Frame } from '../test/support/exec-client.ts';
import { expect, test } from './fixtures.ts';
import { connectMcp } from './mcp-client.ts';

/** For a look at the pictures: a folder that they are put into. */
const PICTURES = process.env['SHELLSCOPE_PICTURES'];

const PROMPT = ['/bin/bash', '--norc', '-i'];

const agentWrites = (agent: ExecClient, text: string, id: string): Promise<Frame> => agent.write('job', text, id);

test('whoever types takes the keyboard of an agent’s session, sees it, and gives it back', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('job', PROMPT);
  const tab = shellscope.tab(/bash.*test-agent/);
  await shellscope.expectScreen(tab, '$');
  await expect(page.getByText('test-agent holds the keyboard')).toBeVisible();
  await tab.click();
  await expect(page.getByText('test-agent holds the keyboard')).toBeVisible();

  await shellscope.type('echo from the person\n');
  await shellscope.expectScreen(tab, /from the person\s+from the person/);
  await expect(page.getByText('You hold the keyboard')).toBeVisible();
  expect(JSON.stringify(await agentWrites(agent, 'echo refused\r', 'w1'))).not.toContain('"accepted"');
  await expect(page.getByText(/test-agent tried to type at .*; refused/)).toBeVisible();

  // By its key, from inside the terminal.
  await page.keyboard.press('Control+Shift+B');
  await expect(page.getByText('test-agent holds the keyboard')).toBeVisible();
  await agentWrites(agent, 'echo agent again\r', 'w2');
  await shellscope.expectScreen(tab, /agent again\s+agent again/);
  expect(await shellscope.screenText(tab)).not.toContain('refused');

  // And by its button.
  await shellscope.type('x');
  await page.getByRole('button', { name: 'Give it back' }).click();
  await expect(page.getByText('test-agent holds the keyboard')).toBeVisible();
});

test('an agent whose keyboard was taken is told so, and afterwards what happened meanwhile', async ({ shellscope }) => {
  const { page } = shellscope;
  const mcp = await connectMcp(await shellscope.connection());
  const { session_id } = await mcp.ok('shell_open', { command: 'exec cat', title: 'a cat' });
  const tab = shellscope.tab(/a cat/);
  await tab.click();
  await shellscope.type('mine\n');
  await shellscope.expectScreen(tab, /mine\nmine/);

  const refused = await mcp.call('shell_write', { session_id, text: 'theirs', submit: true });
  expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/^human_in_control: /) });
  await expect(page.getByText(/mcp-test tried to type at .*; refused/)).toBeVisible();
  await page.getByRole('button', { name: 'Give it back' }).click();
  await expect(page.getByText('mcp-test holds the keyboard')).toBeVisible();

  const after = await mcp.ok('shell_write', { session_id, text: 'theirs', submit: true });
  expect(after).toMatchObject({
    control: 'agent',
    last_human: { since: expect.any(String), until: expect.any(String) },
  });
  expect(after.output).toBe('mine\nmine\ntheirs\ntheirs\n');
  expect(await shellscope.screenText(tab)).toBe('mine\nmine\ntheirs\ntheirs');
  await mcp.client.close();
});

test('Ctrl-C of an agent passes whichever way it comes while a person holds the keyboard; nothing else does, nor with it', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const script = 'trap "echo caught" INT; echo up; while :; do read -r line && echo "got $line"; done';
  const mcp = await connectMcp(await shellscope.connection());
  const { session_id } = await mcp.ok('shell_open', { command: script, title: 'theirs' });
  await agent.start('job', ['/bin/bash', '-c', script]);
  const write = async (text: string, id: string) => JSON.stringify(await agentWrites(agent, text, id));
  const holder = page.locator('[role=tabpanel]:not([hidden]) .keyboard-holder');

  for (const [tab, refused, interrupts] of [
    [
      shellscope.tab(/trap.*test-agent/),
      [() => write('x\r', 'w1'), () => write('\u0003x\r', 'w2'), () => write('x\u0003', 'w3')],
      [() => write('\u0003', 'w4'), () => agent.request('process/signal', { processId: 'job', signal: 'interrupt' })],
    ],
    [
      shellscope.tab(/theirs/),
      [
        async () => (await mcp.call('shell_write', { session_id, text: 'x', submit: true })).text,
        async () => (await mcp.call('shell_write', { session_id, text: 'x', keys: ['ctrl-c'] })).text,
      ],
      [
        () => mcp.ok('shell_write', { session_id, keys: ['ctrl-c'], yield_ms: 0 }),
        () => mcp.ok('shell_write', { session_id, text: '\u0003', yield_ms: 0 }),
        () => mcp.ok('shell_signal', { session_id, signal: 'INT' }),
      ],
    ],
  ] as const) {
    await tab.click();
    await shellscope.expectScreen(tab, /^up$/);
    await shellscope.type('mine\n');
    await shellscope.expectScreen(tab, /\ngot mine$/);
    for (const attempt of refused) {
      expect(await attempt()).toContain('human_in_control: ');
    }
    for (const [index, interrupt] of interrupts.entries()) {
      await interrupt();
      await shellscope.expectScreen(tab, new RegExp(`got mine(\\s+(\\^C)?caught){${index + 1}}$`));
    }
    await expect(holder).toMatchAriaSnapshot('- status: You hold the keyboard');
    await shellscope.type('still mine\n');
    await shellscope.expectScreen(tab, /\nstill mine\s+got still mine$/);
    expect(await shellscope.screenText(tab)).not.toContain('x');
  }
  await mcp.client.close();
});

test('an agent’s terminal is fitted to the pane on demand, and has its own size again on hand-back', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/sh', '-c', 'trap "stty size" WINCH; echo up; while :; do sleep 0.05; done']);
  const tab = shellscope.tab(/test-agent/);
  await shellscope.expectScreen(tab, 'up');
  const chip = page.getByRole('tabpanel').getByText(/^\d+×\d+ set by/);
  await expect(chip).toHaveText('80×24 set by test-agent');

  await page.getByRole('button', { name: 'Fit to my pane' }).click();
  await expect(chip).toHaveText(/^1\d\d×\d+ set by you$/);
  const fitted = (await chip.textContent())?.match(/(\d+)×(\d+)/) ?? [];
  await shellscope.expectScreen(tab, `${fitted[2]} ${fitted[1]}\n`.trimEnd());
  await expect(page.getByText('You hold the keyboard')).toBeVisible();

  await shellscope.setContentSize(900, 600);
  await expect(chip).not.toHaveText(`${fitted[1]}×${fitted[2]} set by you`);
  await page.getByRole('button', { name: 'Give it back' }).click();
  await expect(chip).toHaveText('80×24 set by test-agent');
  await agent.printed('job', '24 80');
  await expect(page.getByText('test-agent holds the keyboard')).toBeVisible();
});

test('looking at a program that wants the mouse and the focus takes nothing from its agent', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/bash', '-c', 'printf "\\033[?1003;1006;1004hwatching"; cat >/dev/null']);
  const tab = shellscope.tab(/test-agent/);
  await shellscope.expectScreen(tab, 'watching');
  const screen = page.locator('.xterm-screen');
  await screen.click();
  await screen.hover({ position: { x: 40, y: 40 } });
  await shellscope.tab(/test-agent/).focus();
  await screen.click({ position: { x: 60, y: 60 } });
  await expect(page.getByText('test-agent holds the keyboard')).toBeVisible();
  await shellscope.type('k');
  await expect(page.getByText('You hold the keyboard')).toBeVisible();
});

test('a narrow pane still says who holds the keyboard, in words that are not cut', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  await agent.start('job', PROMPT);
  await shellscope.expectScreen(shellscope.tab(/bash.*test-agent/), '$');
  await page.keyboard.press('Control+Shift+H');
  await expect(page.getByRole('tablist')).toHaveCount(2);
  await shellscope.tab(/test-agent/).click();
  const panel = page.getByRole('tabpanel', { name: /test-agent/ });
  const holder = panel.locator('.keyboard-holder');
  /** What of it, and of the buttons beside it, is seen and cut. */
  const cut = () =>
    panel.locator('.pane-bar').evaluate((bar) => {
      const edge = bar.getBoundingClientRect().right;
      return [...bar.querySelectorAll<HTMLElement>('.keyboard-holder > span, button')]
        .filter((element) => element.checkVisibility() && getComputedStyle(element).clipPath === 'none')
        .filter((one) => one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > edge)
        .map(({ textContent }) => textContent);
    });
  for (const width of [1_280, 900, 760, 640, 500]) {
    await shellscope.setContentSize(width, 600);
    await expect.poll(() => page.evaluate(() => innerWidth)).toBe(width);
    for (const [words, act] of [
      ['test-agent holds the keyboard', () => page.keyboard.press('Control+Shift+B')],
      ['You hold the keyboard', () => shellscope.type('x')],
    ] as const) {
      await act();
      await expect(holder).toMatchAriaSnapshot(`- status: ${words}`);
      expect(await cut(), `${words} at ${width}`).toEqual([]);
      await expect(holder.locator('.icon')).toBeVisible();
      if (PICTURES !== undefined) {
        await page.screenshot({ path: `${PICTURES}/bar-${width}-${words.slice(0, 3)}.png` });
      }
    }
  }
});
