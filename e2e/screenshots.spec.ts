import { join } from 'node:path';
import { expect, test, type Shellscope } from './fixtures.ts';

/** `npm run screenshots` puts them into docs/; a plain run leaves the tree as it is. */
const FOLDER = process.env['SHELLSCOPE_SCREENSHOTS'] ?? 'test-results/screenshots';

const BUILD = `
printf '\\033[1m> web@2.1.0 build\\033[0m\\n\\n'
for i in 1 2 3 4 5 6; do printf '\\033[32m✓\\033[0m compiled \\033[36msrc/page-%s.ts\\033[0m in %s ms\\n' $i $((i * 13)); done
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
  });
}

async function picture({ page }: Shellscope, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled', caret: 'hide' });
}
