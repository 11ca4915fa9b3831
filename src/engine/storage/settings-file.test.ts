import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lineLogger } from '../../shared/logger.ts';
import { SettingsFile } from './settings-file.ts';

interface Example {
  readonly mode: string;
}

let folder = '';
let lines: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'settings-file-'));
  lines = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function openFile(path = join(folder, 'settings.json')): SettingsFile<Example> {
  return new SettingsFile<Example>({
    path,
    parse: (value) => {
      const { mode = 'usual' } = value as { readonly mode?: unknown };
      if (typeof mode !== 'string') {
        throw new Error('mode: must be a text');
      }
      return { mode };
    },
    unknown: (value) => Object.keys(value as object).filter((key) => key !== 'mode'),
    untilRead: { mode: 'strict' },
    log: lineLogger((line) => lines.push(line)),
  });
}

const write = (text: string): void => writeFileSync(join(folder, 'settings.json'), text);

describe('a settings file', () => {
  it('means the usual where there is none, and is followed', () => {
    const file = openFile();
    expect(file.current).toEqual({ mode: 'usual' });
    write('{"mode": "a"}');
    expect(file.current).toEqual({ mode: 'a' });
  });

  it('that goes wrong leaves what held before', () => {
    write('{"mode": "a"}');
    const file = openFile();
    expect(file.current).toEqual({ mode: 'a' });
    write('{"mode": 17}');
    expect(file.current).toEqual({ mode: 'a' });
    expect(lines.join('')).toContain('mode: must be a text');
  });

  it('that cannot be looked at is not taken for one that is not there', () => {
    const file = openFile();
    expect(file.current).toEqual({ mode: 'usual' });
    symlinkSync('settings.json', join(folder, 'settings.json'));
    expect(file.current).toEqual({ mode: 'strict' });
  });

  it('that comes while it is followed, and is wrong, could never be read', () => {
    const file = openFile();
    expect(file.current).toEqual({ mode: 'usual' });
    write('{"mode": 17}');
    expect(file.current).toEqual({ mode: 'strict' });
  });

  it('that could never be read is not taken for one that asks for nothing', () => {
    write('{"mode": ');
    const file = openFile();
    expect(file.current).toEqual({ mode: 'strict' });
    write('{}');
    expect(file.current).toEqual({ mode: 'usual' });
  });

  it('tells the log what nothing reads', () => {
    write('{"moode": "a"}');
    expect(openFile().current).toEqual({ mode: 'usual' });
    expect(lines.join('')).toContain('moode');
  });

  it('is changed in one place; what is not known and how it is written stay, and it is its owner’s alone', () => {
    write('{\n  // mine\n  "mode": "a",\n  "other": 1\n}\n');
    openFile().change(['mode'], ({ mode }) => `${mode}b`);
    expect(readFileSync(join(folder, 'settings.json'), 'utf8')).toBe(
      '{\n  // mine\n  "mode": "ab",\n  "other": 1\n}\n',
    );
    expect(statSync(join(folder, 'settings.json')).mode & 0o777).toBe(0o600);
  });

  it('that is a link stays one', () => {
    writeFileSync(join(folder, 'dotfile.json'), '{}');
    symlinkSync('dotfile.json', join(folder, 'settings.json'));
    openFile().change(['mode'], () => 'a');
    expect(readlinkSync(join(folder, 'settings.json'))).toBe('dotfile.json');
    expect(JSON.parse(readFileSync(join(folder, 'dotfile.json'), 'utf8'))).toEqual({ mode: 'a' });
  });

  it('is not written when it cannot be read, or would not be valid', () => {
    write('{"mode": "a"');
    expect(() => openFile().change(['mode'], () => 'b')).toThrow(/closing }/);
    write('{"mode": "a"}');
    expect(() => openFile().change(['mode'], () => 7)).toThrow('must be a text');
    expect(readFileSync(join(folder, 'settings.json'), 'utf8')).toBe('{"mode": "a"}');
  });
});
