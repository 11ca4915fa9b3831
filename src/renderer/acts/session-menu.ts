/** What the context menu of a session offers. Pure but for what the acts do. */
import type { WindowApi } from '../../shared/ipc.ts';
import type { MenuItem, MenuItems } from '../../shared/menu-items.ts';
import { asksPerson } from '../../shared/session-words.ts';
import { endsSomething, isLive, type SessionInfo } from '../../shared/session.ts';
import { commandKey, WINDOW_COMMANDS, type WindowCommand } from '../../shared/window-commands.ts';
import type { WindowController } from '../window/window-controller.ts';
import { canFit, canGiveBack } from './session-acts.ts';

/** Where it was asked for, and what is so there. */
export interface MenuContext {
  readonly session: SessionInfo;
  readonly platform: WindowApi['platform'];
  /** In the pane there is text to copy, and a program to paste for. */
  readonly isPane: boolean;
  readonly hasSelection: boolean;
  readonly isFitted: boolean;
}

const SEPARATOR: MenuItem = { kind: 'separator' };

/** What can be done now. What never could be done with this session is left out; the rest is only disabled. */
export function sessionMenu({ session, platform, isPane, hasSelection, isFitted }: MenuContext): MenuItems {
  const live = isLive(session.state);
  const command = (name: WindowCommand, enabled = true, label: string = WINDOW_COMMANDS[name].label): MenuItem => {
    return { kind: 'item', id: name, label, enabled, key: commandKey(name, platform), pastes: false };
  };
  const plain = (id: string, label: string): MenuItem => {
    return { kind: 'item', id, label, enabled: true, key: null, pastes: false };
  };
  const pasteKey = platform === 'darwin' ? 'Cmd+V' : 'Ctrl+Shift+V';
  const paste: MenuItem = {
    kind: 'item',
    id: 'paste',
    label: 'Paste',
    enabled: live && session.backend === 'pty',
    key: pasteKey,
    pastes: true,
  };
  return [
    ...(isPane
      ? [command('copy', hasSelection), paste, command('find', session.state !== 'failed'), SEPARATOR]
      : [plain('go', 'Go to It'), SEPARATOR]),
    command('rename', true, 'Rename…'),
    command('copy-command'),
    command('copy-folder'),
    ...(session.state === 'failed' ? [] : [command('open-output')]),
    SEPARATOR,
    ...(asksPerson(session) ? [command('request-done'), command('request-decline')] : []),
    ...(canGiveBack(session) ? [command('give-keyboard-back')] : []),
    ...(canFit(session) && !isFitted ? [command('fit-to-pane')] : []),
    ...(live ? [] : [command('run-again')]),
    command('close-tab', true, endsSomething(session) ? 'Close…' : 'Close'),
  ];
}

/** Does what was chosen in the menu of that session, which need not be the one in view. */
export function runSessionMenu(controller: WindowController, session: SessionInfo, chosen: string | null): void {
  const { id } = session;
  const acts: Readonly<Record<string, () => unknown>> = {
    go: () => controller.select(id, 'to-pane'),
    copy: () => controller.desktop.copySelection(),
    find: () => controller.panels.find(id),
    rename: () => controller.panels.setRenaming(id),
    'copy-command': () => controller.copyCommand(id),
    'copy-folder': () => controller.copyFolder(id),
    'open-output': () => controller.desktop.openOutput(id),
    'request-done': () => controller.answers.answerRequest(id, 'done'),
    'request-decline': () => controller.answers.answerRequest(id, 'declined'),
    'give-keyboard-back': () => controller.acts.giveKeyboardBack(id),
    'fit-to-pane': () => controller.acts.fitToPane(id),
    'run-again': () => controller.runAgain(id),
    'close-tab': () => controller.closing.request(id),
  };
  if (chosen !== null) {
    acts[chosen]?.();
  }
}
