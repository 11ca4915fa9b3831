import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Unicode11 from '@xterm/addon-unicode11';
import type * as Headless from '@xterm/headless';
import type { ExecClient } from '../test/support/exec-client.ts';
import { missingProgram } from '../test/support/screen-programs.ts';
import { RETAINED_BYTES_PER_SESSION } from '../src/shared/limits.ts';
import { setUpCells } from '../src/shared/printed-cells.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

// Both are CommonJS without names that Node could find.
const require = createRequire(import.meta.url);
const { Terminal } = require('@xterm/headless') as typeof Headless;
const { Unicode11Addon } = require('@xterm/addon-unicode11') as typeof Unicode11;

const SIZE = { cols: 80, rows: 24 };

/** Terminals that the window keeps alive (`terminal-deck.ts`). */
const LIVE_TERMINALS = 8;

/** What the window tells of a terminal (`test-bridge.ts`). */
interface ScreenState {
  readonly rows: readonly string[];
}

/** A terminal that sees all of a process's output, as it comes to the client. */
function startWitness(agent: ExecClient, processId: string) {
  const terminal = new Terminal({ ...SIZE, allowProposedApi: true, logLevel: 'off' });
  setUpCells(terminal, new Unicode11Addon());
  let read = 0;
  let bytes = 0;
  /** Takes what has come since, and answers how much that was in all. */
  const look = async (): Promise<number> => {
    const frames = agent.frames.slice(read) as readonly {
      method?: string;
      params?: { processId: string; chunk: string };
    }[];
    read += frames.length;
    const chunks = frames
      .filter(({ method, params }) => method === 'process/output' && params?.processId === processId)
      .map(({ params }) => Buffer.from(params?.chunk ?? '', 'base64'));
    // In one go: each write takes a turn of the terminal's own, and thousands of them take longer than the program prints.
    const output = Buffer.concat(chunks);
    bytes += output.length;
    await new Promise<void>((resolve) => terminal.write(output, resolve));
    return bytes;
  };
  /** The last row, after what has come since. */
  const lastRow = async (): Promise<string | undefined> => {
    await look();
    return state().rows.at(-1);
  };
  const state = () => {
    const { active } = terminal.buffer;
    return {
      screen: active.type,
      rows: Array.from(
        { length: terminal.rows },
        (_row, row) =>
          active
            .getLine(active.baseY + row)
            ?.translateToString(true)
            .trimEnd() ?? '',
      ),
      cursor: { row: active.cursorY, col: active.cursorX },
      modes: { ...terminal.modes },
    };
  };
  return { look, lastRow, state, dispose: () => terminal.dispose() };
}

async function stateOf({ page }: Shellscope, sessionId: string): Promise<ScreenState | null> {
  return page.evaluate(
    (id) =>
      (
        window as unknown as { readonly shellscopeTest: { screenState(id: string): ScreenState | null } }
      ).shellscopeTest.screenState(id),
    sessionId,
  );
}

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
