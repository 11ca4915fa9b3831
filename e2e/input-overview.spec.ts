import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const PICTURES = process.env['SHELLSCOPE_PICTURES'];

/** How far down the ruler each mark is, as a share of it, and who it is of. */
function marksOf(
  page: Page,
): Promise<readonly { readonly at: number; readonly by: readonly (string | undefined)[] }[]> {
  return page
    .getByRole('tabpanel')
    .locator('.input-overview')
    .evaluate((ruler) =>
      [...ruler.children].map((mark) => ({
        at: (mark.getBoundingClientRect().top - ruler.getBoundingClientRect().top) / ruler.clientHeight,
        by: [...mark.children].map((sign) => (sign as HTMLElement).dataset['by']),
      })),
    );
}

/** The columns of xterm's ruler that anything is drawn in, in CSS pixels from the right edge of the pane. */
function drawnColumns(page: Page): Promise<readonly number[]> {
  return page.locator('.xterm-decoration-overview-ruler').evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const { width, height } = canvas;
    const pixels = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray();
    const hasColour = (x: number): boolean => {
      const colours = new Set<string>();
      for (let y = 0; y < height; y += 1) {
        colours.add(pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4).join());
      }
      return colours.size > 1;
    };
    return Array.from({ length: width }, (_, x) => x)
      .filter(hasColour)
      .map((x) => Math.round((width - x) / devicePixelRatio));
  });
}

test('all input of a terminal is marked beside its scroll bar, by who it was, and hides no match of a search', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/bash', '--norc', '--noediting', '-i'], { env: { PS1: '$ ' } });
  const tab = shellscope.tab(/^bash/);
  await tab.click();
  await shellscope.expectScreen(tab, '$');
  await agent.write('job', 'echo short\r', 'w1');
  await shellscope.expectScreen(tab, /\nshort\n\$/);
  await expect(page.locator('.input-mark')).not.toHaveCount(0);
  // All of it is in view: there is nothing to survey.
  expect(await marksOf(page)).toEqual([]);

  await agent.write('job', 'seq 1000 1400\r', 'w2');
  await shellscope.expectScreen(tab, /\n1400\n\$/);
  await agent.write('job', `printf '\\e[6n'; read -rsd R place; seq 2000 2200\r`, 'w3');
  await shellscope.expectScreen(tab, /\n2200\n\$/);
  await shellscope.type('echo mine; seq 3000 3200\n');
  await shellscope.expectScreen(tab, /\n3200\n\$/);
  const who = async () => (await marksOf(page)).flatMap(({ by }) => by);
  await expect.poll(who).toEqual(['agent', 'agent', 'terminal', 'person']);
  // The marks move once more when the pane has drawn what came after them: some 810 lines in all.
  const mostOff = async () => {
    const found = await marksOf(page);
    const placeOf = (by: string): number => found.findLast((mark) => mark.by.includes(by))?.at ?? 1;
    return Math.max(
      found[0]?.at ?? 1,
      ...(
        [
          ['agent', 404],
          ['terminal', 405],
          ['person', 607],
        ] as const
      ).map(([by, line]) => Math.abs(placeOf(by) - line / 810)),
    );
  };
  await expect.poll(mostOff).toBeLessThan(0.02);

  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('1234');
  await expect.poll(() => drawnColumns(page)).not.toEqual([]);
  const columns = await drawnColumns(page);
  const edges = await page.locator('.input-overview').evaluate((ruler) => {
    const { left, right } = ruler.getBoundingClientRect();
    const end = ruler.parentElement?.getBoundingClientRect().right ?? 0;
    return { left: end - left, right: end - right };
  });
  expect(Math.max(...columns)).toBeLessThanOrEqual(edges.right);
  expect(edges.left).toBeLessThanOrEqual(14);

  for (const scheme of ['light', 'dark'] as const) {
    for (const contrast of ['no-preference', 'more'] as const) {
      for (const forcedColors of ['none', 'active'] as const) {
        await page.emulateMedia({ colorScheme: scheme, contrast, forcedColors });
        const looks = await page.locator('.input-overview').evaluate((ruler) =>
          ['person', 'agent', 'terminal'].map((by) => {
            const sign = ruler.querySelector(`[data-by=${by}]`);
            const { backgroundColor, backgroundImage } = getComputedStyle(sign ?? ruler);
            return `${backgroundColor} ${backgroundImage} ${sign?.getBoundingClientRect().height}`;
          }),
        );
        expect(new Set(looks).size, looks.join('\n')).toBe(3);
        if (PICTURES !== undefined) {
          await page.screenshot({ path: `${PICTURES}/overview-${scheme}-${contrast}-${forcedColors}.png` });
        }
      }
    }
  }
  await page.emulateMedia({ colorScheme: null, contrast: null, forcedColors: null });
  await page.keyboard.press('Escape');
  await expect
    .poll(() => page.locator('.xterm-decoration-overview-ruler').evaluate(({ clientWidth }) => clientWidth))
    .toBe(0);
  await page.keyboard.type("printf '\\e[?1049h'; read -rsn1; printf '\\e[?1049l'\n");
  await expect.poll(() => marksOf(page)).toEqual([]);
});

/** Whether a match is marked in xterm's ruler in the colour that the theme has now. */
function isMarkedInTheme(page: Page): Promise<boolean> {
  return page.locator('.xterm-decoration-overview-ruler').evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    const hex = getComputedStyle(document.documentElement).getPropertyValue('--term-cursor').trim().slice(1);
    const wanted = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    return Array.from({ length: data.length / 4 }, (_, pixel) => pixel * 4).some(
      (at) => data[at + 3] === 255 && wanted.every((channel, index) => data[at + index] === channel),
    );
  });
}

test('what a search has marked takes the colours of another theme, where the person is', async ({ shellscope }) => {
  const { page } = shellscope;
  const tab = await shellscope.openShell();
  await shellscope.type('seq 1000 1400\n');
  await shellscope.expectScreen(tab, /\n1400\n\$/);
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('123');
  const status = page.getByRole('search').getByRole('status');
  await expect(status).toHaveText('11 of 11');
  await page.keyboard.press('Enter');
  await expect(status).toHaveText('10 of 11');
  await page.getByRole('tabpanel').hover();
  await page.mouse.wheel(0, -2_000);
  const rows = page.locator('.xterm-rows').first();
  await expect(rows).not.toContainText('1400');
  const inView = await rows.textContent();
  for (const colorScheme of ['light', 'dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => isMarkedInTheme(page), colorScheme).toBe(true);
    expect(await rows.textContent()).toBe(inView);
    await expect(status).toHaveText('10 of 11');
  }
});
