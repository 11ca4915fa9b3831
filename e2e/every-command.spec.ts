import { WINDOW_COMMAND_NAMES, WINDOW_COMMANDS, type WindowCommand } from '../src/shared/window-commands.ts';
import { COMMAND_PROOFS } from './command-proofs.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

const MENUS = [...new Set(WINDOW_COMMAND_NAMES.map((name) => WINDOW_COMMANDS[name].menu))];

/** The palette does not offer itself. */
const KEY_ALONE: readonly WindowCommand[] = ['palette'];

const PLAYWRIGHTS: Readonly<Record<string, string>> = {
  Ctrl: 'Control',
  Left: 'ArrowLeft',
  Right: 'ArrowRight',
  Up: 'ArrowUp',
  Down: 'ArrowDown',
  Plus: '=',
};

async function byKey({ page }: Shellscope, command: WindowCommand): Promise<void> {
  const parts = WINDOW_COMMANDS[command].key.split('+').map((part) => PLAYWRIGHTS[part] ?? part);
  await page.keyboard.press(parts.join('+'));
}

/** The title alone leads to it: what comes first is what Enter runs. */
async function byPalette({ page }: Shellscope, command: WindowCommand): Promise<void> {
  await page.keyboard.press('Control+Shift+P');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await expect(palette.getByRole('combobox')).toBeFocused();
  await page.keyboard.type(WINDOW_COMMANDS[command].label);
  await expect(palette.getByRole('option', { selected: true })).toHaveAttribute('data-item', command);
  await page.keyboard.press('Enter');
  await expect(palette).toHaveCount(0);
}

test('every command of the table has a proof, and every proof is of a command', () => {
  expect(Object.keys(COMMAND_PROOFS).toSorted()).toEqual(WINDOW_COMMAND_NAMES.toSorted());
});

for (const [way, runBy, left] of [
  ['its key', byKey, []],
  ['its title in the palette', byPalette, KEY_ALONE],
] as const) {
  for (const menu of MENUS) {
    test(`every command of the menu ${menu} is run by ${way}, and does its work`, async ({
      shellscope,
      agent,
      stateFolder,
    }) => {
      test.setTimeout(120_000);
      await shellscope.page.keyboard.press('Control+Shift+T');
      await expect(shellscope.tabs).toHaveCount(1);
      await shellscope.expectScreen(shellscope.tabs, '$');
      for (const command of WINDOW_COMMAND_NAMES.filter((name) => WINDOW_COMMANDS[name].menu === menu)) {
        if (!left.some((one) => one === command)) {
          await test.step(command, () =>
            COMMAND_PROOFS[command]({ shellscope, agent, stateFolder, run: () => runBy(shellscope, command) }),
          );
        }
      }
    });
  }
}
