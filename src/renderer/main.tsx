/** The window's composition root: makes everything once and connects it. */
import '@xterm/xterm/css/xterm.css';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/frame.css';
import './styles/controls.css';
import './styles/strip.css';
import './styles/panes.css';
import './styles/layout.css';
import './styles/panels.css';
import './styles/find.css';
import './styles/connect.css';
import './styles/settings.css';
import './styles/rights.css';
import './styles/quit.css';
import './styles/details.css';
import type { Terminal } from '@xterm/xterm';
import { createRoot } from 'react-dom/client';
import { createStore } from 'zustand/vanilla';
import type { ShownQuestion } from '../shared/approval.ts';
import { quotedPath } from '../shared/quoted-path.ts';
import type { SessionSurvivors } from '../shared/session-facts.ts';
import type { SessionId } from '../shared/session.ts';
import type { SettingsSnapshot } from '../shared/settings.ts';
import type { SessionAct, TimelineEntry } from '../shared/timeline.ts';
import { installSessionGestures } from './acts/session-gestures.ts';
import { isAvailable } from './command-availability.ts';
import { App } from './components/app.tsx';
import type { ConnectionState } from './connection-state.ts';
import { EarlierOutputs } from './earlier/earlier-outputs.ts';
import { EarlierSearch } from './earlier/earlier-search.ts';
import { EarlierTerminal } from './earlier/earlier-terminal.ts';
import { PaneFinder } from './earlier/pane-finder.ts';
import { createHostClient, failureText } from './host-client.ts';
import { OutputProgress } from './output-progress.ts';
import { loadUsage, PolledFeed, type UsageById } from './polled-feed.ts';
import { SessionFeed } from './session-store.ts';
import { hasRealGpu } from './terminal/gpu-kind.ts';
import { PaneKeyboard } from './terminal/pane-keyboard.ts';
import { PanePorts } from './terminal/pane-ports.ts';
import { estimatePaneSize, isLargeEnough } from './terminal/pane-size.ts';
import { ParseTurns } from './terminal/parse-turns.ts';
import { onPixelRatioChange } from './terminal/pixel-ratio.ts';
import { TerminalAppearance, toldColours, type TerminalLook } from './terminal/terminal-appearance.ts';
import { TerminalController } from './terminal/terminal-controller.ts';
import { TerminalDeck } from './terminal/terminal-deck.ts';
import { WebglPool } from './terminal/webgl-pool.ts';
import { exposeTestBridge } from './test-bridge.ts';
import { TimelineFeed } from './timeline-feed.ts';
import { installCommandKeys } from './window/app-keys.ts';
import { MenuPossibilitiesFeed } from './window/menu-possibilities-feed.ts';
import { createPageFocus, installRegionKeys } from './window/page-focus.ts';
import { selectAllText, selectedText } from './window/page-selection.ts';
import { TabDrag } from './window/tab-drag.ts';
import { WindowController } from './window/window-controller.ts';
import { WindowModelContext, type WindowModel } from './window/window-model.ts';
import { INITIAL_WINDOW_STATE, type WindowState } from './window/window-state.ts';
import { WindowVisibility } from './window/window-visibility.ts';

/** Longest time in milliseconds that the look at the GPU waits for a page with nothing to do. */
const GPU_PATIENCE_MS = 2_000;

/** Between two looks at what was done to all sessions, in milliseconds: many agents would have it drawn all the time. */
const RECENT_ACTS_PAUSE_MS = 300;

const host = createHostClient(window.shellscope);
const ports = new PanePorts(window, (id, nonce) => host.attachSession(id, nonce));
const settings = createStore<SettingsSnapshot | null>(() => null);
// A test reads what the terminals show as a screen reader does.
const appearance = new TerminalAppearance(window, { readsLikeScreenReader: host.startedForTests });
const state = createStore<WindowState>(() => INITIAL_WINDOW_STATE);
const questions = createStore<readonly ShownQuestion[]>(() => []);
const connection = createStore<ConnectionState>(() => ({ kind: 'unknown' }));

const feed = new SessionFeed({
  loadSnapshot: () => host.listSessions(),
  onLoadFailed: (error) => controller.notices.notify(`The list of sessions could not be loaded. ${failureText(error)}`),
});

const usage = new PolledFeed<UsageById>({
  load: () => loadUsage(host, state.getState().selected),
  nothing: new Map(),
});
const survivors = new PolledFeed<readonly SessionSurvivors[] | null>({
  load: () => host.listSurvivors(),
  nothing: null,
});
const noTimeline = (error: unknown): void =>
  controller.notices.notify(`The timeline could not be loaded. ${failureText(error)}`);
const timeline = new TimelineFeed<SessionId, TimelineEntry>({
  load: (id) => host.sessionTimeline(id),
  onLoadFailed: noTimeline,
});
const recentActs = new TimelineFeed<'all', SessionAct>({
  load: () => host.recentActs(),
  onLoadFailed: noTimeline,
  pauseMs: RECENT_ACTS_PAUSE_MS,
});

const keyboard = new PaneKeyboard();
const progress = new OutputProgress();
const turns = new ParseTurns();
const drawing = new WebglPool<Terminal>({
  load: async () => (await import('./terminal/webgl-drawing.ts')).startDrawing,
  hasRealGpu: () => hasRealGpu(document),
  whenIdle: (act) => requestIdleCallback(act, { timeout: GPU_PATIENCE_MS }),
});
drawing.setChoice(appearance.read().renderer);
onPixelRatioChange(window, () => drawing.clearAtlases());
const deck = new TerminalDeck<TerminalLook>(
  (request) =>
    new TerminalController({
      ...request,
      onProgress: (endOffset) => progress.report(request.session.id, endOffset),
      openPort: (signal) => ports.open(request.session.id, signal),
      openLink: (url) => void controller.desktop.openLink(url),
      look: appearance.read(),
      turns,
      drawing,
      platform: host.platform,
      copy: (text) => void controller.desktop.copy(text),
      onClipboard: (payload) => controller.clipboard.requested(request.session, payload),
      ring: () => void host.ringBell().catch(() => undefined),
    }),
);
const earlier = new EarlierOutputs<TerminalLook>({
  load: (id, offset) => host.outputAround(id, offset),
  open: (request) =>
    new EarlierTerminal({
      ...request,
      look: appearance.read(),
      platform: host.platform,
      openLink: (url) => void controller.desktop.openLink(url),
      copy: (text) => void controller.desktop.copy(text),
    }),
  outputEnd: (id) => feed.store.getState().sessions.find((session) => session.id === id)?.outputBytes ?? 0,
  onProblem: (sentence) => controller.notices.notify(sentence),
});
const finder = new PaneFinder({
  panes: deck,
  newSearch: () => new EarlierSearch({ search: (id, request) => host.searchOutput(id, request) }),
  earlier,
  onProblem: (sentence) => controller.notices.notify(sentence),
});
deck.found.subscribe((found, before) =>
  finder.panesChanged([...found.keys()].filter((id) => found.get(id) !== before.get(id))),
);
const selectionOf = (id: SessionId): string => earlier.selection(id) || deck.selection(id);
settings.subscribe((snapshot) => {
  if (snapshot !== null) {
    appearance.setSettings(snapshot);
  }
});
const isReadAloud = createStore<boolean>(() => appearance.isScreenReaderMode);
appearance.onChange((look) => {
  isReadAloud.setState(appearance.isScreenReaderMode, true);
  deck.setLook(look);
  earlier.setLook(look);
  drawing.setChoice(look.renderer);
  drawing.clearAtlases();
  tellColours(look);
});
tellColours(appearance.read());
feed.store.subscribe(({ sessions }, before) => {
  const present = new Set(sessions.map(({ id }) => id));
  for (const { id } of before.sessions) {
    if (!present.has(id)) {
      progress.forget(id);
    }
  }
});

const visibility = new WindowVisibility(document, (isVisible) => {
  deck.setWindowVisible(isVisible);
  if (isVisible) {
    controller.windowShown();
  } else {
    controller.windowHidden();
  }
});
host.onShownChanged((isShown) => visibility.setShown(isShown));

const controller = new WindowController({
  host,
  feed,
  state,
  connection,
  questions,
  settings,
  timeline,
  recentActs,
  usage,
  survivors,
  earlier,
  finder,
  focus: createPageFocus(document, keyboard),
  estimateSize: (room, place) => estimatePaneSize(window, { room, look: appearance.read(), ...place }),
  isLargeEnough: (room) => isLargeEnough(window, room),
  goToInput: (id, direction) => deck.goToInput(id, direction),
  selectAll: (id) =>
    selectAllText(document, () => {
      if (id !== null && !earlier.selectAll(id)) {
        deck.selectAll(id);
      }
    }),
  selectText: (id) => void (earlier.selectText(id) || deck.selectText(id)),
  linksInView: (id) => earlier.links(id) ?? deck.links(id),
  selectedText: (id) => selectedText(document, id === null ? '' : selectionOf(id)),
  isWindowVisible: () => visibility.isVisible,
});

const model: WindowModel = {
  sessions: feed.store,
  state,
  connection,
  questions,
  settings,
  isReadAloud,
  problems: deck.problems,
  waiting: deck.waiting,
  progress: progress.store,
  timeline,
  recentActs,
  usage,
  survivors,
  keyboard,
  tabDrag: new TabDrag(window, (id, place) => controller.layout.moveTab(id, place)),
  controller,
  deck,
  earlier,
  finder,
  platform: host.platform,
};

installRegionKeys(window);
installCommandKeys(window, host.platform, (command) => controller.runCommand(command));
const menu = new MenuPossibilitiesFeed({
  page: window,
  isAvailable: (command) => isAvailable(command, feed.store.getState().sessions, state.getState()),
  tell: (possibilities) => host.tellMenu(possibilities),
});
state.subscribe(() => menu.changed());
feed.store.subscribe(() => menu.changed());
installSessionGestures({
  page: window,
  platform: host.platform,
  controller,
  session: (id) => feed.store.getState().sessions.find((session) => session.id === id),
  isFitted: (id) => state.getState().fitted.has(id),
  selection: selectionOf,
  popUpMenu: (items, place) => host.popUpMenu(items, place),
  insert: (id, text) => deck.paste(id, text),
  quotedPathOf: (file) => quotedPath(host.pathOfFile(file) ?? '', host.platform),
});
if (host.startedForTests) {
  exposeTestBridge(window, {
    text: (id) => deck.text(id),
    state: (id) => deck.state(id),
    selected: () => state.getState().selected,
  });
}

void start();

async function start(): Promise<void> {
  await Promise.all([controller.settings.load(), controller.arrangement.load()]);
  // A terminal measures its cells once, when it is opened: with the wrong font they would stay wrong.
  const { fontSize, fontFamily } = appearance.read();
  await Promise.allSettled(
    ['400', '700'].map((weight) => document.fonts.load(`${weight} ${fontSize}px ${fontFamily}`)),
  );
  const root = document.getElementById('root');
  if (root === null) {
    throw new Error('index.html has no element with the id root.');
  }
  createRoot(root).render(
    <WindowModelContext value={model}>
      <App />
    </WindowModelContext>,
  );
  controller.start();
}

/** Programs ask for them to choose colours that can be read on this background. */
function tellColours(look: TerminalLook): void {
  const colours = toldColours(look);
  if (colours !== null) {
    host.tellTerminalColours(colours).catch((error: unknown) => {
      controller.notices.notify(`Programs are told the colours of another theme. ${failureText(error)}`);
    });
  }
}
