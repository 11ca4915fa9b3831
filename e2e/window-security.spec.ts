import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { WindowApi } from '../src/shared/ipc.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

/** What a page of ours has beside what the web has. */
interface PageOfTests {
  readonly shellscope: Readonly<Record<keyof WindowApi, unknown>>;
}

/** Would run in the page if it were ever taken for a part of it. */
const MARKUP = `<img src=x onerror=window.planted=1><script>window.planted=1</script><b>bold</b>`;

const windowsOf = ({ app }: Shellscope): Promise<number> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);

const planted = (page: Page): Promise<unknown> =>
  page.evaluate(() => (window as unknown as { readonly planted?: unknown }).planted);

/** What the app says on stderr, as it comes. */
function warningsOf({ app }: Shellscope): () => string {
  const told: string[] = [];
  app.process().stderr?.on('data', (data: Buffer) => told.push(data.toString()));
  return () => told.join('');
}

test('the page has the functions of its contract, and nothing of Node or Electron', async ({ shellscope }) => {
  const { page, app } = shellscope;
  const found = await page.evaluate(() => ({
    node: ['require', 'process', 'module', 'exports', 'Buffer', 'global', 'electron', 'ipcRenderer'].filter(
      (name) => name in window,
    ),
    strangers: Object.entries((window as unknown as PageOfTests).shellscope)
      .filter(([name, value]) => typeof value !== 'function' && !['startedForTests', 'platform'].includes(name))
      .map(([name]) => name),
    senders: Object.keys((window as unknown as PageOfTests).shellscope).filter((name) =>
      /^(?:send|invoke|post|on|ipc|emit)$/i.test(name),
    ),
  }));
  expect(found).toEqual({ node: [], strangers: [], senders: [] });
  const preferences = await shellscope.inApp(({ BrowserWindow }) => {
    // Typed by no version of Electron, and in all of them.
    const { webContents } = BrowserWindow.getAllWindows()[0] as unknown as {
      readonly webContents: { getLastWebPreferences(): Record<string, unknown> };
    };
    const { sandbox, contextIsolation, nodeIntegration, webviewTag, webSecurity } = webContents.getLastWebPreferences();
    return { sandbox, contextIsolation, nodeIntegration, webviewTag, webSecurity };
  }, null);
  expect(preferences).toEqual({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webviewTag: false,
    webSecurity: true,
  });
  expect(app.windows()).toHaveLength(1);
});

test('the page can neither be led away nor open another, by script, link, form or dropped file', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const warnings = warningsOf(shellscope);
  const tab = await shellscope.openShell();
  const id = await tab.getAttribute('data-session-id');
  const { x = 0, y = 0, height = 0 } = (await page.locator('footer').boundingBox()) ?? {};
  const home = page.url();
  expect(home).toBe('app://shellscope/');

  // Refused by main, which says so.
  const refused = async (scheme: string, act: () => Promise<unknown>) => {
    const before = warnings().length;
    await act();
    await expect
      .poll(() => warnings().slice(before))
      .toContain(`a navigation was refused scheme=${JSON.stringify(scheme)}`);
  };
  await refused('https', () => page.evaluate(() => location.assign('https://example.com/')));
  await refused('app', () => page.evaluate(() => location.replace('app://other/')));
  await refused('http', () =>
    page.evaluate(() => {
      const link = document.createElement('a');
      link.href = 'http://127.0.0.1:9/';
      document.body.append(link);
      link.click();
      link.remove();
    }),
  );
  // Chromium itself lets no page go to these: nothing to wait for but the next turn of the page.
  for (const url of ['file:///etc/passwd', 'data:text/html,planted', 'javascript:window.planted=1']) {
    await page.evaluate((to) => {
      const link = document.createElement('a');
      link.href = to;
      document.body.append(link);
      link.click();
      link.remove();
    }, url);
  }

  expect(
    await page.evaluate(() => [
      window.open('https://example.com/'),
      window.open('app://shellscope/', '_blank', 'noopener'),
      window.open('about:blank'),
    ]),
  ).toEqual([null, null, null]);
  await page.evaluate(() => {
    const link = document.createElement('a');
    Object.assign(link, { href: 'https://example.com/', target: '_blank' });
    document.body.append(link);
    link.click();
    link.remove();
  });

  // A file that is dropped beside a pane is not opened in its place.
  const file = join(stateFolder, 'page.html');
  await writeFile(file, '<title>planted</title>');
  const cdp = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const data = { items: [], files: [file], dragOperationsMask: 1 };
    await cdp.send('Input.dispatchDragEvent', { type, x: x + 20, y: y + height / 2, data });
  }

  // Not by locators: Playwright takes a refused navigation for one that is under way, and waits for it.
  await shellscope.type('echo still $((40 + 2))\n');
  const screen = () => page.evaluate<string>(`shellscopeTest.screenText(${JSON.stringify(id)})`);
  await expect.poll(screen).toMatch(/\nstill 42\n/);
  expect(page.url()).toBe(home);
  expect(await page.evaluate('[location.href, document.title]')).toEqual([home, 'Shellscope']);
  expect(await windowsOf(shellscope)).toBe(1);
  expect(await planted(page)).toBeUndefined();
});

test.describe('with a camera and a microphone', () => {
  test.use({ appArguments: ['--use-fake-device-for-media-stream'] });

  test('the page is given no permission', async ({ shellscope }) => {
    const { page } = shellscope;
    const answers = await page.evaluate(async () => {
      const named = async (wish: Promise<unknown>) => {
        try {
          await wish;
          return 'granted';
        } catch (error) {
          return (error as Error).name;
        }
      };
      const stateOf = async (name: string) =>
        (await navigator.permissions.query({ name: name as PermissionName })).state;
      return {
        notifications: await Notification.requestPermission(),
        geolocation: await new Promise((resolve) => {
          navigator.geolocation.getCurrentPosition(
            () => resolve('granted'),
            ({ code }) => resolve(code),
          );
        }),
        microphone: await named(navigator.mediaDevices.getUserMedia({ audio: true })),
        camera: await named(navigator.mediaDevices.getUserMedia({ video: true })),
        screen: await named(navigator.mediaDevices.getDisplayMedia({ video: true })),
        clipboardRead: await named(navigator.clipboard.readText()),
        states: await Promise.all(
          ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi'].map(stateOf),
        ),
      };
    });
    expect(answers).toEqual({
      notifications: 'denied',
      // GeolocationPositionError.PERMISSION_DENIED
      geolocation: 1,
      microphone: 'NotAllowedError',
      camera: 'NotAllowedError',
      screen: expect.stringMatching(/^(?:NotAllowedError|InvalidStateError|NotSupportedError)$/),
      clipboardRead: 'NotAllowedError',
      states: Array.from({ length: 6 }, () => 'denied'),
    });
  });
});

test('the policy of the page refuses scripts in it, evaluated text, and all that is remote', async ({ shellscope }) => {
  const { page } = shellscope;
  const found = await page.evaluate(async (markup) => {
    const violated: string[] = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      violated.push(`${effectiveDirective} ${blockedURI}`);
    });
    const expected = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => (violated.some((one) => one.startsWith(text)) ? resolve() : void setTimeout(look, 5));
        look();
      });
    const add = (name: string, facts: object) => {
      const element = Object.assign(document.createElement(name), facts);
      document.body.append(element);
      return element;
    };
    const added = [
      add('script', { textContent: 'window.planted = 2' }),
      add('div', { innerHTML: markup }),
      add('script', { src: 'https://example.com/a.js' }),
      add('img', { src: 'https://example.com/a.png' }),
      add('iframe', { src: 'https://example.com/' }),
      add('iframe', { srcdoc: '<script>parent.planted = 3</script>' }),
      add('object', { data: 'https://example.com/a' }),
      add('link', { rel: 'stylesheet', href: 'https://example.com/a.css' }),
    ];
    const evaluated = await new Promise((resolve) => {
      // In a turn of its own: what a debugger evaluates may evaluate.
      setTimeout(() => {
        try {
          // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- it is to be refused
          resolve((new Function('return 4') as () => unknown)());
        } catch (error) {
          resolve((error as Error).name);
        }
      });
    });
    const fetched = await fetch('https://example.com/').then(
      () => 'answered',
      (error: Error) => error.name,
    );
    const socket = new WebSocket('ws://127.0.0.1:9/');
    const form = add('form', { action: 'https://example.com/', method: 'post' }) as HTMLFormElement;
    form.submit();
    for (const directive of [
      'img-src',
      'frame-src',
      'object-src',
      'style-src-elem',
      'script-src-attr',
      'form-action',
    ]) {
      await expected(directive);
    }
    await expected('connect-src ws');
    socket.close();
    for (const element of [...added, form]) {
      element.remove();
    }
    return { violated: [...new Set(violated)].toSorted(), evaluated, fetched };
  }, MARKUP);
  expect(found).toEqual({
    evaluated: 'EvalError',
    fetched: 'TypeError',
    violated: [
      'connect-src https://example.com/',
      'connect-src ws://127.0.0.1:9/',
      'form-action https://example.com/',
      'frame-src https://example.com',
      'img-src https://example.com/a.png',
      'object-src https://example.com',
      'script-src eval',
      'script-src-attr inline',
      'script-src-elem https://example.com/a.js',
      'script-src-elem inline',
      'style-src-elem https://example.com/a.css',
    ],
  });
  expect(await planted(page)).toBeUndefined();

  // The scheme serves the folder of the page and nothing beside it.
  const statusOf = (path: string) => page.evaluate(async (asked) => (await fetch(asked)).status, path);
  expect(await statusOf('/index.html')).toBe(200);
  for (const path of ['/../package.json', '/..%2f..%2fpackage.json', '/..%2fmain%2findex.js', '/%00']) {
    expect(await statusOf(path), path).toBe(404);
  }
});

test('what programs and agents say is text wherever it stands', async ({ shellscope, agent, stateFolder }) => {
  const { page } = shellscope;
  await writeFile(join(stateFolder, 'settings.json'), '{"approvals":{"mode":"ask-unless-known-safe"}}', {
    mode: 0o600,
  });
  const quoted = `'${MARKUP}'`;
  const asked = agent.start('markup', ['/bin/sh', '-c', `printf '\\033]2;%s\\007%s\\n' ${quoted} ${quoted}; cat`]);
  const question = page.getByRole('article');
  await expect(question).toContainText(MARKUP);
  await question.getByRole('button', { name: 'Allow once' }).click();
  await asked;
  const tab = shellscope.tabs.first();
  await tab.click();
  await shellscope.expectScreen(tab, MARKUP);
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Control+Shift+Y');
  await expect(page.getByRole('treeitem', { name: /onerror/ })).toBeVisible();
  // Of a long command its begin and its end.
  await expect(page.getByRole('complementary', { name: 'Timeline' })).toContainText(
    /'<img src=x onerror=window\.p\S*…\S*<b>bold<\/b>'; cat/,
  );
  await page.keyboard.press('Control+Shift+Z');
  const box = page.getByRole('dialog', { name: /^Rename / }).getByRole('textbox');
  await expect(box).toBeFocused();
  await box.fill(MARKUP);
  await page.keyboard.press('Enter');
  await expect(tab).toContainText(MARKUP);
  await page.keyboard.press('Control+Shift+P');
  await page.keyboard.type('onerror');
  await expect(page.getByRole('option', { name: /onerror/ }).first()).toContainText(MARKUP);
  await page.keyboard.press('Escape');
  // None of it became an element, and none of it ran.
  await expect(page.locator('img, #root script, #root b')).toHaveCount(0);
  expect(await planted(page)).toBeUndefined();
});

test('a request with a wrong argument is refused, names the argument, and reaches no session', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('witness', ['/bin/cat']);
  await expect(shellscope.tabs).toHaveCount(1);
  const refusals = await page.evaluate(async () => {
    const { shellscope: api } = window as unknown as {
      readonly shellscope: Readonly<Record<string, (...args: unknown[]) => unknown>>;
    };
    const wrong = { wrong: true };
    const answers: Record<string, unknown> = {};
    // Those that take arguments: the others are given none, whatever the page gives them.
    const names = [
      'openShell terminateSession closeSession answerAttention handBackKeyboard sessionTimeline runAgain',
      'adoptSurvivor attachSession renameSession popUpMenu answerQuestion revokeGrant sessionEnvironment',
      'tellTerminalColours changeSetting resetSetting keepWindow moveTabToNewWindow showElsewhere answerQuit',
      'writeClipboard openLink openOutput sessionListening searchOutput outputAround tellMenu',
    ].flatMap((line) => line.split(' '));
    for (const name of names) {
      try {
        answers[name] = await api[name]?.(wrong, wrong, wrong);
      } catch (error) {
        answers[name] = error;
      }
    }
    const more = async (call: () => unknown) => {
      try {
        return await call();
      } catch (error) {
        return error;
      }
    };
    return {
      answers,
      columns: await more(() => api['openShell']?.({ cols: 0, rows: 24 }, null)),
      adopted: await more(() => api['adoptSurvivor']?.('s1', -1)),
      unknown: await more(() => api['closeSession']?.('no-such-session')),
      link: await more(() => api['openLink']?.('javascript:alert(1)')),
    };
  });
  for (const [name, answer] of Object.entries(refusals.answers)) {
    expect(answer, name).toEqual({
      code: 'invalid-argument',
      message: expect.stringMatching(/^[a-z-]+\/[a-z-]+: argument \d/),
    });
  }
  expect(Object.keys(refusals.answers)).toHaveLength(28);
  expect(refusals.columns).toMatchObject({
    message: expect.stringContaining('sessions/open-shell: argument 0.cols: '),
  });
  expect(refusals.adopted).toMatchObject({ message: expect.stringContaining('sessions/adopt: argument 1: ') });
  expect(refusals.unknown).toMatchObject({ message: expect.stringContaining('no-such-session') });
  expect(refusals.link).toEqual({ code: 'invalid-argument', message: 'only http and https links are opened' });
  await expect(shellscope.tabs).toHaveCount(1);
  await agent.write('witness', 'unharmed\r', 'w1');
  await shellscope.expectScreen(shellscope.tabs.first(), /unharmed\s+unharmed/);
});

test('a page of another origin is not answered, though it has the same preload', async ({ shellscope }) => {
  await expect(shellscope.newShell).toBeVisible();
  const answer = await shellscope.inApp(async ({ app, BrowserWindow }) => {
    const preload = `${app.getAppPath()}/out/preload/index.cjs`;
    const stranger = new BrowserWindow({
      show: false,
      webPreferences: { preload, sandbox: true, contextIsolation: true },
    });
    try {
      await stranger.loadURL('data:text/html,<title>stranger</title>');
      return (await stranger.webContents.executeJavaScript(
        'shellscope.describeConnection().then(JSON.stringify, JSON.stringify)',
      )) as string;
    } finally {
      stranger.destroy();
    }
  }, null);
  expect(JSON.parse(answer)).toEqual({ code: 'untrusted-sender', message: 'this page may not ask' });
});
