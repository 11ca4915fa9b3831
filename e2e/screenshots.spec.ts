import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ASK_SWITCH } from '../src/shared/ipc-names.ts';
import { brokenRules } from './broken-rules.ts';
import { walkThroughEarlierOutput } from './earlier-states.ts';
import { expect, launch, Shellscope, test } from './fixtures.ts';
import { walkThroughGoneStates } from './gone-states.ts';
import { indexedPng } from './indexed-png.ts';
import { walkThroughRareStates } from './rare-states.ts';
import { killApp } from './restart.ts';
import { walkThroughSeldomStates } from './seldom-states.ts';
import { afterKill, beStill, walkThroughStates } from './window-states.ts';

/** `npm run screenshots` puts them into docs/, as small as they get; a plain run leaves the tree as it is. */
const DOCS = process.env['SHELLSCOPE_SCREENSHOTS'];
const FOLDER = DOCS ?? 'test-results/screenshots';

const SIZES = [
  { width: 1_280, height: 800 },
  { width: 900, height: 600 },
];

/** As a system asks for them; a window whose theme is the system's looks as one that has been given that theme. */
const LOOKS = [
  { theme: 'light', colorScheme: 'light', contrast: 'no-preference' },
  { theme: 'dark', colorScheme: 'dark', contrast: 'no-preference' },
  { theme: 'high-contrast', colorScheme: 'dark', contrast: 'more' },
] as const;

/** What axe finds otherwise in another look: between two looks nothing but colours differs (test/boundaries/looks.test.ts). */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Some twenty states, each judged and drawn six times. */
const WALK_MS = 600_000;

/** A variable that looks like a credential, for the panel that says what was kept out. */
const CREDENTIAL = 'EXAMPLE_API_TOKEN';

/** Where the pointer is what is shown. */
const DRAGGED = new Set(['41-dragged-tab']);

test.use({ appArguments: [ASK_SWITCH] });

test.beforeAll(() => {
  process.env[CREDENTIAL] = 'example-secret';
});

test.afterAll(() => {
  delete process.env[CREDENTIAL];
});

test('axe finds nothing in any state of the window, and nothing reaches over its edges', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  test.setTimeout(WALK_MS);
  const found: string[] = [];
  const visitIn = (shown: Shellscope) => (name: string) => judge({ shown, name, stateFolder, found });
  await walkThroughStates({ shellscope, agent, stateFolder, visit: visitIn(shellscope) });

  await killApp(shellscope);
  const app = await launch(stateFolder);
  const again = await Shellscope.drawn(app, await app.firstWindow());
  await afterKill(again, visitIn(again));
  await app.close();
  expect(found).toEqual([]);
});

test('nor does it in what is shown of earlier output', async ({ shellscope, agent, stateFolder }) => {
  test.setTimeout(WALK_MS);
  const found: string[] = [];
  const visit = (name: string): Promise<void> => judge({ shown: shellscope, name, stateFolder, found });
  await walkThroughEarlierOutput({ shellscope, agent, stateFolder, visit });
  expect(found).toEqual([]);
});

test('nor does it in what is seen seldom', async ({ shellscope, stateFolder }) => {
  test.setTimeout(WALK_MS);
  const found: string[] = [];
  await walkThroughSeldomStates({
    ...{ shellscope, stateFolder },
    visit: (name, shown = shellscope) => judge({ shown, name, stateFolder, found }),
  });
  expect(found).toEqual([]);
});

test('nor does it where something is not there, hangs or fails', async ({ shellscope, agent, stateFolder }) => {
  test.setTimeout(WALK_MS);
  const found: string[] = [];
  await walkThroughRareStates({
    ...{ shellscope, agent, stateFolder },
    visit: (name, shown = shellscope) => judge({ shown, name, stateFolder, found }),
  });
  expect(found).toEqual([]);
});

test('nor does it where something is kept no more, or a door is shut', async ({ shellscope, agent, stateFolder }) => {
  test.setTimeout(WALK_MS);
  const found: string[] = [];
  await walkThroughGoneStates({
    ...{ shellscope, agent, stateFolder },
    visit: (name, shown = shellscope) => judge({ shown, name, stateFolder, found }),
  });
  expect(found).toEqual([]);
});

interface Judged {
  readonly shown: Shellscope;
  readonly name: string;
  readonly stateFolder: string;
  /** What is wrong is put here, so that one run tells all of it. */
  readonly found: string[];
}

/** Draws a state in both sizes and all looks, and looks for what reaches over an edge, is cut without an ellipsis, or breaks a rule of axe's. */
async function judge({ shown, name, stateFolder, found }: Judged): Promise<void> {
  const { page } = shown;
  // A pointer that is left over a button colours it.
  if (!DRAGGED.has(name)) {
    await page.mouse.move(0, 0);
  }
  for (const { width, height } of SIZES) {
    await shown.setContentSize(width, height);
    await expect.poll(() => page.evaluate(() => [innerWidth, innerHeight])).toEqual([width, height]);
    if (DRAGGED.has(name)) {
      await page.mouse.move(width * 0.8, height / 2);
    }
    for (const { theme, ...media } of LOOKS) {
      await page.emulateMedia({ ...media, reducedMotion: 'reduce' });
      const place = `${name} at ${width}, ${theme}`;
      for (const look of [overflows, cutWords, overlaps, hiddenFocus]) {
        found.push(...(await look(shown)).map((text) => `${place}: ${text}`));
      }
      // Terminals take their colours with the next frame.
      await page.evaluate(
        () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
      );
      // In one look it has settled; the others are drawn where they are kept.
      if (DOCS !== undefined || theme === LOOKS[0].theme) {
        await picture(shown, `${name}-${theme}-${width}x${height}`, stateFolder);
      }
      found.push(
        ...(await brokenRules(page, theme === LOOKS[0].theme ? [] : COLOUR_RULES)).map((text) => `${place}: ${text}`),
      );
    }
  }
  await shown.setContentSize(SIZES[0]?.width ?? 0, SIZES[0]?.height ?? 0);
  await beStill(page);
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

/** Short words that end at an edge without an ellipsis: whoever reads them takes them for the whole. */
function cutWords({ page }: Shellscope): Promise<readonly string[]> {
  return page.evaluate(() => {
    /** Whether its end is out of sight, in it or in what clips it; what wrapped away as a whole is not cut. */
    const isCut = (element: HTMLElement): boolean => {
      if (element.scrollWidth > element.clientWidth + 1) {
        return getComputedStyle(element).textOverflow !== 'ellipsis';
      }
      const box = element.getBoundingClientRect();
      let clip = element.parentElement;
      while (clip !== null && getComputedStyle(clip).overflowX === 'visible') {
        clip = clip.parentElement;
      }
      if (clip === null || !/hidden|clip/.test(getComputedStyle(clip).overflowX)) {
        return false;
      }
      const edge = clip.getBoundingClientRect();
      return box.top < edge.bottom - 1 && box.left < edge.right - 1 && box.right > edge.right + 1;
    };
    return [
      ...document.querySelectorAll<HTMLElement>('button, .facts > li, .connection, .pane-bar p, h2, h3, dt, label'),
    ]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.clientWidth > 1)
      .filter((element) => element.closest('.visually-hidden') === null && isCut(element))
      .map((element) => `cut: ${element.outerHTML.slice(0, 120)}`);
  });
}

/** Controls that lie over those beside them, and rows of buttons that are not of one height. */
function overlaps({ page }: Shellscope): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const parent of new Set(
      [...document.querySelectorAll('button, input, select')].map((element) => element.parentElement),
    )) {
      const boxes = [...(parent?.children ?? [])]
        .filter((element) => element.matches('button') && element.checkVisibility({ visibilityProperty: true }))
        .map((element) => ({ element, box: element.getBoundingClientRect() }));
      for (const [index, { element, box }] of boxes.entries()) {
        for (const { element: other, box: beside } of boxes.slice(index + 1)) {
          const isOver = box.right > beside.left + 0.5 && beside.right > box.left + 0.5;
          const inOneRow = box.bottom > beside.top + 0.5 && beside.bottom > box.top + 0.5;
          const look = `${element.outerHTML.slice(0, 80)} and ${other.outerHTML.slice(0, 80)}`;
          if (isOver && inOneRow) {
            found.push(`one over the other: ${look}`);
          } else if (inOneRow && Math.abs(box.height - beside.height) > 0.5) {
            found.push(`of two heights: ${look}`);
          }
        }
      }
    }
    return found;
  });
}

/**
 * Something that has the keyboard, and something else lies over it. A terminal's text area stands for its rows, where the
 * cursor is; of what is large its head counts, where its name is.
 */
function hiddenFocus({ page }: Shellscope): Promise<readonly string[]> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body || focused.closest('.visually-hidden') !== null) {
      return [];
    }
    const isTerminal = focused.matches('.xterm-helper-textarea');
    const seen = (isTerminal ? focused.closest('.xterm')?.querySelector('.xterm-cursor') : null) ?? focused;
    const { left, top, width, height } = seen.getBoundingClientRect();
    const above = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 12));
    const whole = isTerminal ? (focused.closest('.xterm') ?? focused) : focused;
    return whole.contains(above)
      ? []
      : [`hidden focus: ${focused.outerHTML.slice(0, 120)} beneath ${above?.outerHTML.slice(0, 120)}`];
  });
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
