import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { controlSchemas } from '../../src/protocol/control/control-schema.ts';

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
