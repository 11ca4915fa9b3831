import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from './fixtures.ts';
import { holdBack } from './held-panes.ts';
import { beStill, type Walk } from './window-states.ts';

/** A test run of many files, some of which are slow; one fails long before the end. */
const TESTS = `#!/bin/bash
printf '\\033[1m> web@2.1.0 test\\033[0m\\n\\n'
for i in $(seq 1 14000); do
  case $((i % 7)) in
  0) printf '\\033[33m!\\033[0m slow: \\033[36mtest/route-%04d.ts\\033[0m took %d ms, retry after timeout, timeout 500 ms\\n' $i $((i % 13 * 100 + 500)) ;;
  *) printf '\\033[32m✓\\033[0m \\033[36mtest/route-%04d.ts\\033[0m in %d ms\\n' $i $((i % 90 + 3)) ;;
  esac
done
echo
echo 'Tests: 14000 passed'
exec cat
`;

/** Far more than a pane takes that is held back. */
const FLOOD = `#!/bin/bash
for i in $(seq 1 60); do printf 'packed assets/image-%04d.png\\n' $i; done
seq -f 'packed assets/part-%08.0f.js' 1 120000
echo 'packed 120060 files'
exec cat
`;

/** Leads the window through what it shows of earlier output. */
export async function walkThroughEarlierOutput(walk: Walk): Promise<void> {
  const { shellscope, agent, stateFolder, visit } = walk;
  const { page } = shellscope;
  await beStill(page);
  const project = join(stateFolder, 'web');
  await mkdir(project);
  const start = async (id: string, name: string, script: string): Promise<void> => {
    await writeFile(join(project, name), script, { mode: 0o755 });
    await agent.start(id, [`./${name}`], {
      cwd: pathToFileURL(project).href,
      env: { PATH: '/usr/bin:/bin', TERM: 'xterm-256color' },
    });
  };
  const earlier = page.getByRole('region', { name: 'Earlier output' });

  await start('tests', 'run-tests', TESTS);
  await agent.printed('tests', 'Tests: 14000 passed');
  const tests = shellscope.tab(/run-tests/);
  await tests.click();
  await shellscope.expectScreen(tests, /14000 passed$/);
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('retry');
  const status = page.getByRole('search', { name: 'Find in this pane' }).getByRole('status');
  await expect(status).toHaveText(/^\d+ of 7\d\d · 1,\d+ earlier$/);
  await page.keyboard.press('Shift+Enter');
  await expect(status).toHaveText(/^1 of /);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect(status).toHaveText(/^earlier: 3 of 1,\d+$/);
  await expect(earlier.locator('[data-shown]')).toHaveCount(1);
  await expect(earlier.locator('.match-mark.current')).toHaveCount(1);
  await visit('24-earlier-output');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');

  await start('pack', 'pack-assets', FLOOD);
  const pack = shellscope.tab(/pack-assets/);
  await holdBack(shellscope, true);
  await pack.click();
  await agent.printed('pack', 'packed 120060 files');
  await holdBack(shellscope, false);
  await shellscope.expectScreen(pack, /120060 files$/);
  const note = page.getByRole('status').filter({ hasText: 'not shown here' });
  await expect(note).toBeVisible();
  await page.getByRole('button', { name: 'Show it' }).press('Enter');
  await expect(earlier.locator('[data-shown]')).toHaveCount(1);
  await expect(earlier.getByRole('textbox')).toBeFocused();
  await visit('25-earlier-at-the-skip');
}
