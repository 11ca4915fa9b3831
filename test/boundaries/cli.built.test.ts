import { isBuiltin } from 'node:module';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { outsideImports } from './bundle-imports.ts';

const ENTRY = resolve(import.meta.dirname, '../../out/cli/main.js');

// Lint sees single files; only the bundle shows that nothing which the command line reaches needs Electron.
test('the built command line imports nothing but node and node-pty', async () => {
  const found = await outsideImports(ENTRY).catch((error: unknown) => {
    throw new Error(`${ENTRY} cannot be walked; run \`npm run build\` first.`, { cause: error });
  });
  const strays = found.filter(
    ({ module }) => module === null || !(isBuiltin(module) || /^node-pty(?:\/|$)/.test(module)),
  );

  expect(found).not.toEqual([]);
  expect(strays.map(({ chunk, module }) => `${module ?? '(computed)'} in ${chunk}`)).toEqual([]);
});
