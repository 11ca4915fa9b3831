import { join } from 'node:path';
import { app, BrowserWindow, clipboard, MessageChannelMain, session, shell } from 'electron';
import { engineFiles } from '../engine/engine.ts';
import { parseListenUrl, type ListenAddress } from '../protocol/exec-server/exec-server-listener.ts';
import { EngineError } from '../shared/errors.ts';
import { ASK_SWITCH, PANE_PORT_CHANNEL, RETAINED_SWITCH, TEST_SWITCH } from '../shared/ipc-names.ts';
import type { WindowEvents } from '../shared/ipc.ts';
import type { TabsAgain } from '../shared/kept-window.ts';
import { PANE_REPLAY_BYTES } from '../shared/limits.ts';
import { lineLogger } from '../shared/logger.ts';
import type { SessionId } from '../shared/session.ts';
import { APP_ORIGIN, registerAppScheme, serveAppScheme } from './app-scheme.ts';
import { AppWindows } from './app-windows.ts';
import { applyAppearance, zoomNewWindows } from './appearance.ts';
import { contextMenuRequests } from './context-menu.ts';
import { startEngineHost, type EngineHost } from './engine-host.ts';
import { hasNoGpu } from './gpu-device.ts';
import { routeRequests, type Handlers } from './ipc-router.ts';
import { AppMenu } from './menu.ts';
import { PersonNotices } from './notices/person-notices.ts';
import { OutputFiles } from './output-files.ts';
import { PaneFeed } from './pane-feed.ts';
import { questionRequests, tellQuestions } from './question-requests.ts';
import { QuitGuard } from './quit-guard.ts';
import { rightsRequests } from './rights-requests.ts';
import { SessionList } from './session-list.ts';
import { sessionRequests } from './session-requests.ts';
import { hasScreenReader, settingsRequests } from './settings-requests.ts';
import { SettingsStore } from './settings-store.ts';
import { bringTabsBack } from './tabs-again.ts';
import { restrictPermissions } from './window.ts';

// Whoever reads the log may be gone (a closed terminal, a pipe's other end): that must not end the host.
process.stderr.on('error', () => {});
const log = lineLogger((line) => process.stderr.write(line));

/** Lets agents in without a token. Only for tests: the window of a person never listens without one. */
const NO_AUTH_SWITCH = '--no-auth';

/** How long the first client of MCP is waited for before what speaks it is loaded all the same, in milliseconds. */
const MCP_PATIENCE_MS = 3_000;

const startedForTests = !app.isPackaged && process.argv.includes(TEST_SWITCH);
const auth = !process.argv.includes(NO_AUTH_SWITCH);
const stateDir = process.env['SHELLSCOPE_STATE_DIR'];
if (stateDir !== undefined && stateDir !== '') {
  app.setPath('userData', join(stateDir, 'electron'));
}

// As root Chromium cannot sandbox and is told so by its switch; enabling it all the same ends every helper process.
if (!app.commandLine.hasSwitch('no-sandbox')) {
  app.enableSandbox();
}
if (hasNoGpu((name) => app.commandLine.hasSwitch(name))) {
  app.disableHardwareAcceleration();
}
registerAppScheme();

if (!auth && !startedForTests) {
  process.stderr.write(
    `shellscope: ${NO_AUTH_SWITCH} is refused: a window never lets agents in without a token. ` +
      'The tests start it with a switch of their own; without a window there is `shellscope serve --no-auth`\n',
  );
  app.exit(1);
} else if (app.requestSingleInstanceLock()) {
  startWhenReady();
} else {
  process.stderr.write('shellscope: already running; its window is shown instead\n');
  app.quit();
}

/** Bad arguments and whatever else keeps the window from opening end the app with a sentence and code 1. */
function startWhenReady(): void {
  const fail = (error: unknown) => {
    process.stderr.write(`shellscope: ${error instanceof Error ? error.message : String(error)}\n`);
    app.exit(1);
  };
  try {
    const listen = listenArgument();
    // Never awaited at the top level: Electron waits for this module before it says that it is ready.
    app
      .whenReady()
      .then(() => main(listen))
      .catch(fail);
  } catch (error) {
    fail(error);
  }
}

interface HostParts {
  readonly listen: ListenAddress | null;
  readonly windows: AppWindows;
  readonly settings: SettingsStore;
}

async function main(listen: ListenAddress | null): Promise<void> {
  serveAppScheme(join(import.meta.dirname, '..', 'renderer'));
  restrictPermissions();
  const windows = new AppWindows({
    preload: join(import.meta.dirname, '..', 'preload', 'index.cjs'),
    startedForTests,
    log,
    file: join(app.getPath('userData'), 'windows.json'),
  });
  const settings = followSettings(windows);
  // The engine starts while the page does, in another process.
  windows.open();
  const handlers = startHost({ listen, windows, settings });
  routeRequests({ handlers, trustedOrigin: APP_ORIGIN, log });
  await handlers;
}

/** Starts the engine with all that looks after its sessions. What is answered is how pages ask for it. */
async function startHost({ listen, windows, settings }: HostParts): Promise<Handlers> {
  const host = await startEngineHost({
    environment: process.env,
    listen,
    auth,
    ...(startedForTests ? retainedForTests(process.argv) : {}),
    log,
    onConnectionChanged: (connection) => windows.tell('connection/changed', connection),
    showWindow: async (session) => void windows.bring(session),
  });
  const notices = new PersonNotices({
    engine: host.engine,
    startedForTests,
    isOn: () => settings.values.notifications.system,
    bringWindow: (session) => bringWindow(windows, session),
  });
  app.on('will-quit', () => notices.dispose());
  tellQuestions(host.engine, (questions) => {
    notices.questionsChanged(questions);
    windows.tell('questions/changed', questions);
  });
  const outputs = new OutputFiles({
    engine: host.engine,
    folder: join(app.getPath('userData'), 'opened-output'),
    openFile: (file) => shell.openPath(file),
  });
  app.on('will-quit', () => outputs.dispose());
  const guard = new QuitGuard({
    host,
    windows,
    log,
    asks: !startedForTests || process.argv.includes(ASK_SWITCH),
  });
  const sessions = new SessionList(host.engine, (event) => windows.tellSession(event));
  const { engine, shellPath } = host;
  const tabsAgain = bringTabsBack({ engine, entries: windows.keptEntries, shellPath, log }).then(
    ({ sessions: again, ...told }) => {
      try {
        windows.openOthersAgain(again);
      } catch (error) {
        // Their tabs are in the first one then.
        log.error('the other windows of the last time cannot be opened', { why: String(error) });
      }
      return told;
    },
  );
  const menu = new AppMenu(() => windows.open());
  app.on('second-instance', () => windows.bring(null));
  app.on('activate', () => {
    if (windows.current === null) {
      windows.open();
    }
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') {
      app.quit();
    }
  });
  endChildrenBeforeQuit(host, guard);
  setTimeout(() => {
    host.loadMcp().catch((error: unknown) => log.error('MCP cannot be loaded', { why: String(error) }));
  }, MCP_PATIENCE_MS).unref();
  return { ...handlersOf(host, { sessions, settings, windows, guard, outputs, tabsAgain }), ...menu.requests() };
}

/** What a test has the engine retain; nothing where it does not say. */
function retainedForTests(argv: readonly string[]): { readonly retainedBytes?: number } {
  const asked = argv.find((argument) => argument.startsWith(RETAINED_SWITCH));
  return asked === undefined ? {} : { retainedBytes: Number(asked.slice(RETAINED_SWITCH.length)) };
}

/** The settings file from now on until the app ends, applied to all windows. */
function followSettings(windows: AppWindows): SettingsStore {
  const apply = () => applyAppearance(settings.values.appearance, BrowserWindow.getAllWindows());
  const tell = () => windows.tell('settings/changed', settings.snapshot(hasScreenReader()));
  const settings = new SettingsStore({
    file: engineFiles(process.env).safety.settingsFile,
    log,
    onChange: () => {
      apply();
      tell();
    },
  });
  apply();
  zoomNewWindows(() => settings.values.appearance.zoom);
  app.on('accessibility-support-changed', tell);
  app.on('browser-window-focus', () => settings.look());
  app.on('will-quit', () => settings.dispose());
  return settings;
}

/** With no session the keyboard comes to the first question of an agent. */
function bringWindow(windows: AppWindows, session: SessionId | null): void {
  const window = windows.bring(session);
  if (session === null) {
    window?.webContents.send('window/command' satisfies keyof WindowEvents, 'answer-question');
  }
}

/** Holds the end of the app until every child has ended. */
function endChildrenBeforeQuit(host: EngineHost, guard: QuitGuard): void {
  let ending = false;
  app.on('will-quit', (event) => {
    event.preventDefault();
    if (ending) {
      return;
    }
    ending = true;
    // What the window keeps of its layout is written some seconds late otherwise.
    session.defaultSession.flushStorageData();
    host
      .dispose()
      .catch((error: unknown) => log.error('not everything could be ended', { why: String(error) }))
      // Not quit: that is refused for as long as this event is being dealt with.
      .finally(() => app.exit(0));
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => guard.quitUnasked());
  }
}

/** The list is whole only with the tabs of the last time; what became of those is told to the first page that asks. */
function tabRequests(
  sessions: SessionList,
  tabsAgain: Promise<TabsAgain>,
): Pick<Handlers, 'sessions/list' | 'window/tabs-again'> {
  let left: Promise<TabsAgain> | null = tabsAgain;
  return {
    'sessions/list': async () => {
      await tabsAgain;
      return sessions.snapshot();
    },
    'window/tabs-again': async () => {
      const told = left;
      left = null;
      return (await told) ?? { opensShell: false, problem: null };
    },
  };
}

function handlersOf(
  host: EngineHost,
  {
    sessions,
    settings,
    windows,
    guard,
    tabsAgain,
    outputs,
  }: {
    readonly sessions: SessionList;
    readonly settings: SettingsStore;
    readonly windows: AppWindows;
    readonly guard: QuitGuard;
    readonly tabsAgain: Promise<TabsAgain>;
    readonly outputs: OutputFiles;
  },
): Omit<Handlers, 'menu/possible'> {
  const { engine } = host;
  const ofSessions = sessionRequests(host, sessions);
  return {
    ...ofSessions,
    'sessions/open-shell': async (sender, size, beside) =>
      windows.takeTab(sender, await ofSessions['sessions/open-shell'](sender, size, beside)),
    'sessions/run-again': async (sender, id, size) =>
      windows.takeTab(sender, await ofSessions['sessions/run-again'](sender, id, size)),
    'sessions/reopen-closed': async (sender) => {
      const reopened = await ofSessions['sessions/reopen-closed'](sender);
      reopened.sessions.forEach((session) => windows.takeTab(sender, session));
      return reopened;
    },
    ...tabRequests(sessions, tabsAgain),
    ...windows.requests(),
    ...guard.requests(),
    ...questionRequests(engine),
    ...contextMenuRequests,
    'output/open': async (_sender, id) => {
      await outputs.open(id);
      return null;
    },
    ...settingsRequests(settings),
    ...rightsRequests(engine),
    'sessions/attach': async (sender, id, nonce) => {
      const start = await engine.replayStart(id, PANE_REPLAY_BYTES);
      const attached = await engine.load(id);
      const { port1, port2 } = new MessageChannelMain();
      sender.postMessage(PANE_PORT_CHANNEL, { nonce }, [port1]);
      // Lives until the pane lets go of its end of the channel, or the page that holds it goes.
      new PaneFeed({ engine, session: attached, start, port: port2, log });
      return null;
    },
    'connection/describe': async () => host.describeConnection(),
    'appearance/terminal-colours': async (_sender, colours) => {
      engine.setTerminalColours(colours);
      return null;
    },
    'clipboard/write': async (_sender, text) => {
      // A promise from Electron 44 on.
      await clipboard.writeText(text);
      return null;
    },
    'links/open': async (_sender, url) => {
      if (!isWebLink(url)) {
        throw new EngineError('invalid-argument', 'only http and https links are opened');
      }
      await shell.openExternal(url);
      return null;
    },
  };
}

function isWebLink(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

/** `--listen URL` or `--listen=URL` of the app's own arguments; Chromium's parser would take it apart. */
function listenArgument(): ListenAddress | null {
  const at = process.argv.findIndex((argument) => argument === '--listen' || argument.startsWith('--listen='));
  if (at === -1) {
    return null;
  }
  const argument = process.argv[at] ?? '';
  return parseListenUrl(argument.includes('=') ? argument.slice('--listen='.length) : (process.argv[at + 1] ?? ''));
}
