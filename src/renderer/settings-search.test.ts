import { describe, expect, it } from 'vitest';
import { WINDOW_COMMAND_NAMES } from '../shared/window-commands.ts';
import { fieldsMatching, valueLabel } from './settings-search.ts';
import { shortcutGroups } from './shortcut-list.ts';
import { usualSettings } from './testing/usual-settings.ts';

const { fields } = usualSettings();
const found = (query: string) => fieldsMatching(fields, query).map(({ path }) => path);

describe('a search in the settings', () => {
  it('finds by title, by what is said of it, by name in the file and by value', () => {
    expect(found('cursor blinks')).toEqual(['terminal.cursorBlink']);
    expect(found('jetbrains')).toEqual(['terminal.fontFamily']);
    expect(found('copyOnSelect')).toEqual(['terminal.copyOnSelect']);
    expect(found('underline')).toEqual(['terminal.cursorStyle']);
    expect(found(' ')).toHaveLength(fields.length);
    expect(found('no such setting')).toEqual([]);
  });

  it('calls values as a person reads them', () => {
    expect(['system', 'high-contrast-light', 'dom', 'webgl'].map(valueLabel)).toEqual([
      'System',
      'High contrast light',
      'DOM',
      'WebGL',
    ]);
  });
});

describe('the list of keys', () => {
  it('has every command and its key on this platform', () => {
    const rows = shortcutGroups('linux', '').flatMap((group) => group.rows);
    expect(rows.length).toBeGreaterThan(WINDOW_COMMAND_NAMES.length);
    expect(rows).toContainEqual({ label: 'Zoom In', keys: 'Ctrl++' });
    expect(shortcutGroups('darwin', 'zoom in')).toEqual([{ title: 'View', rows: [{ label: 'Zoom In', keys: '⌘+' }] }]);
  });

  it('is searched by action and by key', () => {
    expect(shortcutGroups('linux', 'ctrl+shift+t').flatMap(({ rows }) => rows.map(({ label }) => label))).toEqual([
      'New Shell',
    ]);
    expect(shortcutGroups('linux', 'no such key')).toEqual([]);
  });
});
