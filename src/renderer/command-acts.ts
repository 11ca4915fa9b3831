import type { SessionId } from '../shared/session.ts';
import type { WindowCommand } from '../shared/window-commands.ts';
import type { WindowController } from './window-controller.ts';

/** What each command of the menu, the keys and the palette does. Those about a session are about the one in view. */
export function commandActs(controller: WindowController): Readonly<Record<WindowCommand, () => void>> {
  const onSelected = (act: (id: SessionId) => unknown) => (): void => {
    const id = controller.selected;
    if (id !== null) {
      act(id);
    }
  };
  return {
    'new-shell': () => void controller.newShell(),
    'new-window': () => void controller.desktop.newWindow(),
    'move-tab-to-window': onSelected((id) => controller.desktop.moveTabToNewWindow(id)),
    'run-again': onSelected((id) => controller.runAgain(id)),
    'close-tab': onSelected((id) => controller.closing.request(id)),
    'close-ended': () => void controller.acts.closeEnded(),
    copy: () => void controller.desktop.copySelection(),
    'select-all': () => controller.selectAll(),
    'select-text': onSelected((id) => controller.selectText(id)),
    'copy-command': onSelected((id) => controller.copyCommand(id)),
    'copy-folder': onSelected((id) => controller.copyFolder(id)),
    find: onSelected((id) => controller.panels.find(id)),
    'previous-input': onSelected((id) => controller.goToInput(id, 'previous')),
    'next-input': onSelected((id) => controller.goToInput(id, 'next')),
    'back-to-now': onSelected((id) => controller.earlier.back(id)),
    'open-output': onSelected((id) => controller.desktop.openOutput(id)),
    'open-link': onSelected((id) => controller.listLinks(id)),
    'give-keyboard-back': onSelected((id) => controller.acts.giveKeyboardBack(id)),
    'fit-to-pane': onSelected((id) => controller.acts.fitToPane(id)),
    'answer-question': () => controller.answers.toFirst(),
    'request-done': onSelected((id) => controller.answers.answerRequest(id, 'done')),
    'request-decline': onSelected((id) => controller.answers.answerRequest(id, 'declined')),
    'session-details': onSelected(() => controller.panels.toggleDetails()),
    rename: onSelected((id) => controller.panels.setRenaming(id)),
    'go-to-needy': () => controller.goToNeedy(),
    'all-tabs': () => controller.panels.setTabListOpen(true),
    palette: () => controller.panels.setPaletteOpen(true),
    'toggle-sessions': () => controller.panels.toggle('sessions'),
    'toggle-timeline': () => controller.panels.toggle('timeline'),
    'toggle-survivors': () => controller.panels.toggleSurvivors(),
    settings: () => controller.panels.toggleSheet('settings'),
    shortcuts: () => controller.panels.toggleSheet('shortcuts'),
    'zoom-in': () => controller.settings.zoom(1),
    'zoom-out': () => controller.settings.zoom(-1),
    'zoom-reset': () => controller.settings.zoom(0),
    'font-larger': () => controller.settings.resizeFont(1),
    'font-smaller': () => controller.settings.resizeFont(-1),
    'font-reset': () => controller.settings.resizeFont(0),
    'toggle-grants': () => controller.rights.toggle('grants'),
    'toggle-environment': onSelected(() => controller.rights.toggle('environment')),
    connect: () => controller.panels.toggleConnect(),
    'next-tab': () => controller.selectNeighbour(1),
    'previous-tab': () => controller.selectNeighbour(-1),
    'split-right': () => controller.layout.split('right'),
    'split-down': () => controller.layout.split('down'),
    'focus-left': () => controller.layout.focusSide('left'),
    'focus-right': () => controller.layout.focusSide('right'),
    'focus-up': () => controller.layout.focusSide('up'),
    'focus-down': () => controller.layout.focusSide('down'),
    'move-tab-left': () => controller.layout.moveShown('left'),
    'move-tab-right': () => controller.layout.moveShown('right'),
    'move-tab-up': () => controller.layout.moveShown('up'),
    'move-tab-down': () => controller.layout.moveShown('down'),
    'tab-back': () => controller.layout.moveAlong(-1),
    'tab-on': () => controller.layout.moveAlong(1),
    'pane-wider': () => controller.layout.grow('wider'),
    'pane-narrower': () => controller.layout.grow('narrower'),
    'pane-taller': () => controller.layout.grow('taller'),
    'pane-lower': () => controller.layout.grow('lower'),
    'merge-pane': () => controller.layout.merge(),
  };
}
