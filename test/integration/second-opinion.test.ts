import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { expect, test } from 'vitest';

/** Prints what the bundled parser sees in a line, as JSON. */
const PROGRAM = `
import { openSecondOpinion } from './main.js';
console.log(JSON.stringify((await openSecondOpinion())(process.argv[2])));
`;

test('the second parser works in a bundle, away from the packages it came from', async () => {
  // In the project's folder, whose package.json says that these are modules.
  const folder = await mkdtemp(join('out', '.second-opinion-'));
  try {
    await build({
      configFile: 'vite.cli.config.ts',
      logLevel: 'error',
      build: { ssr: 'src/engine/approval/second-opinion.ts', outDir: folder, sourcemap: false },
    });
    const files = await readdir(folder);
    expect(files.filter((name) => name.endsWith('.wasm'))).toHaveLength(2);
    const program = join(folder, 'program.js');
    await writeFile(program, PROGRAM);
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'ls -l | sort']);
    expect(JSON.parse(stdout)).toEqual({ kind: 'commands', commands: [['ls', '-l'], ['sort']] });
  } finally {
    await rm(folder, { recursive: true });
  }
});
