import type { WindowApi, WindowCommand } from '../shared/ipc.ts';

type Platform = WindowApi['platform'];

/** The part of a keyboard event that decides whose it is. */
export type KeyChord = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/** What the letters do with Ctrl+Shift (Cmd on macOS). */
const LETTER_COMMANDS: Readonly<Record<string, WindowCommand | 'paste'>> = {
  t: 'new-shell',
  w: 'close-tab',
  c: 'copy',
  v: 'paste',
};

/**
 * The command of a key, also while a terminal has the keyboard; null for a key that is the program's. Plain Ctrl and the
 * function keys belong to the program; the app has Ctrl+Shift with a letter (Cmd on macOS), and Ctrl+PageUp and PageDown.
 */
function commandOfKey(chord: KeyChord, platform: Platform): WindowCommand | 'paste' | null {
  const { key, ctrlKey, shiftKey, altKey, metaKey } = chord;
  if (altKey) {
    return null;
  }
  if (ctrlKey && !shiftKey && !metaKey) {
    if (key === 'PageUp') {
      return 'previous-tab';
    }
    if (key === 'PageDown') {
      return 'next-tab';
    }
  }
  const hasModifier = platform === 'darwin' ? metaKey && !ctrlKey && !shiftKey : ctrlKey && shiftKey && !metaKey;
  return hasModifier ? (LETTER_COMMANDS[key.toLowerCase()] ?? null) : null;
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
    if (!event.repeat || command === 'next-tab' || command === 'previous-tab') {
      run(command);
    }
  };
  page.addEventListener('keydown', onKeyDown);
  return () => page.removeEventListener('keydown', onKeyDown);
}

/** The app's keys as the platform writes them, for tooltips. */
export function keyLabels(platform: Platform): Readonly<Record<'newShell' | 'closeTab', string>> {
  return platform === 'darwin'
    ? { newShell: '⌘T', closeTab: '⌘W' }
    : { newShell: 'Ctrl+Shift+T', closeTab: 'Ctrl+Shift+W' };
}
