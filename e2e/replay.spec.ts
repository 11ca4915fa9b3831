import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RETAINED_BYTES_PER_SESSION } from '../src/shared/limits.ts';
import { missingProgram } from '../test/support/screen-programs.ts';
import { expect, test } from './fixtures.ts';
import { startWitness, stateOf } from './screen-witness.ts';

/** Terminals that the window keeps alive (`terminal-deck.ts`). */
const LIVE_TERMINALS = 8;

const missing = missingProgram('vim');

test('a terminal that was given up shows what one shows that saw everything, though its first 8 MiB are gone', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  test.skip(missing !== null, missing ?? '');
  test.setTimeout(120_000);
  await agent.start('vim', ['vim', '-u', 'NONE', '-i', 'NONE', '-N', '/etc/services']);
  const witness = startWitness(agent, 'vim');
  const enough = join(stateFolder, 'enough');
  const tab = shellscope.tab(/vim/);
  await tab.click();
  await agent.write('vim', ':set nu mouse=a laststatus=2 ruler\r:split\r:3\r', 'w1');
  await shellscope.expectScreen(tab, /services/);
  const id = (await tab.getAttribute('data-session-id')) ?? '';

  for (let shell = 0; shell < LIVE_TERMINALS; shell += 1) {
    await shellscope.openShell();
  }
  expect(await stateOf(shellscope, id)).toBeNull();
  const before = await witness.look();
  await agent.write(
    'vim',
    `:while !filereadable("${enough}") | exe "normal! gg" | redraw | exe "normal! G" | redraw | sleep 1m | endwhile\r`,
    'w2',
  );
  await expect
    .poll(() => witness.look(), { timeout: 60_000 })
    .toBeGreaterThan(before + 1.2 * RETAINED_BYTES_PER_SESSION);
  // Not Ctrl-C: vim throws away what was typed after it and before it has stopped.
  await writeFile(enough, '');
  await agent.write('vim', ':5\r:echo "now" "still"\r', 'w4');
  await expect.poll(() => witness.lastRow()).toBe('now still');

  await tab.click();
  await expect.poll(() => stateOf(shellscope, id)).toEqual(witness.state());
  expect(witness.state()).toMatchObject({ screen: 'alternate', modes: { mouseTrackingMode: 'drag' } });
  // It is alive: what is typed goes on from there.
  await agent.write('vim', ':only\r:echo "one" "window"\r', 'w5');
  await expect.poll(() => witness.lastRow()).toBe('one window');
  await expect.poll(() => stateOf(shellscope, id)).toEqual(witness.state());
  witness.dispose();
});
