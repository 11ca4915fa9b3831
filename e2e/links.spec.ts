import { expect, test, type Shellscope } from './fixtures.ts';

/** What the app was to open in the person's browser. */
interface RecordOfTests {
  readonly openedLinks: readonly string[];
}

async function recordOpened(shellscope: Shellscope): Promise<void> {
  await shellscope.inApp(({ shell }) => {
    const openedLinks: string[] = [];
    Object.assign(globalThis, { openedLinks });
    shell.openExternal = (url) => {
      openedLinks.push(url);
      return Promise.resolve();
    };
  }, null);
}

const opened = (shellscope: Shellscope) =>
  shellscope.inApp(() => (globalThis as unknown as RecordOfTests).openedLinks, null);

test('a web address in the output opens by Ctrl and a click, and what is no web address opens by nothing', async ({
  shellscope,
}) => {
  const { page } = shellscope;
  await recordOpened(shellscope);
  const tab = await shellscope.openShell();
  const named = (url: string, text: string) => String.raw`\033]8;;${url}\033\\${text}\033]8;;\033\\\n`;
  const lines = `${named('file:///etc/passwd', 'a file')}${named('https://example.com/b', 'a page')}https://example.com/a\\n`;
  await shellscope.type(`clear; printf '${lines}'\n`);
  await shellscope.expectScreen(tab, /^a file\na page\nhttps:\/\/example\.com\/a\n/);
  const screen = page.locator('.xterm-screen').last();
  const box = await screen.boundingBox();
  const { height = 0 } = (await page.locator('.xterm-rows > div').last().boundingBox()) ?? {};
  const row = (number: number) => ({ x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + (number - 0.5) * height });
  const click = async (number: number) => {
    const { x, y } = row(number);
    await page.mouse.move(x, y);
    await page.mouse.click(x, y);
  };

  await click(3);
  await page.keyboard.down('Control');
  await click(1);
  await click(2);
  await expect.poll(() => opened(shellscope)).toEqual(['https://example.com/b']);
  await click(3);
  await expect.poll(() => opened(shellscope)).toEqual(['https://example.com/b', 'https://example.com/a']);
  await page.keyboard.up('Control');
});

test('links of output open nothing but pages of the web, whatever they call themselves', async ({ shellscope }) => {
  const { page } = shellscope;
  await recordOpened(shellscope);
  const tab = await shellscope.openShell();
  const urls = [
    'javascript:window.planted=1',
    'file:///etc/passwd',
    'data:text/html,planted',
    'app://shellscope/',
    'mailto:somebody@example.com',
    'vscode://file/etc/passwd',
    ' https://example.com/space',
    'https:example.com',
    'https://example.com/last',
  ];
  const lines = urls.map((url) => String.raw`\033]8;;${url}\033\\linked\033]8;;\033\\\n`).join('');
  await shellscope.type(`clear; printf '${lines}'\n`);
  await shellscope.expectScreen(tab, /^(?:linked\n){9}/);
  const box = await page.locator('.xterm-screen').last().boundingBox();
  const { height = 0 } = (await page.locator('.xterm-rows > div').last().boundingBox()) ?? {};
  await page.keyboard.down('Control');
  for (const [index] of urls.entries()) {
    const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + (index + 0.5) * height];
    await page.mouse.move(x, y);
    await page.mouse.click(x, y);
  }
  await page.keyboard.up('Control');
  // The last one is the proof that clicks arrive.
  await expect.poll(() => opened(shellscope)).toContain('https://example.com/last');
  expect(await opened(shellscope)).toEqual(['https://example.com/last']);
  expect(await page.evaluate('typeof planted')).toBe('undefined');
});
