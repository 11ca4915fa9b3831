import type { Shellscope } from './fixtures.ts';

/**
 * What the keyboard comes to by Tab, and the terminals. What is gone through by arrows has one stop. Lines between panes are
 * in no region; commands with keys of their own move them.
 */
const STOPS = 'button, a[href], input, select, textarea, [tabindex="0"]:not([role=separator])';

/** More than any region has stops, and the window regions. */
const MOST_PRESSES = 80;

/** What is wrong with the way to what can be used in the window. */
export interface Reach {
  /** Stops to which no key led. */
  readonly missed: readonly string[];
  /** Stops at which it is not seen that the keyboard is there. */
  readonly unseen: readonly string[];
  /** Names of the regions, in the order in which the key goes through them. */
  readonly order: readonly string[];
}

/**
 * Goes through the window by real keys alone: from region to region by F6 (Ctrl+F6 in a program), and through each by
 * Tab. Starts where the keyboard is.
 */
export async function reachByKeys({ page }: Shellscope): Promise<Reach> {
  await page.evaluate((selector) => {
    for (const old of document.querySelectorAll('[data-reached]')) {
      old.removeAttribute('data-reached');
    }
    for (const stop of document.querySelectorAll<HTMLElement>(selector)) {
      stop.dataset['reached'] = 'no';
    }
  }, STOPS);
  const unseen = new Set<string>();
  const order: string[] = [];
  for (;;) {
    await nextRegion(page);
    const { region } = await arrive(page, unseen);
    if (order.includes(region)) {
      break;
    }
    order.push(region);
    for (const key of ['Tab', 'Shift+Tab']) {
      await throughRegion(page, { key, region, unseen });
      for (let presses = 0; presses < MOST_PRESSES && (await here(page)).region !== region; presses += 1) {
        await nextRegion(page);
      }
    }
  }
  const missed = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-reached=no]')]
      .filter((stop) => stop.checkVisibility({ visibilityProperty: true }) && stop.closest('[inert]') === null)
      // By Delete on its tab, or by arrows from the one stop of a list.
      .filter((stop) => stop.tabIndex >= 0 && !stop.matches(':disabled, input[type=radio]:not(:checked)'))
      .map((stop) => stop.outerHTML.slice(0, 140)),
  );
  return { missed, unseen: [...unseen], order };
}

/** By Tab or Shift+Tab until it is left, or a program has the keys. */
async function throughRegion(
  page: Shellscope['page'],
  { key, region, unseen }: { readonly key: string; readonly region: string; readonly unseen: Set<string> },
): Promise<void> {
  for (let presses = 0; presses < MOST_PRESSES && !(await here(page)).isInProgram; presses += 1) {
    await page.keyboard.press(key);
    if ((await arrive(page, unseen)).region !== region) {
      return;
    }
  }
}

async function nextRegion(page: Shellscope['page']): Promise<void> {
  await page.keyboard.press((await here(page)).isInProgram ? 'Control+F6' : 'F6');
}

interface Here {
  readonly region: string;
  readonly isInProgram: boolean;
}

function here(page: Shellscope['page']): Promise<Here> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    const region = focused?.closest<HTMLElement>('[data-region]');
    const all = [...document.querySelectorAll<HTMLElement>('[data-region]')];
    const alike = all.filter((one) => one.dataset['region'] === region?.dataset['region']);
    const number = region == null || alike.length < 2 ? '' : ` ${alike.indexOf(region) + 1}`;
    return {
      region: `${region?.dataset['region'] ?? 'none'}${number}`,
      isInProgram: focused?.closest('[data-input="on"]') != null,
    };
  });
}

/** Notes what has the keyboard now as reached; the page's own end has no stop. */
async function arrive(page: Shellscope['page'], unseen: Set<string>): Promise<Here> {
  const unseenHere = await page.evaluate(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || focused === document.body) {
      return null;
    }
    focused.dataset['reached'] = 'yes';
    const drawn = [focused, focused.nextElementSibling, focused.parentElement].filter((one) => one !== null);
    const isSeen = drawn.some((one) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
      return (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1) || boxShadow !== 'none';
    });
    // A terminal shows its cursor, a tree the row, and a line is drawn as a thicker one.
    return isSeen || focused.matches('.xterm-helper-textarea, [role=tree], [role=separator]')
      ? null
      : focused.outerHTML.slice(0, 140);
  });
  if (unseenHere !== null) {
    unseen.add(unseenHere);
  }
  return here(page);
}
