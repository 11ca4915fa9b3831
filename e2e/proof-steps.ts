import type { Locator } from '@playwright/test';
import type { ExecClient } from '../test/support/exec-client.ts';
import { expect, type Shellscope } from './fixtures.ts';
import { connectMcp } from './mcp-client.ts';

/** Where a command is proven: a window with a shell of the person's own in view, which has the keyboard. */
export interface ProofPlace {
  readonly shellscope: Shellscope;
  readonly agent: ExecClient;
  readonly stateFolder: string;
  /** Runs the command once, by the keyboard alone. */
  readonly run: () => Promise<void>;
}

/**
 * Brings about what the command is for, runs it and waits for what it does; then it leaves the window with a shell of
 * the person's own in one pane, with the keyboard, and nothing over it. The mouse is not touched.
 */
export type Proof = (place: ProofPlace) => Promise<void>;

export async function press({ shellscope }: ProofPlace, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await shellscope.page.keyboard.press(key);
  }
}

export const tabLists = ({ shellscope }: ProofPlace): Locator => shellscope.page.getByRole('tablist');
export const selectedTab = ({ shellscope }: ProofPlace): Locator =>
  shellscope.page.getByRole('tab', { selected: true });
export const dialog = ({ shellscope }: ProofPlace, name: string | RegExp): Locator =>
  shellscope.page.getByRole('dialog', { name });

/** A new shell of the person's own in view, at its prompt. Answers its tab, whichever tab is in view later. */
export async function newShell(place: ProofPlace): Promise<Locator> {
  const { shellscope } = place;
  const count = await shellscope.tabs.count();
  await press(place, 'Control+Shift+T');
  await expect(shellscope.tabs).toHaveCount(count + 1);
  return atItsPrompt(place);
}

export async function atItsPrompt(place: ProofPlace): Promise<Locator> {
  const { shellscope } = place;
  const id = await shellscope.page.locator('[role=tabpanel]:focus-within').getAttribute('id');
  const tab = shellscope.page.locator(`[role=tab][aria-controls="${id}"]`);
  await shellscope.expectScreen(tab, '$');
  return tab;
}

/** What is typed goes to the tab's program. */
export async function hasKeyboard({ shellscope }: ProofPlace, tab: Locator, word: string): Promise<void> {
  await shellscope.type(`echo ${word}\n`);
  await shellscope.expectScreen(tab, new RegExp(`echo ${word}\\s+${word}`));
}

/** Ends the shell in view, whose tab stays. */
export async function endShell(place: ProofPlace): Promise<Locator> {
  await newShell(place);
  await place.shellscope.type('exit 3\n');
  const ended = selectedTab(place).filter({ hasText: 'exited 3' });
  await expect(ended).toHaveCount(1);
  return ended;
}

/** An agent's session in view, which the agent holds. */
export async function agentsSession(place: ProofPlace, id: string): Promise<void> {
  const { shellscope, agent } = place;
  await agent.start(id, ['/bin/sh', '-c', `echo ${id} is up; exec cat`]);
  await press(place, 'Control+Alt+Shift+T');
  await shellscope.type(id);
  await expect(dialog(place, 'All tabs').getByRole('option')).toHaveCount(1);
  await press(place, 'Enter');
  await expect(selectedTab(place)).toHaveText(new RegExp(`${id}.*test-agent`));
  await shellscope.expectScreen(selectedTab(place), `${id} is up`);
}

/** Two panes, of which the one on that side of the first has the keyboard. */
export async function split(place: ProofPlace, key: 'Control+Shift+H' | 'Control+Shift+X'): Promise<void> {
  await press(place, key);
  await expect(tabLists(place)).toHaveCount(2);
  await atItsPrompt(place);
}

export async function merge(place: ProofPlace): Promise<void> {
  while ((await tabLists(place).count()) > 1) {
    const count = await tabLists(place).count();
    await press(place, 'Control+Alt+Shift+W');
    await expect(tabLists(place)).toHaveCount(count - 1);
  }
}

/** Answers what the agent of the session in view asks for; the keyboard stays in its terminal. */
export const answersRequest =
  (state: 'done' | 'declined'): Proof =>
  async (place) => {
    const { shellscope } = place;
    const mcp = await connectMcp(await shellscope.connection());
    const title = `asks-for-${state}`;
    const { session_id } = await mcp.ok('shell_open', { command: 'exec cat', title });
    await press(place, 'Control+Alt+Shift+T');
    await shellscope.type(title);
    await expect(dialog(place, 'All tabs').getByRole('option')).toHaveCount(1);
    await press(place, 'Enter');
    await expect(selectedTab(place)).toHaveText(new RegExp(title));
    const asked = mcp.ok('shell_request_human', { session_id, message: 'look at it', kind: 'ask', yield_ms: 60_000 });
    await expect(selectedTab(place)).toHaveText(/needs you$/);
    await place.run();
    expect(await asked).toMatchObject({ human: { state } });
    await expect(selectedTab(place)).not.toHaveText(/needs you/);
    await expect(shellscope.page.locator('[role=tabpanel]:focus-within .xterm-helper-textarea:focus')).toHaveCount(1);
    await mcp.client.close();
    await newShell(place);
  };

/** Opens by the command what has the keyboard then, and closes with Escape. */
export const opens =
  (name: string | RegExp): Proof =>
  async (place) => {
    await place.run();
    await expect(dialog(place, name)).toBeVisible();
    await expect(
      dialog(place, name)
        .locator(':focus')
        .or(dialog(place, name).and(place.shellscope.page.locator(':focus'))),
    ).toHaveCount(1);
    await press(place, 'Escape');
    await expect(dialog(place, name)).toHaveCount(0);
  };

/** Opens and closes, by the same command. */
export const toggles =
  (part: (place: ProofPlace) => Locator): Proof =>
  async (place) => {
    await place.run();
    await expect(part(place)).toBeVisible();
    await place.run();
    await expect(part(place)).toHaveCount(0);
  };

export const panel = (name: string) => (place: ProofPlace) =>
  place.shellscope.page.getByRole('complementary', { name });

/** The keyboard goes from the pane that a split made to the one on that side. */
export const goes =
  (key: 'Control+Shift+H' | 'Control+Shift+X', to: 'back' | 'on'): Proof =>
  async (place) => {
    await split(place, key);
    const focused = place.shellscope.page.locator('[role=tabpanel]:focus-within');
    const made = await focused.getAttribute('id');
    const opposite = key === 'Control+Shift+H' ? 'Control+Shift+ArrowLeft' : 'Control+Shift+ArrowUp';
    if (to === 'on') {
      await press(place, opposite);
      await expect(focused).not.toHaveAttribute('id', made ?? '');
    }
    await place.run();
    await (to === 'on' ? expect(focused) : expect(focused).not).toHaveAttribute('id', made ?? '');
    await merge(place);
  };

/** A tab goes into a pane of its own on that side, with the keyboard. */
export const moves =
  (axis: 'x' | 'y', isAfter: boolean): Proof =>
  async (place) => {
    await merge(place);
    const moved = await newShell(place);
    await place.run();
    await expect(tabLists(place)).toHaveCount(2);
    const boxes = await Promise.all(
      [0, 1].map((index) => place.shellscope.page.getByRole('tabpanel').nth(index).boundingBox()),
    );
    const own = await place.shellscope.page.locator('[role=tabpanel]:focus-within').boundingBox();
    const places = boxes.map((box) => box?.[axis] ?? 0);
    expect(own?.[axis]).toBe(isAfter ? Math.max(...places) : Math.min(...places));
    expect(new Set(places).size).toBe(2);
    await hasKeyboard(place, moved, `moved-${axis}-${isAfter}`);
    await merge(place);
  };

/** The pane with the keyboard becomes larger or smaller. */
export const grows =
  (side: 'width' | 'height', isLarger: boolean): Proof =>
  async (place) => {
    await split(place, side === 'width' ? 'Control+Shift+H' : 'Control+Shift+X');
    const size = async (): Promise<number> =>
      (await place.shellscope.page.locator('[role=tabpanel]:focus-within').boundingBox())?.[side] ?? 0;
    const before = await size();
    await place.run();
    const changed = expect.poll(size);
    await (isLarger ? changed.toBeGreaterThan(before + 10) : changed.toBeLessThan(before - 10));
    await merge(place);
  };

/** The window's size in CSS pixels tells its zoom. */
export const zooms =
  (wanted: (before: number, after: number) => boolean, prepare: readonly string[] = []): Proof =>
  async (place) => {
    const width = (): Promise<number> => place.shellscope.page.evaluate(() => innerWidth);
    const usual = await width();
    await press(place, ...prepare);
    await expect.poll(async () => (await width()) !== usual).toBe(prepare.length > 0);
    const before = await width();
    await place.run();
    await expect.poll(async () => wanted(before, await width())).toBe(true);
    await press(place, 'Control+0');
    await expect.poll(width).toBe(usual);
  };

/** The height of a row of the terminal tells its font's size. */
export const resizesFont =
  (wanted: (before: number, after: number) => boolean, prepare: readonly string[] = []): Proof =>
  async (place) => {
    const height = (): Promise<number> =>
      place.shellscope.page.evaluate(
        () =>
          [...document.querySelectorAll<HTMLElement>('.xterm-rows > div')].find((row) => row.clientHeight > 0)
            ?.clientHeight ?? 0,
      );
    const usual = await height();
    await press(place, ...prepare);
    await expect.poll(async () => (await height()) !== usual).toBe(prepare.length > 0);
    const before = await height();
    await place.run();
    await expect.poll(async () => wanted(before, await height())).toBe(true);
    await press(place, 'Control+Alt+0');
    await expect.poll(height).toBe(usual);
  };

export const larger = (before: number, after: number): boolean => after > before;
export const smaller = (before: number, after: number): boolean => after < before;
/** Goes by the number of the input that the note in the pane's corner tells. */
export const inputNote = ({ shellscope }: ProofPlace): Locator =>
  shellscope.page.getByText(/^Input \d+ of \d+: /).filter({ visible: true });

export const clipboardText = async ({ shellscope }: ProofPlace): Promise<string> =>
  shellscope.inApp(({ clipboard }) => clipboard.readText(), null);

/** The tab in view changes places with the one beside it, and the keyboard stays in its pane. */
export const movesAlong =
  (distance: 1 | -1): Proof =>
  async (place) => {
    await newShell(place);
    await newShell(place);
    if (distance === 1) {
      await press(place, 'Control+PageUp');
    }
    const moved = await atItsPrompt(place);
    const ids = (): Promise<readonly string[]> => place.shellscope.tabs.evaluateAll((tabs) => tabs.map(({ id }) => id));
    const before = await ids();
    const index = before.indexOf((await moved.getAttribute('id')) ?? '');
    await place.run();
    await expect
      .poll(ids)
      .toEqual(before.with(index, before[index + distance] ?? '').with(index + distance, before[index] ?? ''));
    await hasKeyboard(place, moved, `moved-by-${distance}`);
  };

/** The tab so many places further along the strip comes into view. */
export const turnsTabs =
  (distance: 1 | -1): Proof =>
  async (place) => {
    await newShell(place);
    const selected = (): Promise<readonly boolean[]> =>
      place.shellscope.tabs.evaluateAll((tabs) => tabs.map(({ ariaSelected }) => ariaSelected === 'true'));
    const before = (await selected()).indexOf(true);
    const count = (await selected()).length;
    await place.run();
    await expect.poll(async () => (await selected()).indexOf(true)).toBe((before + distance + count) % count);
  };

/** Beside one more tab, so that it has somewhere to come from. */
export const goesToTab =
  (number: number): Proof =>
  async (place) => {
    const { tabs } = place.shellscope;
    while ((await tabs.count()) <= number) {
      await newShell(place);
    }
    await tabs.last().click();
    await place.run();
    await expect(tabs.nth(number - 1)).toHaveAttribute('aria-selected', 'true');
  };
