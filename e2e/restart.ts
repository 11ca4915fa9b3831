import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launch, Shellscope } from './fixtures.ts';

/** Starts the app anew on the same state; whoever started it ends it. */
export async function startAgain(stateFolder: string): Promise<Shellscope> {
  const app = await launch(stateFolder);
  return Shellscope.drawn(app, await app.firstWindow());
}

/** Ends the app without a word, as a crash does. */
export async function killApp({ app }: Shellscope): Promise<void> {
  const child = app.process();
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** What is written of the windows' arrangement by now. */
export function keptFile(stateFolder: string): Promise<string> {
  return readFile(join(stateFolder, 'electron', 'windows.json'), 'utf8').catch(() => '');
}

/** Tabs of it that come back. */
export async function keptTabs(stateFolder: string): Promise<number> {
  return (await keptFile(stateFolder)).split('"epoch"').length - 1;
}
