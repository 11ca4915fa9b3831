import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { outsideImports } from './bundle-imports.ts';

describe('what a bundle imports from outside', () => {
  let folder = '';

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shellscope-bundle-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test.each([
    ['import', `import { app } from 'electron';`],
    ['import for its effect', `import 'electron';`],
    ['export from', `export { app } from 'electron';`],
    ['export all', `export * from 'electron';`],
    ['import()', `await import('electron');`],
    ['import() with a template', 'await import(`electron`);'],
    ['require', `const { app } = require('electron');`],
    ['a renamed require', `const electron = __require("electron");`],
  ])('an electron is found in a chunk of a chunk, by %s', async (_, text) => {
    await plant('main.js', `import { a } from './chunks/a.js';\nconst b = 1;`);
    await plant('chunks/a.js', `export const a = () => import('./b.js');\nimport '../main.js';`);
    await plant('chunks/b.js', text);

    expect(await outsideImports(join(folder, 'main.js'))).toEqual([
      { chunk: join(folder, 'chunks/b.js'), module: 'electron' },
    ]);
  });

  test('what a comment or a text says is no import', async () => {
    await plant('main.js', `// import 'electron'\nconst text = "require('electron')"; export { text };`);

    expect(await outsideImports(join(folder, 'main.js'))).toEqual([]);
  });

  test('a computed import is told as one that cannot be known', async () => {
    await plant('main.js', 'const load = (name) => import(name);');

    expect(await outsideImports(join(folder, 'main.js'))).toEqual([{ chunk: join(folder, 'main.js'), module: null }]);
  });

  test('a chunk that is not there is an error, not a bundle without imports', async () => {
    await plant('main.js', `import './gone.js';`);

    await expect(outsideImports(join(folder, 'main.js'))).rejects.toThrow('gone.js');
  });

  async function plant(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
});
