import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, test as base, expect, type ElectronApplication, type Locator, type Page } from '@playwright/test';
import { ASK_SWITCH } from '../src/shared/ipc-names.ts';
import { ExecClient } from '../test/support/exec-client.ts';

/** What the window offers when the app was started for tests (src/renderer/test-bridge.ts). */
interface TestBridge {
  screenText(sessionId: string): string | null;
}

/** Where agents reach the app under test. */
export interface Connection {
  readonly url: string;
  readonly token: string;
}

/** A look at the page costs a millisecond or two; the usual intervals grow to a second, which a test then waits. */
const LOOKS = { intervals: [50] };

/** The window, by roles and names. */
export class Shellscope {
  readonly app: ElectronApplication;
  readonly page: Page;
  /** Errors that the test provokes: what else the app tells of an error of its own fails it. */
  readonly provoked: RegExp[] = [];

  constructor(app: ElectronApplication, page: Page) {
    this.app = app;
    this.page = page;
  }

  /** A window of the app, once it is drawn. */
  static async drawn(app: ElectronApplication, page: Page): Promise<Shellscope> {
    const shellscope = new Shellscope(app, page);
    await shellscope.newShell.waitFor();
    return shellscope;
  }

  /** The button that opens a shell: in the empty window one stands in the middle, too. */
  get newShell(): Locator {
    return this.page.getByRole('button', { name: 'New shell' }).first();
  }

  /** Opens a shell by its button. Answers its tab, by the session and wherever it goes, once the prompt is there. */
  async openShell(): Promise<Locator> {
    const ids = (tabs: Locator): Promise<(string | null)[]> =>
      tabs.evaluateAll((elements) => elements.map((element) => element.getAttribute('data-session-id')));
    const before = new Set(await ids(this.tabs));
    await this.newShell.click();
    let opened: string | null | undefined;
    await expect
      .poll(async () => {
        const shown = await ids(this.page.getByRole('tab', { selected: true }));
        opened = shown.find((id) => !before.has(id));
        return opened;
      }, LOOKS)
      .toEqual(expect.any(String));
    const tab = this.page.locator(`[role=tab][data-session-id="${opened}"]`);
    await this.expectScreen(tab, '$');
    return tab;
  }

  /** All tabs, in order. */
  get tabs(): Locator {
    return this.page.getByRole('tab');
  }

  tab(name: string | RegExp): Locator {
    return this.page.getByRole('tab', { name });
  }

  /** What the terminal of the tab shows, scrollback included; null while no pane holds it. */
  async screenText(tab: Locator): Promise<string | null> {
    const id = await tab.getAttribute('data-session-id');
    return this.page.evaluate(
      (sessionId) =>
        (window as unknown as { readonly shellscopeTest: TestBridge }).shellscopeTest.screenText(sessionId),
      id ?? '',
    );
  }

  /** Waits until the tab's terminal shows the text. */
  async expectScreen(tab: Locator, text: string | RegExp): Promise<void> {
    const matches = typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);
    await expect.poll(() => this.screenText(tab), LOOKS).toEqual(matches);
  }

  async connection(): Promise<Connection> {
    const { execServerUrl, token } = await this.page.evaluate(() =>
      (
        window as unknown as {
          readonly shellscope: {
            describeConnection(): Promise<{ readonly execServerUrl: string | null; readonly token: string }>;
          };
        }
      ).shellscope.describeConnection(),
    );
    if (execServerUrl === null) {
      throw new Error('the app does not listen');
    }
    return { url: execServerUrl, token };
  }

  /**
   * Does in the app what may be done twice. Playwright waits there on a promise that V8 collects now and then before
   * Electron comes to settle it, with the deed done.
   */
  async inApp<Result, Given>(
    deed: (electron: typeof Electron.CrossProcessExports, given: Given) => Result,
    given: Given,
  ): Promise<Result> {
    return untilSettled(async () => (await this.app.evaluate(deed as never, given as never)) as Result);
  }

  /** Sets the size of this window's page, in pixels. */
  async setContentSize(width: number, height: number): Promise<void> {
    await untilSettled(async () => {
      const window = await this.app.browserWindow(this.page);
      await window.evaluate((own: Electron.BrowserWindow, size) => own.setContentSize(size.width, size.height), {
        width,
        height,
      });
    });
  }

  /** Types into the selected terminal, as a person would. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }
}

/** Does it again where Playwright's promise was collected in the app. */
async function untilSettled<Result>(deed: () => Promise<Result>): Promise<Result> {
  try {
    return await deed();
  } catch (error) {
    if (error instanceof Error && error.message.includes('promise was garbage collected')) {
      return untilSettled(deed);
    }
    throw error;
  }
}

export interface Fixtures {
  /** Arguments of the app beside the usual ones. */
  readonly appArguments: readonly string[];
  /** A folder of its own for the app's state; gone afterwards. */
  readonly stateFolder: string;
  readonly shellscope: Shellscope;
  /** A connected client that has shaken hands; dropped afterwards. */
  readonly agent: ExecClient;
}

/** Starts the built app for tests, with state and port of its own. */
export const test = base.extend<Fixtures>({
  appArguments: [[], { option: true }],

  stateFolder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'shellscope-e2e-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },

  shellscope: async ({ stateFolder, appArguments }, use) => {
    // The person's shell: a prompt that is alike everywhere, whatever the system's start-up files say.
    await writeFile(join(stateFolder, '.bashrc'), "PS1='$ '\n");
    const app = await launch(stateFolder, appArguments);
    const child = app.process();
    const told: Buffer[] = [];
    child.stderr?.on('data', (data: Buffer) => told.push(data));
    const shellscope = await Shellscope.drawn(app, await app.firstWindow());
    await use(shellscope);
    if (appArguments.includes(ASK_SWITCH)) {
      await endUnasked(child);
    }
    await app.close();
    const errors =
      Buffer.concat(told)
        .toString()
        .match(/^shellscope: error: .*$/gm) ?? [];
    expect(errors.filter((line) => !shellscope.provoked.some((provoked) => provoked.test(line)))).toEqual([]);
  },

  agent: async ({ shellscope }, use) => {
    const { url, token } = await shellscope.connection();
    const agent = await ExecClient.ready(url, token);
    await use(agent);
    agent.drop();
  },
});

export { expect };

/** Ends an app that would ask before it ends: a signal does not wait for a person. */
async function endUnasked(child: ReturnType<ElectronApplication['process']>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}

/** The runtime that the specs were started for, and how it is to be started here. */
function electronHere(): { readonly executablePath: string; readonly sandboxArguments: readonly string[] } {
  const executablePath = process.env['SHELLSCOPE_ELECTRON'];
  if (executablePath === undefined) {
    throw new Error('SHELLSCOPE_ELECTRON is not set: run npm run test:e2e');
  }
  return { executablePath, sandboxArguments: process.env['SHELLSCOPE_NO_SANDBOX'] === '1' ? ['--no-sandbox'] : [] };
}

/**
 * Starts the app. Its shells are plain bash with a prompt of their own, so that screens are alike everywhere. `listen`: where
 * agents reach it; without a word of it at the usual port.
 */
export async function launch(
  stateFolder: string,
  appArguments: readonly string[] = [],
  listen: readonly string[] = ['--listen=ws://127.0.0.1:0'],
): Promise<ElectronApplication> {
  const { executablePath, sandboxArguments } = electronHere();
  return _electron.launch({
    executablePath,
    args: [...sandboxArguments, '.', '--shellscope-test', ...listen, ...appArguments],
    chromiumSandbox: sandboxArguments.length === 0,
    colorScheme: null,
    env: {
      ...definedVariables(process.env),
      SHELLSCOPE_STATE_DIR: stateFolder,
      HOME: stateFolder,
      SHELL: '/bin/bash',
      LC_ALL: 'C.UTF-8',
    },
  });
}

function definedVariables(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
