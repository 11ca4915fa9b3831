import type { WindowApi } from '../../shared/ipc.ts';
import { commandKey, WINDOW_COMMAND_NAMES, WINDOW_COMMANDS, type WindowCommand } from '../../shared/window-commands.ts';

type Platform = WindowApi['platform'];

/** The part of a keyboard event that decides whose it is. */
export type KeyChord = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/**
 * The command of a key, also while a terminal has the keyboard; null for a key that is the program's. Plain Ctrl and the
 * function keys belong to the program; the app has Ctrl+Shift with a letter or an arrow (Cmd on macOS), Ctrl+PageUp and
 * PageDown, Alt+Shift with arrows and paging keys, and what terminals have no bytes for: Ctrl+, and Ctrl (and Alt) with
 * +, - and 0.
 */
function commandOfKey(chord: KeyChord, platform: Platform): WindowCommand | 'paste' | null {
  const name = chordName(chord);
  if (name === (platform === 'darwin' ? 'Cmd+V' : 'Ctrl+Shift+V')) {
    return 'paste';
  }
  const isCommandsKey = (command: WindowCommand): boolean =>
    name === commandKey(command, platform) ||
    // On macOS the menu has other keys for these; the page knows the ones of all platforms as well.
    (WINDOW_COMMANDS[command].repeats === true && name === WINDOW_COMMANDS[command].key);
  return WINDOW_COMMAND_NAMES.find(isCommandsKey) ?? null;
}

/**
 * A chord as Electron names it: `Ctrl+Shift+T`, `Alt+Shift+Left`. Which of + and = needs Shift depends on the keyboard's
 * language.
 */
function chordName({ key, ctrlKey, shiftKey, altKey, metaKey }: KeyChord): string {
  const isPlus = key === '+' || key === '=';
  const modifiers = [metaKey && 'Cmd', ctrlKey && 'Ctrl', altKey && 'Alt', shiftKey && !isPlus && 'Shift'];
  const name = key.length === 1 ? key.toUpperCase() : key.replace(/^Arrow/, '');
  return [...modifiers.filter((modifier) => modifier !== false), isPlus ? 'Plus' : name].join('+');
}

/**
 * Does this key move the focus to the window's next region (with Shift: the previous one)? It is F6, as in browsers and
 * editors; a program that reads the keyboard keeps its F6 (htop, mc), there it is Ctrl+F6.
 */
export function isRegionKey(chord: KeyChord, place: { readonly insideProgram: boolean }): boolean {
  if (chord.key !== 'F6' || chord.altKey || chord.metaKey) {
    return false;
  }
  return chord.ctrlKey || !place.insideProgram;
}

/** Is this key the app's, so that a terminal must let it pass? */
export function isAppKey(chord: KeyChord, platform: Platform): boolean {
  return commandOfKey(chord, platform) !== null || isRegionKey(chord, { insideProgram: true });
}

/**
 * Has the window's keys run their commands. The menu binds the same keys and shows them; where the page sees a key first
 * (Linux, Windows, and whoever drives the page with a debugger) it acts, and a key that it took does not reach the menu;
 * where the menu comes first (macOS) the page never sees the key. So each press acts once. Answers the end of it.
 */
export function installCommandKeys(
  page: Window,
  platform: Platform,
  run: (command: WindowCommand) => void,
): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing) {
      return;
    }
    const command = commandOfKey(event, platform);
    // The page cannot read the clipboard: a paste is the browser's or the menu's own.
    if (command === null || command === 'paste') {
      return;
    }
    event.preventDefault();
    if (!event.repeat || WINDOW_COMMANDS[command].repeats === true) {
      run(command);
    }
  };
  page.addEventListener('keydown', onKeyDown);
  return () => page.removeEventListener('keydown', onKeyDown);
}

const MAC_SIGNS: Readonly<Record<string, string>> = {
  Cmd: '⌘',
  Shift: '⇧',
  Alt: '⌥',
  Ctrl: '⌃',
  Left: '←',
  Right: '→',
  Up: '↑',
  Down: '↓',
  Plus: '+',
};
/** Apple's order of the signs. */
const MAC_ORDER = ['⌃', '⌥', '⇧', '⌘'];

/** A command's key as the platform writes it: `Ctrl+Shift+T`, `⇧⌘P`, `⌥⌘←`. */
export function keyLabel(command: WindowCommand, platform: Platform): string {
  const key = commandKey(command, platform);
  if (platform !== 'darwin') {
    return key.replace(/Plus$/, '+');
  }
  const parts = key.split('+').map((part) => MAC_SIGNS[part] ?? part);
  const rank = (part: string): number => (MAC_ORDER.includes(part) ? MAC_ORDER.indexOf(part) : MAC_ORDER.length);
  return parts.toSorted((a, b) => rank(a) - rank(b)).join('');
}
