import { app, screen, type BrowserWindow, type Rectangle, type WebContents } from 'electron';
import type { SessionListEvent, WindowEvents } from '../shared/ipc.ts';
import { keptTabsOf, NEW_PAGE, withoutTab, withTab, type KeptPage, type KeptTab } from '../shared/kept-window.ts';
import type { Logger } from '../shared/logger.ts';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import { TurnoverMap } from '../shared/turnover.ts';
import type { Handlers } from './ipc-router.ts';
import { KeptWindows, NOTHING_KEPT, type KeptEntry } from './kept-windows.ts';
import { WindowTabs, type WindowId } from './window-tabs.ts';
import { openWindow } from './window.ts';

/** A further window stands this far from the one that it was opened from, in pixels. */
const CASCADE_PX = 32;

export interface AppWindowsOptions {
  readonly preload: string;
  readonly startedForTests: boolean;
  readonly log: Logger;
  /** Where the arrangement is kept. */
  readonly file: string;
}

interface OpenWindow {
  readonly window: BrowserWindow;
  page: KeptPage | null;
  bounds: Rectangle;
  /** The session that its page is to show as soon as it asks. */
  show: SessionId | null;
  /** The page has begun to listen. */
  isListening: boolean;
  /** It was shown, and has been minimised or hidden since. */
  isAway: boolean;
}

/**
 * The windows of the app. Sessions are one list; each has its tab in one window, and new ones come where the person works.
 * Closing a window ends no session while there is another one: its tabs go there.
 */
export class AppWindows {
  readonly #options: AppWindowsOptions;
  readonly #tabs = new WindowTabs();
  readonly #kept: KeptWindows;
  /** By which sessions are known to the file. */
  readonly #epochs = new TurnoverMap<SessionId, string>();
  /** Tabs that no page has told of yet: what is opened is in the file before it is drawn. */
  readonly #opened = new TurnoverMap<SessionId, KeptTab>();
  /** By the id of the page, the one that was used last at the end. At the end of the app with those that have closed. */
  readonly #open = new Map<WindowId, OpenWindow>();
  /** How the windows were arranged when the app ended, the one that was used last first. */
  readonly keptEntries: readonly KeptEntry[];
  readonly #keptEpochs: ReadonlySet<string | undefined>;
  /** Of the last window, when it is closed: the next one is like it. */
  #lastEntry: KeptEntry;
  /** Until then what is known of the other windows of the last time stays in the file. */
  #areOthersOpen = false;
  #isQuitting = false;
  #isLastHeld: () => boolean = () => false;

  constructor(options: AppWindowsOptions) {
    this.#options = options;
    const { file, log } = options;
    this.#kept = new KeptWindows({ file, log, entries: () => this.#entries() });
    this.keptEntries = this.#kept.read();
    const keptTabs = this.keptEntries.flatMap(({ page }) => (page === null ? [] : keptTabsOf(page.root)));
    this.#keptEpochs = new Set(keptTabs.map(({ epoch }) => epoch));
    this.#lastEntry = this.keptEntries[0] ?? NOTHING_KEPT;
    app.on('before-quit', ({ defaultPrevented }) => {
      this.#isQuitting = !defaultPrevented;
    });
    app.on('will-quit', () => this.#kept.flush());
  }

  /** The window in which the person works, or did last; null when there is none, as at the end of the app. */
  get current(): BrowserWindow | null {
    return this.#openWindows().at(-1)?.window ?? null;
  }

  /** Opens a window: the first as the last one was left, others beside the one in use. */
  open(): BrowserWindow {
    const beside = this.current;
    const entry = beside === null ? this.#lastEntry : NOTHING_KEPT;
    const { preload, startedForTests, log } = this.#options;
    const bounds = beside === null ? visibleBounds(entry.bounds) : cascaded(beside.getNormalBounds());
    const window = openWindow({ preload, startedForTests, log, bounds, isMaximized: entry.isMaximized });
    this.#follow(window, entry.page);
    return window;
  }

  /** Opens the other windows of the last time again that had tabs of these sessions, behind the one that is open. */
  openOthersAgain(sessions: readonly SessionInfo[]): void {
    this.#areOthersOpen = true;
    const front = [...this.#open].at(-1);
    const ids = new Map(sessions.map(({ epoch, id }) => [epoch, id]));
    const { preload, startedForTests, log } = this.#options;
    for (const { page, bounds, isMaximized } of this.keptEntries.slice(1).reverse()) {
      const own = page === null ? [] : keptTabsOf(page.root).flatMap(({ epoch }) => ids.get(epoch ?? '') ?? []);
      if (own.length === 0 || front === undefined) {
        continue;
      }
      const window = openWindow({
        preload,
        startedForTests,
        log,
        bounds: visibleBounds(bounds),
        isMaximized,
        isBehind: true,
      });
      this.#follow(window, page);
      own.forEach((id) => this.#tabs.move(id, window.webContents.id));
    }
    if (front !== undefined) {
      this.#open.delete(front[0]);
      this.#open.set(...front);
    }
    this.#tellElsewhere();
  }

  /**
   * Brings a window to the person: the one with the session's tab, else the one that was used last, else a new one.
   * Answers null when the app is ending and its windows have closed.
   */
  bring(session: SessionId | null): BrowserWindow | null {
    const owner = session === null ? undefined : this.#open.get(this.#tabs.windowOf(session) ?? -1);
    const found = owner?.window.isDestroyed() === false ? owner.window : this.current;
    if (found === null && this.#isQuitting) {
      return null;
    }
    const window = found ?? this.open();
    if (window.isMinimized()) {
      window.restore();
    }
    window.show();
    window.focus();
    if (session !== null) {
      this.#show(window, session);
    }
    return window;
  }

  /** Asked when the last window is about to close; true leaves it open. */
  holdLast(isHeld: () => boolean): void {
    this.#isLastHeld = isHeld;
  }

  /** Sends to every page. */
  tell<C extends keyof WindowEvents>(channel: C, event: WindowEvents[C]): void {
    for (const { window } of this.#open.values()) {
      send(window, channel, event);
    }
  }

  /** Sends a change of the list, after the news of whose the tab is. */
  tellSession(event: SessionListEvent): void {
    if (event.type === 'removed') {
      this.#tabs.gone(event.id);
      this.#forget(event.id);
    } else {
      const { session } = event;
      this.#epochs.set(session.id, session.epoch);
      if (session.state === 'failed' && this.#opened.delete(session.id)) {
        // Nothing of it is kept, and its tab is not to be looked for.
        this.#kept.closed();
      }
      if (this.#tabs.seen(session.id, this.current?.webContents.id ?? null)) {
        this.#noteOpened(session);
        if (this.#open.size > 1) {
          this.#tellElsewhere();
        }
      }
    }
    this.tell('sessions/event', event);
  }

  /** What a page asked for has its tab in that window, whichever one was used last. */
  takeTab(sender: WebContents, session: SessionInfo): SessionInfo {
    if (this.#open.has(sender.id) && this.#tabs.windowOf(session.id) !== sender.id) {
      this.#tabs.move(session.id, sender.id);
      this.#tellElsewhere();
    }
    return session;
  }

  /** What pages ask about their windows. */
  requests(): Pick<
    Handlers,
    'window/kept' | 'window/keep' | 'window/open' | 'window/move-tab' | 'window/show-elsewhere'
  > {
    return {
      'window/kept': async (sender) => {
        const entry = this.#open.get(sender.id);
        const show = entry?.show ?? null;
        if (entry !== undefined) {
          entry.show = null;
          entry.isListening = true;
          if (entry.isAway) {
            send(entry.window, 'window/shown', false);
          }
        }
        return { page: entry?.page ?? null, elsewhere: this.#tabs.elsewhere(sender.id), show };
      },
      'window/keep': async (sender, page) => {
        const entry = this.#open.get(sender.id);
        if (entry !== undefined) {
          entry.page = page;
          if (this.#opened.size > 0) {
            this.#forgetTold(page);
          }
          this.#kept.changed();
        }
        return null;
      },
      'window/open': async () => {
        this.open();
        return null;
      },
      'window/move-tab': async (_sender, id) => {
        const window = this.open();
        this.#tabs.move(id, window.webContents.id);
        this.#tellElsewhere();
        this.#show(window, id);
        return null;
      },
      'window/show-elsewhere': async (_sender, id) => {
        this.bring(id);
        return null;
      },
    };
  }

  #openWindows(): readonly OpenWindow[] {
    return [...this.#open.values()].filter(({ window }) => !window.isDestroyed());
  }

  #follow(window: BrowserWindow, page: KeptPage | null): void {
    const { id } = window.webContents;
    const entry: OpenWindow = {
      window,
      page,
      bounds: window.getNormalBounds(),
      show: null,
      isListening: false,
      isAway: false,
    };
    this.#open.set(id, entry);
    this.#tabs.opened(id);
    window.webContents.on('did-start-loading', () => {
      entry.isListening = false;
    });
    window.on('focus', () => {
      if (this.#isQuitting) {
        // The windows in front of it have closed.
        return;
      }
      this.#open.delete(id);
      this.#open.set(id, entry);
    });
    const shown = (isShown: boolean): void => {
      entry.isAway = !isShown;
      send(window, 'window/shown', isShown);
    };
    window.on('minimize', () => shown(false));
    window.on('hide', () => shown(false));
    window.on('restore', () => shown(window.isVisible()));
    window.on('show', () => shown(!window.isMinimized()));
    const moved = (): void => {
      entry.bounds = window.getNormalBounds();
      this.#kept.changed();
    };
    window.on('resize', moved);
    window.on('move', moved);
    window.on('close', (event) => {
      if (!this.#isQuitting && this.#open.size === 1 && this.#isLastHeld()) {
        event.preventDefault();
      }
    });
    window.on('closed', () => this.#closed(id, entry));
  }

  #closed(id: WindowId, entry: OpenWindow): void {
    if (this.#isQuitting) {
      return;
    }
    this.#open.delete(id);
    const heir = this.current;
    this.#tabs.closed(id, heir?.webContents.id ?? null);
    if (heir === null) {
      this.#lastEntry = { bounds: entry.bounds, isMaximized: false, page: entry.page };
    }
    this.#tellElsewhere();
    this.#kept.changed();
  }

  #show(window: BrowserWindow, session: SessionId): void {
    const entry = this.#open.get(window.webContents.id);
    if (entry === undefined) {
      return;
    }
    if (entry.isListening) {
      send(window, 'window/show-session', session);
    } else {
      entry.show = session;
    }
  }

  #tellElsewhere(): void {
    for (const [id, { window }] of this.#open) {
      send(window, 'window/elsewhere', this.#tabs.elsewhere(id));
    }
  }

  /**
   * What is closed is closed, also when the app is killed now: the file has it no more before a page has drawn that.
   * At the end of the app sessions go and their tabs stay.
   */
  #forget(id: SessionId): void {
    const epoch = this.#epochs.get(id);
    this.#epochs.delete(id);
    this.#opened.delete(id);
    if (epoch === undefined || this.#isQuitting) {
      return;
    }
    const without = (page: KeptPage | null): KeptPage | null => (page === null ? null : withoutTab(page, epoch));
    for (const entry of this.#open.values()) {
      entry.page = without(entry.page);
    }
    this.#lastEntry = { ...this.#lastEntry, page: without(this.#lastEntry.page) };
    this.#kept.closed();
  }

  /** The page tells of it when it has drawn it. */
  #noteOpened({ id, epoch, startedAtMs, state }: SessionInfo): void {
    if (state !== 'failed' && !this.#keptEpochs.has(epoch)) {
      this.#opened.set(id, { id, startedAtMs, epoch });
      this.#kept.opened();
    }
  }

  #forgetTold({ root }: KeptPage): void {
    const told = new Set(keptTabsOf(root).map(({ epoch }) => epoch));
    for (const [id, { epoch }] of this.#opened) {
      if (told.has(epoch)) {
        this.#opened.delete(id);
      }
    }
  }

  /** The page as it is about to be. */
  #pageWithOpened(id: WindowId, page: KeptPage | null): KeptPage | null {
    const own = [...this.#opened].filter(([session]) => this.#tabs.windowOf(session) === id);
    return own.length === 0 ? page : own.reduce((before, [, tab]) => withTab(before, tab), page ?? NEW_PAGE);
  }

  #entries(): readonly KeptEntry[] {
    const open = [...this.#open].reverse();
    const entries = open.map(([id, { window, bounds, page }]): KeptEntry => {
      const isMaximized = !window.isDestroyed() && window.isMaximized();
      return { bounds, isMaximized, page: this.#pageWithOpened(id, page) };
    });
    const others = this.#areOthersOpen ? [] : this.keptEntries.slice(1);
    return [...(entries.length === 0 ? [this.#lastEntry] : entries), ...others];
  }
}

function send<C extends keyof WindowEvents>(window: BrowserWindow, channel: C, event: WindowEvents[C]): void {
  if (!window.isDestroyed()) {
    window.webContents.send(channel, event);
  }
}

/** Null for what would lie outside of every screen: the system then chooses the place. */
function visibleBounds(bounds: KeptEntry['bounds']): Rectangle | null {
  if (bounds === null) {
    return null;
  }
  const isOn = ({ workArea }: { readonly workArea: Rectangle }): boolean =>
    bounds.x < workArea.x + workArea.width - CASCADE_PX &&
    bounds.x + bounds.width > workArea.x + CASCADE_PX &&
    bounds.y < workArea.y + workArea.height - CASCADE_PX &&
    bounds.y >= workArea.y - CASCADE_PX;
  return screen.getAllDisplays().some(isOn) ? bounds : null;
}

function cascaded(bounds: Rectangle): Rectangle {
  return { ...bounds, x: bounds.x + CASCADE_PX, y: bounds.y + CASCADE_PX };
}
