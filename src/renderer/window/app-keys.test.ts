// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import { WINDOW_COMMAND_NAMES, commandKey, type WindowCommand } from '../../shared/window-commands.ts';
import { installCommandKeys, isAppKey, isRegionKey, keyLabel, type KeyChord } from './app-keys.ts';

function chord(text: string): KeyChord {
  const parts = text.split('+');
  return {
    key: parts.at(-1) ?? '',
    ctrlKey: parts.includes('Ctrl'),
    shiftKey: parts.includes('Shift'),
    altKey: parts.includes('Alt'),
    metaKey: parts.includes('Cmd'),
  };
}

describe('inside a terminal', () => {
  it.each([
    'Ctrl+Shift+T',
    'Ctrl+Shift+w',
    'Ctrl+Shift+C',
    'Ctrl+Shift+V',
    'Ctrl+PageUp',
    'Ctrl+PageDown',
    'Ctrl+F6',
    'Ctrl+Shift+F6',
  ])('%s is the app’s', (text) => {
    expect(isAppKey(chord(text), 'linux')).toBe(true);
  });

  it.each([
    'Ctrl+t',
    'Ctrl+w',
    'Ctrl+c',
    'Ctrl+v',
    'Ctrl+d',
    'F6',
    'Shift+F6',
    'PageUp',
    'Shift+PageUp',
    'Alt+F6',
    'Ctrl+Shift+Alt+K',
    'Ctrl+_',
    'Ctrl+Shift+_',
    'Tab',
    'Escape',
  ])('%s is the program’s', (text) => {
    expect(isAppKey(chord(text), 'linux')).toBe(false);
  });

  it('the app has Cmd on macOS, and Ctrl stays with the program', () => {
    expect(isAppKey(chord('Cmd+t'), 'darwin')).toBe(true);
    expect(isAppKey(chord('Ctrl+Shift+T'), 'darwin')).toBe(false);
  });
});

describe('the key to the next region', () => {
  it('is F6, and Ctrl+F6 where a program reads the keyboard', () => {
    expect(isRegionKey(chord('F6'), { insideProgram: false })).toBe(true);
    expect(isRegionKey(chord('F6'), { insideProgram: true })).toBe(false);
    expect(isRegionKey(chord('Ctrl+F6'), { insideProgram: true })).toBe(true);
    expect(isRegionKey(chord('Alt+F6'), { insideProgram: false })).toBe(false);
  });
});

describe('the window’s keys', () => {
  function press(text: string, more: KeyboardEventInit = {}): { commands: WindowCommand[]; isTaken: boolean } {
    const commands: WindowCommand[] = [];
    const stop = installCommandKeys(window, 'linux', (command) => commands.push(command));
    const event = new KeyboardEvent('keydown', { ...chord(text), ...more, bubbles: true, cancelable: true });
    window.dispatchEvent(event);
    stop();
    return { commands, isTaken: event.defaultPrevented };
  }

  it.each([
    ['Ctrl+Shift+T', 'new-shell'],
    ['Ctrl+Shift+W', 'close-tab'],
    ['Ctrl+Shift+C', 'copy'],
    ['Ctrl+PageUp', 'previous-tab'],
    ['Ctrl+PageDown', 'next-tab'],
    ['Ctrl+,', 'settings'],
    ['Ctrl+=', 'zoom-in'],
    ['Ctrl+-', 'zoom-out'],
    ['Ctrl+0', 'zoom-reset'],
    ['Ctrl+Alt+=', 'font-larger'],
  ])('%s runs %s and is taken from the menu', (text, command) => {
    expect(press(text)).toEqual({ commands: [command], isTaken: true });
  });

  it('know + with and without Shift, as keyboards have it', () => {
    expect(press('', { key: '+', ctrlKey: true }).commands).toEqual(['zoom-in']);
    expect(press('', { key: '+', ctrlKey: true, shiftKey: true }).commands).toEqual(['zoom-in']);
  });

  it('leave the paste to the browser and its menu, which can read the clipboard', () => {
    expect(press('Ctrl+Shift+V')).toEqual({ commands: [], isTaken: false });
  });

  it('open one shell however long the key is held, and go on through the tabs', () => {
    expect(press('Ctrl+Shift+T', { repeat: true }).commands).toEqual([]);
    expect(press('Ctrl+PageDown', { repeat: true }).commands).toEqual(['next-tab']);
  });
});

describe('the keys of all commands', () => {
  it.each(['linux', 'darwin'] as const)('are each one command’s alone (%s)', (platform) => {
    const keys = WINDOW_COMMAND_NAMES.map((command) => commandKey(command, platform));
    expect(new Set([...keys, platform === 'darwin' ? 'Cmd+V' : 'Ctrl+Shift+V']).size).toBe(keys.length + 1);
  });

  it('are the app’s inside a terminal', () => {
    for (const command of WINDOW_COMMAND_NAMES) {
      expect(isAppKey(chord(commandKey(command, 'linux')), 'linux')).toBe(true);
    }
  });

  it('are written as the platform does', () => {
    expect(keyLabel('new-shell', 'linux')).toBe('Ctrl+Shift+T');
    expect(keyLabel('new-shell', 'darwin')).toBe('⌘T');
    expect(keyLabel('fit-to-pane', 'darwin')).toBe('⇧⌘S');
    expect([keyLabel('zoom-in', 'linux'), keyLabel('font-larger', 'darwin')]).toEqual(['Ctrl++', '⌥⌘+']);
  });
});
