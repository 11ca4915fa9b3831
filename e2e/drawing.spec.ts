import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expect, test, type Shellscope } from './fixtures.ts';

/** Chromium's own WebGL in software, which newer ones start only when they are told to. */
const SOFTWARE_GL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];

/** WebGL contexts of one window, at most (`webgl-pool.ts`). */
const POOL = 4;

/** The terminals in view, by what draws them. */
const drawnBy = (page: Page, renderer: 'dom' | 'webgl'): Locator =>
  page.locator(`[data-renderer="${renderer}"]`).filter({ visible: true });

/** Contexts that live in the page. */
const livingContexts = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      [...document.querySelectorAll('canvas')].filter(
        (canvas) => canvas.getContext('webgl2')?.isContextLost() === false,
      ).length,
  );

/** How many colours a terminal is drawn in; one where it is empty. */
async function coloursOf(page: Page, terminal: Locator): Promise<number> {
  const picture = (await terminal.screenshot()).toString('base64');
  return page.evaluate(async (png) => {
    const bytes = Uint8Array.from(atob(png), (unit) => unit.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context?.drawImage(image, 0, 0);
    const pixels = context?.getImageData(0, 0, image.width, image.height).data;
    return new Set(new Uint32Array(pixels?.buffer ?? new ArrayBuffer(0))).size;
  }, picture);
}

/** Loses the context of the first terminal that has one, as a driver does. */
const loseOne = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const canvases = document.querySelectorAll<HTMLCanvasElement>('[data-renderer="webgl"] canvas');
    const context = [...canvases].map((canvas) => canvas.getContext('webgl2')).find((found) => found !== null);
    context?.getExtension('WEBGL_lose_context')?.loseContext();
  });

async function splitUntil(shellscope: Shellscope, panes: number): Promise<void> {
  for (let count = 2; count <= panes; count += 1) {
    await shellscope.page.keyboard.press(count % 2 === 0 ? 'Control+Shift+H' : 'Control+Shift+X');
    await expect(shellscope.page.getByRole('tablist')).toHaveCount(count);
    await shellscope.expectScreen(shellscope.tabs.nth(count - 1), '$');
  }
}

test.describe('without a GPU', () => {
  test.use({ appArguments: ['--disable-gpu'] });

  test('the page draws terminals, and has no WebGL context', async ({ shellscope }) => {
    const { page } = shellscope;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const tab = await shellscope.openShell();
    await shellscope.type('echo drawn by the page\n');
    await shellscope.expectScreen(tab, /\ndrawn by the page\n/);
    // The look at the GPU is over when the page has had nothing to do.
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    await expect(drawnBy(page, 'dom')).toHaveCount(1);
    await expect(page.locator('.xterm-rows')).toContainText('drawn by the page');
    expect(await livingContexts(page)).toBe(0);
    expect(asked.filter((url) => url.includes('webgl'))).toEqual([]);
    // Its code comes with the wish for it.
    await page.keyboard.press('Control+,');
    await page.getByRole('combobox', { name: 'Renderer' }).selectOption('WebGL');
    await expect.poll(() => asked.filter((url) => url.includes('webgl'))).toHaveLength(1);
  });
});

test.describe('with WebGL in software, and the setting for it', () => {
  test.use({ appArguments: SOFTWARE_GL });
  test.beforeEach(async ({ stateFolder }) => {
    await writeFile(join(stateFolder, 'settings.json'), JSON.stringify({ terminal: { renderer: 'webgl' } }));
  });

  test('four panes in view have a context, the rest are drawn by the page, and what is hidden gives its back', async ({
    shellscope,
  }) => {
    const { page } = shellscope;
    await shellscope.setContentSize(1600, 1000);
    const first = await shellscope.openShell();
    await expect(drawnBy(page, 'webgl')).toHaveCount(1);
    await shellscope.type('echo by WebGL\n');
    await shellscope.expectScreen(first, /\nby WebGL\n/);
    await expect.poll(() => coloursOf(page, drawnBy(page, 'webgl'))).toBeGreaterThan(4);

    await splitUntil(shellscope, POOL + 2);
    await expect(drawnBy(page, 'webgl')).toHaveCount(POOL);
    await expect(drawnBy(page, 'dom')).toHaveCount(2);
    expect(await livingContexts(page)).toBe(POOL);

    // A terminal in front of another one in the same pane: the one behind gives its context back.
    await first.click();
    await shellscope.openShell();
    await expect(drawnBy(page, 'webgl')).toHaveCount(POOL);
    expect(await livingContexts(page)).toBe(POOL);
    await first.click();
    await expect.poll(() => livingContexts(page)).toBe(POOL);
    await shellscope.type('echo still here\n');
    await shellscope.expectScreen(first, /\nstill here\n/);
  });

  test('after its context is lost a terminal is drawn by the page at once, readable and with its keyboard', async ({
    shellscope,
  }) => {
    const { page } = shellscope;
    const tab = await shellscope.openShell();
    await expect(drawnBy(page, 'webgl')).toHaveCount(1);
    await shellscope.type('echo before the loss\n');
    await shellscope.expectScreen(tab, /\nbefore the loss\n/);
    await loseOne(page);
    await expect(drawnBy(page, 'dom')).toHaveCount(1);
    await expect(page.locator('.xterm-rows')).toContainText('before the loss');
    await shellscope.type('echo after the loss\n');
    await expect(page.locator('.xterm-rows')).toContainText('after the loss');
    expect(await livingContexts(page)).toBe(0);
    // It is not tried again, also when it comes back into view.
    await shellscope.openShell();
    await expect(drawnBy(page, 'webgl')).toHaveCount(1);
    await tab.click();
    await expect(drawnBy(page, 'dom')).toHaveCount(1);
    await expect.poll(() => livingContexts(page)).toBe(0);
  });

  test('the setting takes effect at once, in both directions', async ({ shellscope }) => {
    const { page } = shellscope;
    const tab = await shellscope.openShell();
    await shellscope.type('echo kept\n');
    await shellscope.expectScreen(tab, /\nkept\n/);
    await expect(drawnBy(page, 'webgl')).toHaveCount(1);
    await page.keyboard.press('Control+,');
    const drawing = page.getByRole('combobox', { name: 'Renderer' });
    await drawing.selectOption('DOM');
    await expect(drawnBy(page, 'dom')).toHaveCount(1);
    expect(await livingContexts(page)).toBe(0);
    await drawing.selectOption('WebGL');
    await expect(drawnBy(page, 'webgl')).toHaveCount(1);
    expect(await livingContexts(page)).toBe(1);
    expect(await shellscope.screenText(tab)).toContain('\nkept\n');
  });
});
