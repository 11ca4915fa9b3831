import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { userRuntime } from './state-folder.ts';

it('the runtime folder of a log-in is this person’s own, or none', async () => {
  const folders = await mkdtemp(join(tmpdir(), 'shellscope-run-'));
  try {
    expect(userRuntime(folders)).toBeNull();
    const own = join(folders, String(process.getuid?.()));
    await writeFile(own, '');
    expect(userRuntime(folders)).toBeNull();
    await rm(own);
    await mkdir(own);
    expect(userRuntime(folders)).toBe(own);
  } finally {
    await rm(folders, { recursive: true });
  }
});
