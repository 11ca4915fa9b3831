import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { ASK_SWITCH } from '../src/shared/ipc-names.ts';
import { expect, launch, Shellscope, test } from './fixtures.ts';
import { indexedPng } from './indexed-png.ts';
import { killApp } from './restart.ts';
import { afterKill, walkThroughStates } from './window-states.ts';

/** `npm run screenshots` puts them into docs/, as small as they get; a plain run leaves the tree as it is. */
const DOCS = process.env['SHELLSCOPE_SCREENSHOTS'];
const FOLDER = DOCS ?? 'test-results/screenshots';

const SIZES = [
  { width: 1_280, height: 800 },
  { width: 900, height: 600 },
];

/** A variable that looks like a credential, for the panel that says what was kept out. */
const CREDENTIAL = 'EXAMPLE_API_TOKEN';

test.use({ appArguments: [ASK_SWITCH] });

test.beforeAll(() => {
  process.env[CREDENTIAL] = 'example-secret';
});

test.afterAll(() => {
  delete process.env[CREDENTIAL];
});

for (const theme of ['light', 'dark', 'high-contrast'] as const) {
  test(`axe finds nothing in any state of the window, ${theme}, and nothing reaches over its edges`, async ({
    shellscope,
    agent,
    stateFolder,
  }) => {
    // Some twenty states, each judged and drawn twice.
    test.setTimeout(300_000);
    const found: string[] = [];
    const visitIn = (shown: Shellscope) => async (name: string) => {
      for (const { width, height } of SIZES) {
        await shown.setContentSize(width, height);
        await expect.poll(() => shown.page.evaluate(() => [innerWidth, innerHeight])).toEqual([width, height]);
        found.push(...(await overflows(shown)).map((text) => `${name} at ${width}: ${text}`));
        await picture(shown, `${name}-${theme}-${width}x${height}`, stateFolder);
      }
      found.push(...(await violations(shown)).map((text) => `${name}: ${text}`));
      await shown.setContentSize(SIZES[0]?.width ?? 0, SIZES[0]?.height ?? 0);
    };
    await walkThroughStates({ shellscope, agent, stateFolder, theme, visit: visitIn(shellscope) });

    await killApp(shellscope);
    const app = await launch(stateFolder);
    const again = await Shellscope.drawn(app, await app.firstWindow());
    await afterKill(again, visitIn(again));
    await app.close();
    expect(found).toEqual([]);
  });
}

/** Rules that axe found broken, with the elements. */
async function violations({ page }: Shellscope): Promise<readonly string[]> {
  // The legacy mode works in one page; the other one opens a second, which Electron has none of.
  const { violations: found } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Buttons, boxes and headings that stand over the window's edge, or over that of what they are in and cannot scroll. */
function overflows({ page }: Shellscope): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, input, select, h2, h3, kbd')]
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) && element.closest('.visually-hidden') === null,
      )
      .filter((element) => {
        const box = element.getBoundingClientRect();
        const scroller = element.closest('.strip-scroller, [data-scrolls]');
        return scroller === null && (box.left < -0.5 || box.right > innerWidth + 0.5);
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );
}

async function picture({ page }: Shellscope, name: string, stateFolder: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  // The folders of whoever draws them do not belong into pictures that others see.
  const folders = [
    [process.cwd(), '/home/ada/shellscope'],
    [stateFolder, '/home/ada'],
  ];
  await renameFolders(page, folders);
  const png = await settledPicture(page);
  await renameFolders(
    page,
    folders.map((pair) => pair.toReversed()),
  );
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, `${name}.png`), DOCS === undefined ? png : await smaller(page, png));
}

/**
 * One that looks as the one before it: shells draw their prompt again when they have their new size. With animations as
 * they are: motion is reduced, and what fades out at an edge does so by one that is bound to the scroll.
 */
async function settledPicture(page: Shellscope['page']): Promise<Buffer> {
  let last: Buffer = Buffer.alloc(0);
  await expect
    .poll(async () => {
      const before = last;
      last = await page.screenshot({ animations: 'allow', caret: 'hide' });
      return before.equals(last);
    })
    .toBe(true);
  return last;
}

/** In the page's text nodes, which stay the same nodes. */
async function renameFolders(page: Shellscope['page'], pairs: readonly (readonly string[])[]): Promise<void> {
  await page.evaluate((renamed) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      for (const [from = '', to = ''] of renamed) {
        if (node.nodeValue?.includes(from) === true) {
          node.nodeValue = node.nodeValue.replaceAll(from, to);
        }
      }
    }
  }, pairs);
}

/** The page itself reads the picture's pixels. */
async function smaller(page: Shellscope['page'], png: Buffer): Promise<Buffer> {
  const { width, height, base64 } = await page.evaluate(async (text) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))]));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context?.drawImage(bitmap, 0, 0);
    const pixels = context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? new Uint8ClampedArray();
    const parts: string[] = [];
    for (let at = 0; at < pixels.length; at += 8_192) {
      parts.push(String.fromCharCode(...pixels.subarray(at, at + 8_192)));
    }
    return { width: bitmap.width, height: bitmap.height, base64: btoa(parts.join('')) };
  }, png.toString('base64'));
  return indexedPng(Buffer.from(base64, 'base64'), width, height);
}
