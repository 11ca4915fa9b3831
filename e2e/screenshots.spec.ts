import { join } from 'node:path';
import { expect, test, type Shellscope } from './fixtures.ts';

/** `npm run screenshots` puts them into docs/; a plain run leaves the tree as it is. */
const FOLDER = process.env['SHELLSCOPE_SCREENSHOTS'] ?? 'test-results/screenshots';

const BUILD = `
printf '\\033[1m> web@2.1.0 build\\033[0m\\n\\n'
for i in 1 2 3 4 5 6; do printf '\\033[32m✓\\033[0m compiled \\033[36msrc/page-%s.ts\\033[0m in %s ms\\n' $i $((i * 13)); done
`;

/** A server that outlives its session; waited for until it can be reached, so that it has left the terminal, too. */
const SERVER_LEFT = `
setsid python3 -m http.server 0 --bind 127.0.0.1 >/dev/null 2>&1 &
until ls -l /proc/$!/fd 2>/dev/null | grep -q socket; do :; done
`;

for (const scheme of ['light', 'dark'] as const) {
  test(`what the window looks like in the ${scheme} scheme`, async ({ shellscope, agent }) => {
    const shot = (name: string) => picture(shellscope, `${name}-${scheme}`);
    await shellscope.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await shot('1-empty');

    await agent.start('build', ['/bin/sh', '-c', `${BUILD} exec sleep 300`], { metadata: { toolCallId: 'call_1' } });
    const running = shellscope.tab(/running/i).first();
    await shellscope.expectScreen(running, 'page-6.ts');
    await shot('2-running');

    await agent.start('test', ['/bin/sh', '-c', `${BUILD} printf '\\n\\033[31m✗ 1 test failed\\033[0m\\n'; exit 1`]);
    await agent.closedProcess('test');
    const exited = shellscope.tab(/exited 1/i);
    await exited.click();
    await shellscope.expectScreen(exited, '1 test failed');
    await shot('3-exited');

    await agent.start('typo', ['gti', 'status']);
    const failed = shellscope.tab(/failed to start/i);
    await failed.click();
    await expect(shellscope.page.getByText(/could not start/)).toBeVisible();
    await shot('4-failed-to-start');

    await shellscope.page.getByRole('button', { name: 'New shell' }).first().click();
    const shell = shellscope.tab(/you/i).first();
    await shellscope.expectScreen(shell, '$');
    await shellscope.type('ls -la --color /usr/lib | head -20\n');
    await shellscope.expectScreen(shell, /total/);
    await expect(shellscope.page.getByText(/[1-9]\S* k?B out/)).toBeVisible();
    await shot('5-own-shell');

    await running.click();
    await shellscope.page.keyboard.press('Control+Shift+L');
    await shellscope.page.keyboard.press('Control+Shift+Y');
    await shellscope.type('q');
    await agent.write('build', 'x', 'w1');
    await expect(shellscope.page.getByText(/tried to type at/)).toBeVisible();
    await expect(shellscope.page.getByText(/CPU \d+%/).first()).toBeVisible();
    await shot('6-in-control');

    await shellscope.page.keyboard.press('Control+Shift+G');
    await shellscope.type('compiled');
    await expect(shellscope.page.getByText('6 of 6')).toBeVisible();
    await shot('7-find');
    await shellscope.page.keyboard.press('Escape');
    await shellscope.page.keyboard.press('Control+Shift+P');
    await shot('8-palette');
    await shellscope.page.keyboard.press('Escape');

    await agent.start('left', ['/bin/bash', '-c', SERVER_LEFT]);
    await agent.closedProcess('left');
    await shellscope.page.keyboard.press('Control+Shift+O');
    await expect(shellscope.page.getByText(/listens on/)).toBeVisible();
    await shot('9-survivors');
  });
}

async function picture({ page }: Shellscope, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled', caret: 'hide' });
}
