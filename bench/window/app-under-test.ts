import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright';

/** The built app with a state of its own, driven as a person would. */
export interface AppUnderTest {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly folder: string;
  /** Ids of the sessions, in the order of their tabs. */
  sessions(): Promise<readonly string[]>;
  /** What a session's terminal shows. */
  screenText(session: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts it as a person has it: without the screen-reader mode of tests. */
export async function startApp(): Promise<AppUnderTest> {
  const folder = await newFolder();
  const noSandbox = isSet('SHELLSCOPE_NO_SANDBOX');
  const app = await _electron.launch({
    executablePath: electronPath(),
    args: [...(noSandbox ? ['--no-sandbox'] : []), '.', '--shellscope-test', '--listen=ws://127.0.0.1:0'],
    chromiumSandbox: !noSandbox,
    env: environmentFor(folder),
  });
  const page = await app.firstWindow();
  await page.getByRole('button', { name: 'New shell' }).first().waitFor();
  return {
    app,
    page,
    folder,
    sessions: () =>
      page.getByRole('tab').evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute('data-session-id') ?? '')),
    screenText: async (session) =>
      (await page.evaluate<string | null>(`shellscopeTest.screenText(${JSON.stringify(session)})`)) ?? '',
    close: async () => {
      await app.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A state folder whose shell has a prompt of two characters, whatever the machine's start-up files say. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'shellscope-bench-'));
  await writeFile(join(folder, '.bashrc'), "PS1='$ '\n");
  // Tests read the screen by it; it costs a part of the throughput, and a person's window has it off.
  await writeFile(join(folder, 'settings.json'), '{ "accessibility": { "screenReader": "off" } }', { mode: 0o600 });
  return folder;
}

export function environmentFor(folder: string): Record<string, string> {
  const own = { SHELLSCOPE_STATE_DIR: folder, HOME: folder, SHELL: '/bin/bash', LC_ALL: 'C.UTF-8' };
  const given = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(given), ...own };
}

/** Waits for a fact that nobody tells, looking again at each turn; throws after 20 s. */
export async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await isTrue())) {
    if (performance.now() > deadline) {
      throw new Error(`waited in vain for ${what}`);
    }
  }
}

function electronPath(): string {
  const path = process.env['SHELLSCOPE_ELECTRON'];
  if (path === undefined) {
    throw new Error('SHELLSCOPE_ELECTRON is not set: run it as `npm run bench -- window`');
  }
  return path;
}

function isSet(name: string): boolean {
  return process.env[name] === '1';
}
