/** What the window can be asked for: one table for the menu, the keys and the palette, so that they always agree. */

/** The top-level menus that commands stand in. */
export type CommandMenu = 'Shell' | 'Edit' | 'Session' | 'View' | 'Panes' | 'Help';

interface CommandFacts {
  /** As the menu and the palette show it. */
  readonly label: string;
  readonly menu: CommandMenu;
  /**
   * The key on Linux and Windows, where plain Ctrl belongs to the shell, and on macOS. Letters, arrows and paging keys,
   * since where the others are depends on the keyboard's language; Ctrl+Shift+E and U are the input methods' on Linux,
   * arrows with Ctrl+Alt many desktops' own. What every program has (zoom, settings) has the same signs here: terminals
   * have no bytes for them. `Plus` is the key of + and =.
   */
  readonly key: string;
  readonly macKey: string;
  /** True when the command goes on for as long as its key is held. */
  readonly repeats?: boolean;
}

const table = {
  'new-shell': { label: 'New Shell', menu: 'Shell', key: 'Ctrl+Shift+T', macKey: 'Cmd+T' },
  'new-window': { label: 'New Window', menu: 'Shell', key: 'Ctrl+Shift+N', macKey: 'Cmd+N' },
  'run-again': { label: 'Run Again', menu: 'Shell', key: 'Ctrl+Shift+A', macKey: 'Cmd+Shift+A' },
  'close-tab': { label: 'Close Tab', menu: 'Shell', key: 'Ctrl+Shift+W', macKey: 'Cmd+W' },
  'close-ended': { label: 'Close All Ended', menu: 'Shell', key: 'Ctrl+Shift+D', macKey: 'Cmd+Shift+D' },
  'reopen-closed': { label: 'Reopen Closed Tab', menu: 'Shell', key: 'Ctrl+Alt+Shift+D', macKey: 'Cmd+Shift+T' },
  copy: { label: 'Copy', menu: 'Edit', key: 'Ctrl+Shift+C', macKey: 'Cmd+C' },
  'select-all': { label: 'Select All', menu: 'Edit', key: 'Ctrl+Alt+Shift+S', macKey: 'Cmd+A' },
  'select-text': { label: 'Select Text', menu: 'Session', key: 'Ctrl+Alt+Shift+M', macKey: 'Cmd+Alt+S' },
  'copy-command': { label: 'Copy Command', menu: 'Session', key: 'Ctrl+Alt+Shift+C', macKey: 'Cmd+Alt+C' },
  'copy-folder': { label: 'Copy Folder', menu: 'Session', key: 'Ctrl+Alt+Shift+F', macKey: 'Cmd+Alt+Shift+C' },
  // Ctrl+Shift+F searches everywhere.
  find: { label: 'Find in This Pane', menu: 'Edit', key: 'Ctrl+Shift+G', macKey: 'Cmd+F' },
  'previous-input': {
    label: 'Previous Input',
    menu: 'Session',
    key: 'Ctrl+Shift+PageUp',
    macKey: 'Cmd+Up',
    repeats: true,
  },
  'next-input': {
    label: 'Next Input',
    menu: 'Session',
    key: 'Ctrl+Shift+PageDown',
    macKey: 'Cmd+Down',
    repeats: true,
  },
  'back-to-now': { label: 'Back to Now', menu: 'Session', key: 'Ctrl+Alt+Shift+B', macKey: 'Cmd+Alt+B' },
  'open-output': { label: 'Open Full Output', menu: 'Session', key: 'Ctrl+Alt+Shift+O', macKey: 'Cmd+Alt+O' },
  'open-link': { label: 'Open Link', menu: 'Session', key: 'Ctrl+Alt+Shift+L', macKey: 'Cmd+Alt+L' },
  'give-keyboard-back': {
    label: 'Give the Keyboard Back',
    menu: 'Session',
    key: 'Ctrl+Shift+B',
    macKey: 'Cmd+B',
  },
  'fit-to-pane': { label: 'Fit to My Pane', menu: 'Session', key: 'Ctrl+Shift+S', macKey: 'Cmd+Shift+S' },
  'answer-question': {
    label: 'Answer a Question',
    menu: 'Session',
    key: 'Ctrl+Shift+Q',
    macKey: 'Cmd+Shift+Y',
  },
  'request-done': {
    label: 'Tell the Agent It Is Done',
    menu: 'Session',
    key: 'Ctrl+Alt+Shift+Y',
    macKey: 'Cmd+Alt+Y',
  },
  'request-decline': {
    label: 'Decline What the Agent Asks',
    menu: 'Session',
    key: 'Ctrl+Alt+Shift+X',
    macKey: 'Cmd+Alt+X',
  },
  rename: { label: 'Rename', menu: 'Session', key: 'Ctrl+Shift+Z', macKey: 'Cmd+Shift+R' },
  'session-details': {
    label: 'Show Session Details',
    menu: 'Session',
    key: 'Ctrl+Alt+Shift+I',
    macKey: 'Cmd+I',
  },
  'go-to-needy': { label: 'Go to What Needs You', menu: 'Session', key: 'Ctrl+Shift+M', macKey: 'Cmd+Shift+M' },
  'mark-all-seen': {
    label: 'Mark All as Looked At',
    menu: 'Session',
    key: 'Ctrl+Alt+Shift+V',
    macKey: 'Cmd+Ctrl+M',
  },
  palette: { label: 'Command Palette', menu: 'View', key: 'Ctrl+Shift+P', macKey: 'Cmd+Shift+P' },
  'all-tabs': { label: 'All Tabs', menu: 'View', key: 'Ctrl+Alt+Shift+T', macKey: 'Cmd+J' },
  'toggle-sessions': { label: 'Sessions', menu: 'View', key: 'Ctrl+Shift+L', macKey: 'Cmd+L' },
  'toggle-timeline': { label: 'Timeline', menu: 'View', key: 'Ctrl+Shift+Y', macKey: 'Cmd+Y' },
  'timeline-of-all': {
    label: 'Timeline of All Sessions',
    menu: 'View',
    key: 'Ctrl+Alt+Shift+H',
    macKey: 'Cmd+Ctrl+Y',
  },
  'toggle-survivors': { label: 'Survivors', menu: 'View', key: 'Ctrl+Shift+O', macKey: 'Cmd+Shift+O' },
  'toggle-grants': { label: 'Allowed Commands', menu: 'View', key: 'Ctrl+Alt+Shift+A', macKey: 'Cmd+Shift+H' },
  'toggle-environment': {
    label: 'Environment of This Session',
    menu: 'View',
    key: 'Ctrl+Alt+Shift+E',
    macKey: 'Cmd+Shift+N',
  },
  connect: { label: 'Connect an Agent', menu: 'View', key: 'Ctrl+Shift+K', macKey: 'Cmd+K' },
  'next-tab': { label: 'Next Tab', menu: 'View', key: 'Ctrl+PageDown', macKey: 'Cmd+Shift+]', repeats: true },
  'previous-tab': { label: 'Previous Tab', menu: 'View', key: 'Ctrl+PageUp', macKey: 'Cmd+Shift+[', repeats: true },
  'last-used-tab': { label: 'Go to the Tab Used Before', menu: 'View', key: 'Ctrl+Tab', macKey: 'Ctrl+Tab' },
  // Alt with a digit is readline's, and that of programs with windows of their own.
  'tab-1': { label: 'Go to Tab 1', menu: 'View', key: 'Ctrl+Alt+1', macKey: 'Cmd+1' },
  'tab-2': { label: 'Go to Tab 2', menu: 'View', key: 'Ctrl+Alt+2', macKey: 'Cmd+2' },
  'tab-3': { label: 'Go to Tab 3', menu: 'View', key: 'Ctrl+Alt+3', macKey: 'Cmd+3' },
  'tab-4': { label: 'Go to Tab 4', menu: 'View', key: 'Ctrl+Alt+4', macKey: 'Cmd+4' },
  'tab-5': { label: 'Go to Tab 5', menu: 'View', key: 'Ctrl+Alt+5', macKey: 'Cmd+5' },
  'tab-6': { label: 'Go to Tab 6', menu: 'View', key: 'Ctrl+Alt+6', macKey: 'Cmd+6' },
  'tab-7': { label: 'Go to Tab 7', menu: 'View', key: 'Ctrl+Alt+7', macKey: 'Cmd+7' },
  'tab-8': { label: 'Go to Tab 8', menu: 'View', key: 'Ctrl+Alt+8', macKey: 'Cmd+8' },
  'tab-last': { label: 'Go to the Last Tab', menu: 'View', key: 'Ctrl+Alt+9', macKey: 'Cmd+9' },
  'split-right': { label: 'Split Right', menu: 'Panes', key: 'Ctrl+Shift+H', macKey: 'Cmd+D' },
  'split-down': { label: 'Split Down', menu: 'Panes', key: 'Ctrl+Shift+X', macKey: 'Cmd+Shift+X' },
  'focus-left': { label: 'Go to the Pane on the Left', menu: 'Panes', key: 'Ctrl+Shift+Left', macKey: 'Cmd+Alt+Left' },
  'focus-right': {
    label: 'Go to the Pane on the Right',
    menu: 'Panes',
    key: 'Ctrl+Shift+Right',
    macKey: 'Cmd+Alt+Right',
  },
  'focus-up': { label: 'Go to the Pane Above', menu: 'Panes', key: 'Ctrl+Shift+Up', macKey: 'Cmd+Alt+Up' },
  'focus-down': { label: 'Go to the Pane Below', menu: 'Panes', key: 'Ctrl+Shift+Down', macKey: 'Cmd+Alt+Down' },
  'move-tab-left': { label: 'Move Tab Left', menu: 'Panes', key: 'Alt+Shift+Left', macKey: 'Cmd+Alt+Shift+Left' },
  'move-tab-right': { label: 'Move Tab Right', menu: 'Panes', key: 'Alt+Shift+Right', macKey: 'Cmd+Alt+Shift+Right' },
  'move-tab-up': { label: 'Move Tab Up', menu: 'Panes', key: 'Alt+Shift+Up', macKey: 'Cmd+Alt+Shift+Up' },
  'move-tab-down': { label: 'Move Tab Down', menu: 'Panes', key: 'Alt+Shift+Down', macKey: 'Cmd+Alt+Shift+Down' },
  'tab-back': {
    label: 'Move Tab Back in Its Strip',
    menu: 'Panes',
    key: 'Ctrl+Alt+Shift+PageUp',
    macKey: 'Cmd+Ctrl+[',
  },
  'tab-on': { label: 'Move Tab On in Its Strip', menu: 'Panes', key: 'Ctrl+Alt+Shift+PageDown', macKey: 'Cmd+Ctrl+]' },
  'pane-wider': {
    label: 'Make Pane Wider',
    menu: 'Panes',
    key: 'Alt+Shift+End',
    macKey: 'Cmd+Ctrl+Right',
    repeats: true,
  },
  'pane-narrower': {
    label: 'Make Pane Narrower',
    menu: 'Panes',
    key: 'Alt+Shift+Home',
    macKey: 'Cmd+Ctrl+Left',
    repeats: true,
  },
  'pane-taller': {
    label: 'Make Pane Taller',
    menu: 'Panes',
    key: 'Alt+Shift+PageDown',
    macKey: 'Cmd+Ctrl+Down',
    repeats: true,
  },
  'pane-lower': {
    label: 'Make Pane Lower',
    menu: 'Panes',
    key: 'Alt+Shift+PageUp',
    macKey: 'Cmd+Ctrl+Up',
    repeats: true,
  },
  'move-tab-to-window': {
    label: 'Move Tab to New Window',
    menu: 'Panes',
    key: 'Ctrl+Alt+Shift+N',
    macKey: 'Cmd+Alt+Shift+N',
  },
  'merge-pane': {
    label: 'Close Pane, Keep Its Tabs',
    menu: 'Panes',
    key: 'Ctrl+Alt+Shift+W',
    macKey: 'Cmd+Alt+W',
  },
  settings: { label: 'Settings', menu: 'View', key: 'Ctrl+,', macKey: 'Cmd+,' },
  'zoom-in': { label: 'Zoom In', menu: 'View', key: 'Ctrl+Plus', macKey: 'Cmd+Plus' },
  'zoom-out': { label: 'Zoom Out', menu: 'View', key: 'Ctrl+-', macKey: 'Cmd+-' },
  'zoom-reset': { label: 'Reset Zoom', menu: 'View', key: 'Ctrl+0', macKey: 'Cmd+0' },
  'font-larger': { label: 'Larger Terminal Font', menu: 'View', key: 'Ctrl+Alt+Plus', macKey: 'Cmd+Alt+Plus' },
  'font-smaller': { label: 'Smaller Terminal Font', menu: 'View', key: 'Ctrl+Alt+-', macKey: 'Cmd+Alt+-' },
  'font-reset': { label: 'Reset Terminal Font', menu: 'View', key: 'Ctrl+Alt+0', macKey: 'Cmd+Alt+0' },
  shortcuts: { label: 'Keyboard Shortcuts', menu: 'Help', key: 'Ctrl+Shift+J', macKey: 'Cmd+Shift+J' },
} as const satisfies Readonly<Record<string, CommandFacts>>;

export type WindowCommand = keyof typeof table;

/** In the order in which menus and palette show them. */
export const WINDOW_COMMANDS: Readonly<Record<WindowCommand, CommandFacts>> = table;

/** All commands, in order. */
export const WINDOW_COMMAND_NAMES = Object.keys(table) as readonly WindowCommand[] as readonly [
  WindowCommand,
  ...WindowCommand[],
];

/** A command's key as Electron names it, e.g. `Ctrl+Shift+T`. */
export function commandKey(command: WindowCommand, platform: 'linux' | 'darwin' | 'win32'): string {
  const { key, macKey } = WINDOW_COMMANDS[command];
  return platform === 'darwin' ? macKey : key;
}
