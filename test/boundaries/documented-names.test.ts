import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { engineSettingsSchema } from '../../src/engine/engine.ts';
import { controlSchemas } from '../../src/protocol/control/control-schema.ts';
import { PLACE_KEYS } from '../../src/shared/place-keys.ts';
import { settingsFields } from '../../src/shared/settings-fields.ts';
import { windowSettingsSchema } from '../../src/shared/settings-schema.ts';
import { WINDOW_COMMAND_NAMES, WINDOW_COMMANDS } from '../../src/shared/window-commands.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/** First cells of the tables in the document of the command line, e.g. `wait ID…` and `list`, `get`. */
const cells = (await readFile(join(REPOSITORY, 'docs/command-line.md'), 'utf8'))
  .split('\n')
  .map((line) => /^\| (.+?) \|/.exec(line)?.[1] ?? '');

const documented = new Set(cells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)[^`]*`/g)].map(([, name]) => name)));

test('each method of the control socket stands in its document', () => {
  expect(Object.keys(controlSchemas).filter((method) => !documented.has(method))).toEqual([]);
});

test('each command of the command line stands in its document', async () => {
  const files = await readdir(join(REPOSITORY, 'src/cli/commands'));
  const commands = files.flatMap((name) => /^(.+)-command\.ts$/.exec(name)?.[1] ?? []);
  expect(commands).toContain('mcp');
  expect(commands.filter((command) => !documented.has(command))).toEqual([]);
});

test('each command of the window stands with its keys in their document, under its menu', async () => {
  const text = await readFile(join(REPOSITORY, 'docs/keys.md'), 'utf8');
  const sections = new Map(text.split('\n## ').map((section) => [section.split('\n', 1)[0], section]));
  const rows = WINDOW_COMMAND_NAMES.map((name) => {
    const { menu, label, key, macKey } = WINDOW_COMMANDS[name];
    return { menu, row: `| ${[label, key, macKey].join(' | ').replaceAll('Plus', '+')} |` };
  });
  expect(rows.filter(({ menu, row }) => sections.get(menu)?.includes(`\n${row}\n`) !== true)).toEqual([]);
});

test('the keys that depend on the place are the same in their document and in the app', async () => {
  const text = await readFile(join(REPOSITORY, 'docs/keys.md'), 'utf8');
  const [, section = ''] = text.split('\n## Keys that depend on the place\n');
  const rows = section.split('\n').flatMap((row) => /^\|[^|]+\|([^|]+)\|([^|]+)\|$/.exec(row)?.slice(1) ?? []);
  expect(keysIn(rows.join(' '))).toContain('Shift+F10');
  expect(keysIn(PLACE_KEYS.map(({ keys }) => keys).join(' '))).toEqual(keysIn(rows.join(' ')));
});

test('each setting of the form stands with its title and its name in their document', async () => {
  const text = await readFile(join(REPOSITORY, 'docs/settings.md'), 'utf8');
  const fields = settingsFields(windowSettingsSchema.extend(engineSettingsSchema.shape));
  expect(fields.length).toBeGreaterThan(15);
  expect(fields.map(({ title, path }) => `| ${title} | \`${path}\` |`).filter((row) => !text.includes(row))).toEqual(
    [],
  );
});

describe('the names in ARCHITECTURE.md', () => {
  test('are names in the code', async () => {
    const text = await readFile(join(REPOSITORY, 'ARCHITECTURE.md'), 'utf8');
    const code = await Promise.all(
      ['src', 'e2e', 'scripts'].map(async (folder) => {
        const names = await readdir(join(REPOSITORY, folder), { recursive: true });
        const files = names.filter((name) => /\.(tsx?|mjs|c|css)$/.test(name));
        return Promise.all(files.map((name) => readFile(join(REPOSITORY, folder, name), 'utf8')));
      }),
    );
    expect(namesOf(text).length).toBeGreaterThan(60);
    expect(missing(namesOf(text), code.flat().join('\n'))).toEqual([]);
  });

  test('are missed when they are gone', () => {
    const names = namesOf('`Session.start` of `sessionMark`, `MAX_BYTES`; `app.quit`, `npm test` and `line` are none');
    expect(names).toEqual(['Session', 'sessionMark', 'MAX_BYTES']);
    expect(missing(names, 'class Session {} const sessionMarks = 1;')).toEqual(['sessionMark', 'MAX_BYTES']);
  });
});

const KEY =
  /(?:(?:Ctrl|Alt|Shift)\+)*\b(?:F\d+|[A-Z]|Enter|Escape|Space|Delete|Menu|Home|End|Left|Right|Page(?:Up|Down)|[Aa]rrows)\b/g;

/** Each key once, in the order of their names. */
function keysIn(text: string): readonly string[] {
  return [...new Set(text.match(KEY)?.map((key) => key.replace('Arrows', 'arrows')))].toSorted();
}

/** Names of classes, functions and constants in code marks; of a member the name of its class. */
function namesOf(text: string): readonly string[] {
  const marked = [...text.matchAll(/`(\w+)(?:\.\w+)?`/g)].map(([, name = '']) => name);
  return [...new Set(marked.filter((name) => /^(?:[A-Z][a-z]\w+|[a-z]+[A-Z]\w+|[A-Z]+_[A-Z_]+)$/.test(name)))];
}

function missing(names: readonly string[], code: string): readonly string[] {
  const words = new Set(code.match(/\w+/g));
  return names.filter((name) => !words.has(name));
}
