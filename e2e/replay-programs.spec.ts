import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RETAINED_SWITCH } from '../src/shared/ipc-names.ts';
import type { ScreenState } from '../src/shared/screen-state.ts';
import type { ExecClient } from '../test/support/exec-client.ts';
import { SCREEN_PROGRAMS, missingProgram } from '../test/support/screen-programs.ts';
import { expect, test, type Shellscope } from './fixtures.ts';
import { startWitness, stateOf } from './screen-witness.ts';

/**
 * What memory holds of a session here, in bytes. The programs print three times that: what they drew first is long gone. Those
 * of the second row print as fast as they can, and with too little memory their output leaves before its screen is known.
 */
const GROUPS = [
  { names: ['less', 'htop'], retainedBytes: 256 * 1024 },
  { names: ['tmux', 'progress bars', 'a progress bar'], retainedBytes: 2 * 1024 * 1024 },
] as const;

/** Terminals that the window keeps alive (`terminal-deck.ts`). */
const LIVE_TERMINALS = 8;

/** There are colours to compare, somewhere on the screen. */
const COLOURED = expect.arrayContaining([expect.stringMatching(/[fb]g \d|inverse/)]);

/** By the begin of its name: what of a program's state is its own, and would be lost with what it printed first. */
const KNOWN_FOR: Readonly<Record<(typeof GROUPS)[number]['names'][number], Record<string, unknown>>> = {
  less: { screen: 'alternate', looks: COLOURED, modes: { applicationCursorKeysMode: true } },
  htop: { screen: 'alternate', looks: COLOURED },
  tmux: { screen: 'alternate', looks: COLOURED },
  'progress bars': { screen: 'normal', looks: COLOURED },
  'a progress bar': { screen: 'normal', modes: { bracketedPasteMode: true } },
};

function caseOf(begin: keyof typeof KNOWN_FOR) {
  const program = SCREEN_PROGRAMS.find(({ name }) => name.startsWith(begin));
  if (program === undefined) {
    throw new Error(`no program is called ${begin}…`);
  }
  return { program, expected: KNOWN_FOR[begin], missing: missingProgram(program.needs) };
}

/** A program that stands still but where the test lets it draw, and a terminal that sees all that it prints. */
async function startStopped(
  { shellscope, agent, stateFolder }: { shellscope: Shellscope; agent: ExecClient; stateFolder: string },
  { program: { name, needs, argv, run }, expected }: ReturnType<typeof caseOf>,
  index: number,
) {
  const processId = `program-${index}`;
  const pidFile = join(stateFolder, processId);
  await agent.start(processId, ['/bin/sh', '-c', 'echo $$ >"$0"; exec "$@"', pidFile, ...argv], {
    env: { PATH: '/usr/bin:/bin', TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
  });
  const tab = shellscope.tabs.nth(index);
  await tab.click();
  const id = (await tab.getAttribute('data-session-id')) ?? '';
  await expect.poll(async () => (await stateOf(shellscope, id))?.rows.some((row) => row !== '')).toBe(true);
  // tmux draws by its server.
  const pid =
    needs === 'tmux'
      ? execFileSync('tmux', [...argv.slice(1, 3), 'display-message', '-p', '#{pid}'], { encoding: 'utf8' })
      : await readFile(pidFile, 'utf8');
  // less stands still by itself, and is to do all that it was told.
  const signal = (what: NodeJS.Signals): boolean => needs === 'less' || process.kill(Number(pid), what);
  signal('SIGSTOP');
  const witness = startWitness(agent, processId);
  let writes = 0;
  return {
    name,
    tab,
    id,
    witness,
    end: () => process.kill(Number(pid), 'SIGKILL'),
    printMuch: async (wanted: number): Promise<void> => {
      signal('SIGCONT');
      const printed = async (bytes: number): Promise<void> =>
        expect.poll(witness.look, { timeout: 30_000, intervals: [20] }).toBeGreaterThanOrEqual(bytes);
      await run({
        type: (text) => agent.write(processId, text, `w${(writes += 1)}`),
        printed,
        wanted,
      });
      await printed(wanted);
      signal('SIGSTOP');
    },
    /** Waits until the window shows what the witness has seen, with all that is still on its way to either. */
    same: async (): Promise<ScreenState> => {
      await expect(async () => {
        await witness.look();
        expect(await stateOf(shellscope, id), name).toEqual(witness.state());
        expect(witness.state(), name).toMatchObject(expected);
      }).toPass({ intervals: [50], timeout: 10_000 });
      return witness.state();
    },
  };
}

for (const { names, retainedBytes } of GROUPS) {
  test.describe(names.join(', '), () => {
    test.use({ appArguments: [`${RETAINED_SWITCH}${retainedBytes}`] });

    test('screen, colours, cursor and modes are those of a terminal that saw everything, after a terminal was given up and after a reload', async ({
      shellscope,
      agent,
      stateFolder,
    }) => {
      test.setTimeout(120_000);
      const meant = names.map(caseOf);
      const cases = meant.filter(({ missing }) => missing === null);
      for (const { program, missing } of meant) {
        if (missing !== null) {
          test.info().annotations.push({ type: 'not here', description: `${program.name}: ${missing}` });
        }
      }
      const running = [];
      for (const [index, one] of cases.entries()) {
        running.push(await startStopped({ shellscope, agent, stateFolder }, one, index));
      }
      for (let other = 0; other < LIVE_TERMINALS; other += 1) {
        await agent.start(`other-${other}`, ['/bin/cat']);
        await shellscope.tabs.nth(running.length + other).click();
        await shellscope.expectScreen(shellscope.tabs.nth(running.length + other), '');
      }
      for (const { id, printMuch } of running) {
        expect(await stateOf(shellscope, id)).toBeNull();
        await printMuch(3 * retainedBytes);
      }
      const shown: ScreenState[] = [];
      for (const { tab, same } of running) {
        await tab.click();
        shown.push(await same());
      }
      await shellscope.page.reload();
      await expect(shellscope.tabs).toHaveCount(running.length + LIVE_TERMINALS);
      for (const [index, { tab, same }] of running.entries()) {
        await tab.click();
        expect(await same()).toEqual(shown[index]);
      }
      for (const { end, witness } of running) {
        end();
        witness.dispose();
      }
    });
  });
}
