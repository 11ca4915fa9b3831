import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WindowCommand } from '../src/shared/window-commands.ts';
import { expect } from './fixtures.ts';
import {
  clipboardText,
  movesAlong,
  press,
  tabLists,
  selectedTab,
  dialog,
  newShell,
  atItsPrompt,
  hasKeyboard,
  endShell,
  agentsSession,
  answersRequest,
  split,
  merge,
  opens,
  toggles,
  panel,
  goes,
  moves,
  grows,
  zooms,
  resizesFont,
  larger,
  smaller,
  inputNote,
  turnsTabs,
  goesToTab,
  type Proof,
} from './proof-steps.ts';

/** For every command of the table; one that is added there does not compile here before it is proven. */
export const COMMAND_PROOFS: Readonly<Record<WindowCommand, Proof>> = {
  'new-shell': async (place) => {
    const count = await place.shellscope.tabs.count();
    await place.run();
    await expect(place.shellscope.tabs).toHaveCount(count + 1);
    await hasKeyboard(place, await atItsPrompt(place), 'new');
  },
  'new-window': async (place) => {
    const coming = place.shellscope.app.waitForEvent('window');
    await place.run();
    await (await coming).close();
  },
  'run-again': async (place) => {
    await endShell(place);
    const count = await place.shellscope.tabs.count();
    await place.run();
    await expect(place.shellscope.tabs).toHaveCount(count + 1);
    await hasKeyboard(place, await atItsPrompt(place), 'again');
  },
  'close-tab': async (place) => {
    const ended = await endShell(place);
    const count = await place.shellscope.tabs.count();
    await place.run();
    await expect(place.shellscope.tabs).toHaveCount(count - 1);
    await expect(ended).toHaveCount(0);
    await newShell(place);
  },
  'close-ended': async (place) => {
    await endShell(place);
    await endShell(place);
    await place.run();
    await expect(place.shellscope.tab(/exited/)).toHaveCount(0);
    await newShell(place);
  },
  'reopen-closed': async (place) => {
    const { shellscope } = place;
    const tab = await newShell(place);
    await hasKeyboard(place, tab, 'reopened');
    await shellscope.type('exit\n');
    await expect(shellscope.tab(/exited 0/)).toHaveCount(1);
    await press(place, 'Control+Shift+W');
    await expect(shellscope.tab(/exited 0/)).toHaveCount(0);
    await place.run();
    await expect(shellscope.tab(/exited 0/)).toHaveAttribute('aria-selected', 'true');
    await shellscope.expectScreen(shellscope.tab(/exited 0/), 'reopened');
    await press(place, 'Control+Shift+W');
    await expect(shellscope.tab(/exited 0/)).toHaveCount(0);
    await newShell(place);
  },
  copy: async (place) => {
    const { shellscope } = place;
    const tab = await newShell(place);
    await shellscope.inApp(({ clipboard }) => clipboard.writeText('before'), null);
    await shellscope.type('clear; echo cop""ied\n');
    await shellscope.expectScreen(tab, /^copied/);
    // What is found is selected.
    await press(place, 'Control+Shift+G');
    await shellscope.type('copied');
    await expect(shellscope.page.getByRole('search').getByRole('status')).toHaveText(/^1 of 1/);
    await place.run();
    await expect.poll(() => clipboardText(place)).toBe('copied');
    await press(place, 'Escape');
  },
  'select-all': async (place) => {
    const { shellscope } = place;
    const tab = await newShell(place);
    await shellscope.type('clear; echo the fir""st; echo the la""st\n');
    await shellscope.expectScreen(tab, /^the first\nthe last/);
    await place.run();
    await press(place, 'Control+Shift+C');
    await expect
      .poll(() => shellscope.inApp(({ clipboard }) => clipboard.readText(), null))
      .toMatch(/^the first\nthe last\n/);
  },
  find: async (place) => {
    const bar = place.shellscope.page.getByRole('search', { name: 'Find in this pane' });
    await place.run();
    await expect(bar.getByRole('searchbox')).toBeFocused();
    await press(place, 'Escape');
    await expect(bar).toHaveCount(0);
  },
  'select-text': async (place) => {
    const { shellscope } = place;
    const tab = await newShell(place);
    await shellscope.type('clear; echo some cho""sen words\n');
    await shellscope.expectScreen(tab, /^some chosen words/);
    await place.run();
    await expect(shellscope.page.getByText(/^Selecting: arrows move/)).toBeVisible();
    await press(place, 'ArrowUp', 'Home', 'Control+ArrowRight', 'Space');
    await press(place, 'Control+ArrowRight', 'ArrowLeft', 'ArrowLeft');
    await expect(shellscope.page.getByText('6 characters selected')).toBeVisible();
    await shellscope.type('q');
    await press(place, 'Enter');
    await expect.poll(() => clipboardText(place)).toBe('chosen');
    await expect(shellscope.page.getByText('6 characters selected')).toBeHidden();
    // No key of it reached the program.
    expect(await shellscope.screenText(tab)).toBe('some chosen words\n$');
    await hasKeyboard(place, tab, 'after');
  },
  'copy-command': async (place) => {
    await newShell(place);
    await place.run();
    await expect.poll(() => clipboardText(place)).toMatch(/^\/bin\/bash/);
  },
  'copy-folder': async (place) => {
    await newShell(place);
    await place.run();
    await expect.poll(() => clipboardText(place)).toBe(place.stateFolder);
  },
  'open-link': async (place) => {
    const { shellscope } = place;
    const tab = await newShell(place);
    await shellscope.inApp(({ shell }) => {
      const openedLinks: string[] = [];
      Object.assign(globalThis, { openedLinks });
      shell.openExternal = (url) => {
        openedLinks.push(url);
        return Promise.resolve();
      };
    }, null);
    const named = (url: string, text: string) => String.raw`\033]8;;${url}\033\\${text}\033]8;;\033\\\n`;
    const linked = `${named('https://example.com/b', 'a page')}${named('file:///etc/passwd', 'a file')}`;
    await shellscope.type(`clear; printf '${linked}https://example.com/a\\n'\n`);
    await shellscope.expectScreen(tab, /^a page\na file\nhttps:\/\/example\.com\/a\n/);
    await place.run();
    await expect(dialog(place, 'Open link').getByRole('option')).toHaveText([
      'https://example.com/a',
      'https://example.com/b',
    ]);
    await press(place, 'ArrowDown', 'Enter');
    await expect
      .poll(() => shellscope.inApp(() => (globalThis as unknown as { openedLinks: string[] }).openedLinks, null))
      .toEqual(['https://example.com/b']);
    await hasKeyboard(place, tab, 'after');
  },
  'previous-input': async (place) => {
    await hasKeyboard(place, await newShell(place), 'one');
    await place.run();
    await expect(inputNote(place)).toBeVisible();
  },
  'next-input': async (place) => {
    const tab = await newShell(place);
    await hasKeyboard(place, tab, 'one');
    await hasKeyboard(place, tab, 'two');
    await press(place, 'Control+Shift+PageUp', 'Control+Shift+PageUp');
    const before = (await inputNote(place).textContent()) ?? '';
    await place.run();
    await expect(inputNote(place)).not.toHaveText(before);
  },
  'back-to-now': async (place) => {
    const { shellscope } = place;
    const tab = await newShell(place);
    await shellscope.type('echo the fir""st; seq 20000; echo the la""st\n');
    await shellscope.expectScreen(tab, /the last\n\$$/);
    await press(place, 'Control+Shift+G');
    await shellscope.type('the first');
    await expect(shellscope.page.getByRole('search').getByRole('status')).toContainText('1 earlier');
    await press(place, 'Enter');
    const earlier = shellscope.page.getByRole('region', { name: 'Earlier output' });
    await expect(earlier.locator('[data-shown]')).toHaveCount(1);
    await place.run();
    await expect(earlier).toHaveCount(0);
    await press(place, 'Escape');
    await expect(shellscope.page.getByRole('search')).toHaveCount(0);
  },
  'open-output': async (place) => {
    const { shellscope } = place;
    const opened = (): Promise<number> =>
      shellscope.inApp(() => (globalThis as unknown as { openedPaths: string[] }).openedPaths.length, null);
    await shellscope.inApp(({ shell }) => {
      const openedPaths: string[] = [];
      Object.assign(globalThis, { openedPaths });
      shell.openPath = (path) => {
        openedPaths.push(path);
        return Promise.resolve('');
      };
    }, null);
    await hasKeyboard(place, await newShell(place), 'much');
    await place.run();
    await expect.poll(opened).toBe(1);
  },
  'give-keyboard-back': async (place) => {
    const { page } = place.shellscope;
    await agentsSession(place, 'given-back');
    await place.shellscope.type('x');
    await expect(page.getByText('You hold the keyboard')).toBeVisible();
    await place.run();
    await expect(page.getByText('test-agent holds the keyboard')).toBeVisible();
    await newShell(place);
  },
  'fit-to-pane': async (place) => {
    const chip = place.shellscope.page.getByRole('tabpanel').getByText(/^\d+×\d+ set by/);
    await agentsSession(place, 'fitted');
    await expect(chip).toHaveText('80×24 set by test-agent');
    await place.run();
    await expect(chip).toHaveText(/^1\d\d×\d+ set by you$/);
    await newShell(place);
  },
  'answer-question': async (place) => {
    const { shellscope, agent, stateFolder } = place;
    const settings = join(stateFolder, 'settings.json');
    await writeFile(settings, JSON.stringify({ approvals: { mode: 'ask-unless-known-safe' } }), { mode: 0o600 });
    const asked = agent.start('asked', ['rm', '-rf', 'no-such-folder']);
    const question = shellscope.page.getByRole('article');
    await expect(question).toBeVisible();
    await place.run();
    await expect(question.getByRole('button', { name: 'Refuse', exact: true })).toBeFocused();
    await press(place, 'Enter');
    expect(await asked).toMatchObject({ error: {} });
    await expect(question).toHaveCount(0);
    await writeFile(settings, '{}');
    await newShell(place);
  },
  'request-done': answersRequest('done'),
  'request-decline': answersRequest('declined'),
  rename: opens(/^Rename /),
  'session-details': opens('Session details'),
  'go-to-needy': async (place) => {
    const { shellscope, agent } = place;
    await agent.start('needy', ['/bin/sh', '-c', 'exit 7']);
    await agent.closedProcess('needy');
    await expect(shellscope.tab(/exited 7/)).toHaveAttribute('aria-selected', 'false');
    await place.run();
    await expect(selectedTab(place)).toHaveText(/exited 7/);
    await press(place, 'Control+Shift+W');
    await expect(shellscope.tab(/exited 7/)).toHaveCount(0);
    await newShell(place);
  },
  'mark-all-seen': async (place) => {
    const { shellscope, agent } = place;
    for (const id of ['unseen-1', 'unseen-2']) {
      await agent.start(id, ['/bin/sh', '-c', 'exit 7']);
      await agent.closedProcess(id);
    }
    const unseen = shellscope.page.locator('[role=tab][data-unseen]');
    await expect(unseen).toHaveCount(2);
    await place.run();
    await expect(unseen).toHaveCount(0);
    await press(place, 'Control+Shift+D');
    await expect(shellscope.tab(/exited 7/)).toHaveCount(0);
    await newShell(place);
  },
  palette: opens('Command palette'),
  'all-tabs': opens('All tabs'),
  'toggle-sessions': toggles(panel('Session list')),
  'toggle-timeline': toggles(panel('Timeline')),
  'timeline-of-all': async (place) => {
    const timeline = panel('Timeline')(place);
    const isOfAll = timeline.getByRole('button', { name: 'All sessions' });
    await place.run();
    await expect(isOfAll).toHaveAttribute('aria-pressed', 'true');
    await place.run();
    await expect(isOfAll).toHaveAttribute('aria-pressed', 'false');
    await press(place, 'Control+Shift+Y');
    await expect(timeline).toHaveCount(0);
  },
  'toggle-survivors': toggles((place) => dialog(place, /Survivors|still runs/i)),
  'toggle-grants': toggles((place) => dialog(place, 'Allowed commands')),
  'toggle-environment': toggles((place) => dialog(place, 'Environment')),
  connect: toggles((place) => place.shellscope.page.getByRole('heading', { name: 'Connect an agent' })),
  'next-tab': turnsTabs(1),
  'previous-tab': turnsTabs(-1),
  'last-used-tab': async (place) => {
    const used = await newShell(place);
    await newShell(place);
    await used.click();
    await press(place, 'Control+PageDown');
    await expect(used).toHaveAttribute('aria-selected', 'false');
    await place.run();
    await expect(used).toHaveAttribute('aria-selected', 'true');
  },
  'tab-1': goesToTab(1),
  'tab-2': goesToTab(2),
  'tab-3': goesToTab(3),
  'tab-4': goesToTab(4),
  'tab-5': goesToTab(5),
  'tab-6': goesToTab(6),
  'tab-7': goesToTab(7),
  'tab-8': goesToTab(8),
  'tab-last': async (place) => {
    await newShell(place);
    await place.shellscope.tabs.first().click();
    await place.run();
    await expect(place.shellscope.tabs.last()).toHaveAttribute('aria-selected', 'true');
  },
  'split-right': async (place) => {
    await place.run();
    await expect(tabLists(place)).toHaveCount(2);
    await hasKeyboard(place, await atItsPrompt(place), 'right');
    await merge(place);
  },
  'split-down': async (place) => {
    await place.run();
    await expect(tabLists(place)).toHaveCount(2);
    await hasKeyboard(place, await atItsPrompt(place), 'down');
    await merge(place);
  },
  'focus-left': goes('Control+Shift+H', 'back'),
  'focus-right': goes('Control+Shift+H', 'on'),
  'focus-up': goes('Control+Shift+X', 'back'),
  'focus-down': goes('Control+Shift+X', 'on'),
  'move-tab-left': moves('x', false),
  'move-tab-right': moves('x', true),
  'move-tab-up': moves('y', false),
  'move-tab-down': moves('y', true),
  'tab-back': movesAlong(-1),
  'tab-on': movesAlong(1),
  'pane-wider': grows('width', true),
  'pane-narrower': grows('width', false),
  'pane-taller': grows('height', true),
  'pane-lower': grows('height', false),
  'move-tab-to-window': async (place) => {
    await newShell(place);
    const count = await place.shellscope.tabs.count();
    const coming = place.shellscope.app.waitForEvent('window');
    await place.run();
    const window = await coming;
    await expect(window.getByRole('tab')).toHaveCount(1);
    await expect(place.shellscope.tabs).toHaveCount(count - 1);
    await window.close();
    await expect(place.shellscope.tabs).toHaveCount(count);
  },
  'merge-pane': async (place) => {
    await split(place, 'Control+Shift+H');
    const count = await place.shellscope.tabs.count();
    await place.run();
    await expect(tabLists(place)).toHaveCount(1);
    await expect(place.shellscope.tabs).toHaveCount(count);
  },
  settings: opens('Settings'),
  shortcuts: opens('Keyboard shortcuts'),
  'zoom-in': zooms(smaller),
  'zoom-out': zooms(larger),
  'zoom-reset': zooms(larger, ['Control+=', 'Control+=']),
  'font-larger': resizesFont(larger),
  'font-smaller': resizesFont(smaller),
  'font-reset': resizesFont(smaller, ['Control+Alt+=', 'Control+Alt+=']),
};
