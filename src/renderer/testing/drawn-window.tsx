import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { ShownQuestion } from '../../shared/approval.ts';
import type { SettingsSnapshot } from '../../shared/settings.ts';
import { App } from '../components/app.tsx';
import type { ConnectionState } from '../connection-state.ts';
import { EarlierOutputs } from '../earlier/earlier-outputs.ts';
import { EarlierSearch } from '../earlier/earlier-search.ts';
import { PaneFinder } from '../earlier/pane-finder.ts';
import { OutputProgress } from '../output-progress.ts';
import { PaneKeyboard } from '../terminal/pane-keyboard.ts';
import type { TerminalLook } from '../terminal/terminal-appearance.ts';
import { TerminalDeck } from '../terminal/terminal-deck.ts';
import { createPageFocus, installRegionKeys } from '../window/page-focus.ts';
import { TabDrag } from '../window/tab-drag.ts';
import { WindowController } from '../window/window-controller.ts';
import { WindowModelContext, type WindowModel } from '../window/window-model.ts';
import { INITIAL_WINDOW_STATE, type WindowState } from '../window/window-state.ts';
import { feedsOf } from './fake-feeds.ts';
import { allTurns, FakeHost } from './fake-host.ts';

/** The window with everything real but the host and the terminals, which are text areas. */
export async function drawWindow(host: FakeHost, progress = new OutputProgress()): Promise<Root> {
  return (await drawControlled(host, progress)).root;
}

async function drawControlled(
  host: FakeHost,
  progress: OutputProgress,
): Promise<Pick<DrawnWindow, 'controller' | 'deck'> & { readonly root: Root }> {
  const state = createStore<WindowState>(() => INITIAL_WINDOW_STATE);
  const settings = createStore<SettingsSnapshot | null>(() => null);
  const questions = createStore<readonly ShownQuestion[]>(() => []);
  const connection = createStore<ConnectionState>(() => ({ kind: 'unknown' }));
  const feeds = feedsOf(host, state);
  const keyboard = new PaneKeyboard();
  const deck = new TerminalDeck<TerminalLook>(({ session, host: element, onFound }) => {
    const area = document.createElement('textarea');
    area.className = 'xterm-helper-textarea';
    element.append(area);
    element.dataset['input'] = 'on';
    return {
      // What is hidden cannot be focused; happy-dom would.
      focus: () => (area.closest('[hidden]') === null ? area.focus() : undefined),
      setLook: vi.fn(),
      setChildEnded: vi.fn(),
      setKeyboard: vi.fn(),
      setInView: vi.fn(),
      setFitted: (isFitted) => (element.dataset['fitted'] = String(isFitted)),
      hasKeyboard: false,
      paste: vi.fn(),
      pasteNow: vi.fn(),
      // What is looked for is there twice, but for what has no match.
      find: ({ text }) => {
        onFound(text.startsWith('nothing') ? { index: -1, count: 0 } : { index: 1, count: 2 });
        return false;
      },
      notShown: (hits) => hits,
      // The first thousand bytes have left the scrollback.
      reveal: (offset) => {
        element.dataset['place'] = String(offset);
        return Promise.resolve(offset >= 1_000 ? 'shown' : 'gone');
      },
      selectText: vi.fn(),
      links: [],
      goToInput: (direction) => `the ${direction} input`,
      dispose: () => area.remove(),
      skippedAt: 2_000,
      text: `text of ${session.id}`,
      state: { screen: 'normal', rows: [], looks: [], cursor: { row: 0, col: 0 }, modes: {} },
      selection: '',
      selectAll: vi.fn(),
      linesFromBottom: 0,
      cursorHalf: 'upper',
    };
  });
  const earlier = new EarlierOutputs<TerminalLook>({
    load: (id, offset) => host.api.outputAround(id, offset),
    open: ({ host: element }) => {
      const area = document.createElement('textarea');
      element.append(area);
      return {
        show: ({ target }) => (element.dataset['shown'] = String(target.offset)),
        focus: () => area.focus(),
        setLook: vi.fn(),
        seek: vi.fn(),
        selectText: vi.fn(),
        links: [],
        dispose: () => area.remove(),
        selection: '',
        selectAll: vi.fn(),
      };
    },
    outputEnd: () => 0,
    onProblem: (sentence) => controller.notices.notify(sentence),
  });
  const finder = new PaneFinder({
    panes: deck,
    newSearch: () => new EarlierSearch({ search: (id, request) => host.api.searchOutput(id, request) }),
    earlier,
    onProblem: (sentence) => controller.notices.notify(sentence),
  });
  deck.found.subscribe((found, before) =>
    finder.panesChanged([...found.keys()].filter((id) => found.get(id) !== before.get(id))),
  );
  const controller = new WindowController({
    host: host.api,
    ...feeds,
    state,
    connection,
    questions,
    settings,
    earlier,
    finder,
    focus: createPageFocus(document, keyboard),
    isLargeEnough: ({ height }) => height >= 0.25,
    estimateSize: () => ({ cols: 80, rows: 24 }),
    goToInput: (id, direction) => deck.goToInput(id, direction),
    selectAll: vi.fn(),
    selectText: (id) => deck.selectText(id),
    linksInView: (id) => deck.links(id),
    selectedText: () => '',
    isWindowVisible: () => true,
  });
  const model: WindowModel = {
    sessions: feeds.feed.store,
    state,
    connection,
    questions,
    settings,
    isReadAloud: createStore<boolean>(() => true),
    problems: deck.problems,
    waiting: deck.waiting,
    progress: progress.store,
    timeline: feeds.timeline,
    recentActs: feeds.recentActs,
    usage: feeds.usage,
    survivors: feeds.survivors,
    keyboard,
    tabDrag: new TabDrag(window, (id, place) => controller.layout.moveTab(id, place)),
    controller,
    deck,
    earlier,
    finder,
    platform: 'linux',
  };
  const element = document.createElement('div');
  document.body.append(element);
  const root = createRoot(element);
  await act(async () => {
    root.render(
      <WindowModelContext value={model}>
        <App />
      </WindowModelContext>,
    );
    await controller.arrangement.load();
    controller.start();
    await allTurns();
  });
  return { root, controller, deck };
}

export function all<E extends HTMLElement>(selector: string): E[] {
  return [...document.querySelectorAll<E>(selector)];
}

const nameOf = (button: HTMLElement): string => button.getAttribute('aria-label') ?? button.textContent;

/** The button of that name. */
export function button(name: string): HTMLButtonElement {
  const found = all<HTMLButtonElement>('button').find((candidate) => nameOf(candidate) === name);
  if (found === undefined) {
    throw new Error(`There is no button “${name}”.`);
  }
  return found;
}

/** Does something, and waits until the window has drawn what comes of it. */
export async function perform(deed: () => void): Promise<void> {
  await act(async () => {
    deed();
    await allTurns();
  });
}

/** Presses a key where the focus is. */
export async function press(key: string, modifiers: KeyboardEventInit = {}): Promise<void> {
  await perform(() =>
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...modifiers }),
    ),
  );
}

/** A whole window with its host. */
export interface DrawnWindow {
  readonly host: FakeHost;
  readonly controller: WindowController;
  readonly deck: TerminalDeck<TerminalLook>;
  one<E extends HTMLElement>(selector: string): E | null;
  all: typeof all;
  button: typeof button;
  /** Names of all buttons. */
  buttons(): string[];
  perform: typeof perform;
  press: typeof press;
  end(): Promise<void>;
}

/** Draws a window; its `end` must be called. */
export async function drawnWindow(host = new FakeHost()): Promise<DrawnWindow> {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const stopRegionKeys = installRegionKeys(window);
  const { root, controller, deck } = await drawControlled(host, new OutputProgress());
  return {
    host,
    controller,
    deck,
    one: (selector) => document.querySelector(selector),
    all,
    button,
    buttons: () => all('button').map(nameOf),
    perform,
    press,
    end: async () => {
      await act(async () => root.unmount());
      stopRegionKeys();
      document.body.replaceChildren();
    },
  };
}
