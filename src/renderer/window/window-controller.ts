import type { StoreApi } from 'zustand/vanilla';
import type { ShownQuestion } from '../../shared/approval.ts';
import type { Disposable } from '../../shared/disposable.ts';
import type { WindowApi } from '../../shared/ipc.ts';
import type { SessionSurvivors } from '../../shared/session-facts.ts';
import { isLive, type SessionId, type SessionInfo, type TerminalSize } from '../../shared/session.ts';
import type { SettingsSnapshot } from '../../shared/settings.ts';
import type { SessionAct, TimelineEntry } from '../../shared/timeline.ts';
import type { WindowCommand } from '../../shared/window-commands.ts';
import { commandActs } from '../acts/command-acts.ts';
import { DesktopActs } from '../acts/desktop-acts.ts';
import { boxOf, LayoutActs } from '../acts/layout-acts.ts';
import { PanelActs } from '../acts/panel-acts.ts';
import { QuestionActs } from '../acts/question-acts.ts';
import { QuitActs } from '../acts/quit-acts.ts';
import { RightsPanels } from '../acts/rights-panels.ts';
import { SessionActs } from '../acts/session-acts.ts';
import { SessionClosing } from '../acts/session-closing.ts';
import { SettingsActs } from '../acts/settings-acts.ts';
import { loadConnection, type ConnectionState } from '../connection-state.ts';
import { EarlierActs, type EarlierActsOptions } from '../earlier/earlier-acts.ts';
import { failureText } from '../host-client.ts';
import type { Box } from '../layout/pane-boxes.ts';
import { activeGroupOf, groupsOf, neighbourTab, shownTabs, type TabPlace } from '../layout/pane-layout.ts';
import { nextNeedy } from '../needs-person.ts';
import { isUsageShown, type PolledFeed, type UsageById } from '../polled-feed.ts';
import { ProgramClipboard } from '../program-clipboard.ts';
import type { SessionFeed, SessionList } from '../session-store.ts';
import type { InputDirection } from '../terminal/terminal-inputs.ts';
import { commandText } from '../text/session-text.ts';
import { wantedRecentActs, wantedTimeline, type TimelineFeed } from '../timeline-feed.ts';
import { clipboardQuestionId } from './element-ids.ts';
import { NoticeBoard } from './notice-board.ts';
import { WindowArrangement } from './window-arrangement.ts';
import type { WindowFocus } from './window-focus.ts';
import { followList, markSeen, selectSession, type WindowState } from './window-state.ts';

export interface WindowControllerOptions {
  readonly host: WindowApi;
  readonly feed: SessionFeed;
  readonly state: StoreApi<WindowState>;
  readonly connection: StoreApi<ConnectionState>;
  readonly questions: StoreApi<readonly ShownQuestion[]>;
  readonly settings: StoreApi<SettingsSnapshot | null>;
  readonly timeline: TimelineFeed<SessionId, TimelineEntry>;
  readonly recentActs: TimelineFeed<'all', SessionAct>;
  readonly usage: PolledFeed<UsageById>;
  readonly survivors: PolledFeed<readonly SessionSurvivors[] | null>;
  readonly earlier: EarlierActsOptions['earlier'];
  readonly finder: EarlierActsOptions['finder'];
  readonly focus: WindowFocus;
  /** Cells of a terminal in a part of the panes' room; `isDivided`: beside others, beneath tabs of its own. */
  readonly estimateSize: (room: Box, place: { readonly isDivided: boolean }) => TerminalSize;
  /** Whether a pane in a part of the panes' room would be large enough to read something in. */
  readonly isLargeEnough: (room: Box) => boolean;
  /** Goes to the input before or after what is in view in the session's pane. */
  readonly goToInput: (id: SessionId, direction: InputDirection) => void;
  /** Selects the text field that has the keyboard, else all that the terminal of this session shows. */
  readonly selectAll: (id: SessionId | null) => void;
  /** Has keys select text in what the session's pane shows. */
  readonly selectText: (id: SessionId) => void;
  /** Addresses of the links in view in the session's pane, the lowest first. */
  readonly linksInView: (id: SessionId) => readonly string[];
  /** What is selected: in the terminal of this session, else in the rest of the window. */
  readonly selectedText: (id: SessionId | null) => string;
  readonly isWindowVisible: () => boolean;
}

/**
 * Everything that the person can do in the window, and how the window follows the host. The keyboard moves only by an
 * act of the person: what an agent opens, ends or closes never takes it, and what it typed into never becomes another
 * session's input.
 */
export class WindowController implements Disposable {
  readonly notices: NoticeBoard;
  readonly panels: PanelActs;
  readonly earlier: EarlierActs;
  readonly desktop: DesktopActs;
  readonly acts: SessionActs;
  readonly closing: SessionClosing;
  readonly answers: QuestionActs;
  readonly layout: LayoutActs;
  readonly arrangement: WindowArrangement;
  readonly settings: SettingsActs;
  readonly rights: RightsPanels;
  readonly quit: QuitActs;
  readonly clipboard: ProgramClipboard;
  readonly #options: WindowControllerOptions;
  readonly #commands = commandActs(this);
  readonly #subscriptions: (() => void)[] = [];

  constructor(options: WindowControllerOptions) {
    this.#options = options;
    const { host, state, focus, questions, survivors, isWindowVisible } = options;
    const session = (id: SessionId): SessionInfo | undefined => this.#session(id);
    const notify = (sentence: string): void => this.notices.notify(sentence);
    const survivorsChanged = (): void => survivors.lookNow();
    this.notices = new NoticeBoard(state);
    this.panels = new PanelActs({ state, focus });
    this.earlier = new EarlierActs({ ...options, panels: this.panels, notify });
    this.desktop = new DesktopActs({
      host,
      selectedText: () => options.selectedText(this.#state.selected),
      notify,
    });
    this.acts = new SessionActs({ host, state, session, notify, survivorsChanged });
    this.closing = new SessionClosing({
      host,
      state,
      focus,
      session,
      show: (id) => this.#select(id),
      notify,
      survivorsChanged,
    });
    this.layout = new LayoutActs({
      state,
      focus,
      openShell: (place, room) =>
        this.#open((size) => host.openShell(size, this.selected), 'A new shell could not be opened.', { place, room }),
      isWindowVisible,
      isLargeEnough: options.isLargeEnough,
      notify,
    });
    this.arrangement = new WindowArrangement({
      host,
      state,
      sessions: options.feed.store,
      show: (id) => this.select(id, 'to-pane'),
      onElsewhere: (before) => {
        // A session that is gone is elsewhere no longer: without this news it would come here.
        options.feed.takeAll();
        this.#followHere(this.#here(this.#sessions), this.#here(this.#sessions, before));
      },
      notify,
    });
    const withdraw = (sentence: string): void => this.notices.withdraw(sentence);
    this.settings = new SettingsActs({ host, settings: options.settings, notify, withdraw });
    this.rights = new RightsPanels({
      host,
      state,
      notify,
      panels: this.panels,
      toPane: () => this.panels.toSelectedPane(),
    });
    this.quit = new QuitActs({ host, state, notify });
    this.clipboard = new ProgramClipboard({
      rule: () => options.settings.getState()?.values.terminal.programClipboard ?? 'ask',
      isInView: (id) => isWindowVisible() && shownTabs(this.#state.layout).has(id),
      copy: (text) => this.desktop.copy(text),
      toPane: (id) => focus.toPane(id),
      notify,
    });
    this.answers = new QuestionActs({
      host,
      questions,
      focus,
      selected: () => this.#state.selected,
      session,
      programsQuestion: () => this.#programsQuestion,
      notify,
    });
  }

  /** Starts to follow the host. */
  start(): void {
    const { host, feed, state, connection, questions } = this.#options;
    this.#subscriptions.push(
      feed.store.subscribe((after, before) => this.#followList(after, before)),
      feed.store.subscribe(() => this.#followSelected()),
      feed.store.subscribe(({ sessions }) => this.clipboard.keepOnly((id) => sessions.some((one) => one.id === id))),
      this.#options.settings.subscribe(() => this.clipboard.ruleChanged()),
      state.subscribe(() => this.#followSelected()),
      host.onSessionEvent((event) => feed.receive(event)),
      host.onConnectionChanged((info) => connection.setState({ kind: 'known', connection: info }, true)),
      host.onQuestionsChanged((waiting) => questions.setState(waiting, true)),
      host.onCommand((command) => this.runCommand(command)),
      this.settings.follow(),
      this.quit.follow(),
    );
    void feed.refresh();
    void loadConnection(host, connection);
    void this.answers.load();
    void this.settings.load();
  }

  dispose(): void {
    for (const unsubscribe of this.#subscriptions.splice(0)) {
      unsubscribe();
    }
    this.arrangement.dispose();
    this.rights.dispose();
    this.clipboard.dispose();
    this.#options.usage.dispose();
    this.#options.survivors.dispose();
  }

  /** Opens a shell of the person's own, in the folder of the one in view; it is put in view and gets the keyboard. */
  async newShell(beside: SessionId | null = this.selected): Promise<void> {
    await this.#open((size) => this.#options.host.openShell(size, beside), 'A new shell could not be opened.');
  }

  /** Runs once more what an ended session ran, as the person's own; it is put in view and gets the keyboard. */
  async runAgain(id: SessionId): Promise<void> {
    const session = this.#session(id);
    if (session !== undefined && !isLive(session.state)) {
      await this.#open((size) => this.#options.host.runAgain(id, size), 'It could not be run again.');
    }
  }

  /** Puts a session in view by an act of the person, and the keyboard where she is working. */
  select(id: SessionId, keyboard: 'to-tab' | 'to-pane' | 'stays'): void {
    const isHere = this.#select(id);
    if (isHere && keyboard === 'to-tab') {
      this.#options.focus.toTab(id);
    }
    if (isHere && keyboard === 'to-pane') {
      this.#options.focus.toPane(id);
    }
  }

  /** Switches to the next (1) or previous (-1) tab; the keyboard stays in the strip or in the panes. */
  selectNeighbour(distance: 1 | -1): void {
    const { selected, layout } = this.#state;
    this.#goToTab(neighbourTab(activeGroupOf(layout), selected, distance));
  }

  /** Switches to the tab at a place among those of the pane in which the person works, from 0; -1 is the last. */
  selectTab(index: number): void {
    this.#goToTab(activeGroupOf(this.#state.layout).tabs.at(index) ?? null);
  }

  /** Switches to the tab that was in use before, and by the same way back. */
  selectUsedBefore(): void {
    this.#goToTab(this.#state.usedBefore);
  }

  /** Puts in view where the person is needed next; where that is nowhere else, she is in its pane. */
  goToNeedy(): void {
    const { unseen, selected } = this.#state;
    const id = nextNeedy(this.#sessions, unseen, selected) ?? selected;
    if (id !== null) {
      this.select(id, 'to-pane');
    }
  }

  /** All failures count as looked at; what waits for a person goes on waiting. */
  markAllSeen(): void {
    this.#options.state.setState({ unseen: new Set() });
  }

  /** Scrolls a session's pane to the line of the input before or after. */
  goToInput(id: SessionId, direction: InputDirection): void {
    // It lies over the pane.
    this.earlier.back(id);
    this.#options.goToInput(id, direction);
  }

  /** Selects the text field that has the keyboard, else all of the terminal in view. */
  selectAll(): void {
    this.#options.selectAll(this.selected);
  }

  /** Begins to select text by keys, in the session's pane. */
  selectText(id: SessionId): void {
    this.#options.focus.toPane(id);
    this.#options.selectText(id);
  }

  /** Lets the person pick one of the links in view in the session's pane. */
  listLinks(id: SessionId): void {
    this.panels.setLinks(this.#options.linksInView(id));
  }

  /** Puts what a session was started with on the clipboard. */
  copyCommand(id: SessionId): void {
    const session = this.#session(id);
    if (session !== undefined) {
      void this.desktop.copy(commandText(session));
    }
  }

  /** Puts the folder that a session is in on the clipboard. */
  copyFolder(id: SessionId): void {
    const session = this.#session(id);
    if (session !== undefined) {
      void this.desktop.copy(session.folder?.path ?? session.cwd);
    }
  }

  /** What a menu item or an app shortcut asks for. */
  runCommand(command: WindowCommand): void {
    this.#commands[command]();
  }

  /** The session in view; null only when there is none. */
  get selected(): SessionId | null {
    return this.#state.selected;
  }

  /** The window went out of view: nobody needs to know what sessions use. */
  windowHidden(): void {
    this.#followSelected();
  }

  /** The window came into view: what it shows counts as looked at. */
  windowShown(): void {
    this.#followSelected();
    this.#options.state.setState(markSeen(this.#state, true), true);
  }

  get #state(): WindowState {
    return this.#options.state.getState();
  }

  get #sessions(): SessionList['sessions'] {
    return this.#options.feed.store.getState().sessions;
  }

  #session(id: SessionId): SessionInfo | undefined {
    return this.#sessions.find((one) => one.id === id);
  }

  /** In the pane where the person works, else in another one in view. */
  get #programsQuestion(): string | null {
    const { selected, layout } = this.#state;
    const wishes = this.clipboard.wishes.getState();
    const id = [selected, ...shownTabs(layout)].find((shown) => shown !== null && wishes.has(shown)) ?? null;
    return id === null ? null : clipboardQuestionId(id);
  }

  /** What is told of sessions beside the list follows what is shown. */
  #followSelected(): void {
    const { timeline, recentActs, usage, survivors, isWindowVisible } = this.#options;
    timeline.follow(wantedTimeline(this.#sessions, this.#state));
    recentActs.follow(isWindowVisible() ? wantedRecentActs(this.#sessions, this.#state) : null);
    usage.setWanted(isWindowVisible() && isUsageShown(this.#sessions, this.#state));
    survivors.setWanted(isWindowVisible() && this.#state.isSurvivorsOpen);
  }

  async #open(
    start: (size: TerminalSize) => Promise<SessionInfo>,
    failure: string,
    at: { readonly place: TabPlace | null; readonly room: Box } = { place: null, room: this.#activeRoom },
  ): Promise<void> {
    try {
      const isDivided = at.place?.kind === 'beside' || groupsOf(this.#state.layout).length > 1;
      const stays = this.#options.focus.stay();
      const session = await start(this.#options.estimateSize(at.room, { isDivided }));
      // A host that was busy may answer late: what she types into by then is not taken from her.
      if (this.#select(session.id, at.place) && stays()) {
        this.#options.focus.toPane(session.id);
      }
    } catch (error) {
      this.notices.notify(`${failure} ${failureText(error)}`);
    }
  }

  #goToTab(id: SessionId | null): void {
    const { selected } = this.#state;
    if (id === null) {
      return;
    }
    const isInStrip = selected !== null && this.#options.focus.placeOf(selected) === 'tab';
    this.select(id, isInStrip ? 'to-tab' : 'to-pane');
  }

  get #activeRoom(): Box {
    const { layout } = this.#state;
    return boxOf(layout, activeGroupOf(layout).id);
  }

  /** Answers whether its tab is in this window; else the window that has it comes to the person. */
  #select(id: SessionId, place: TabPlace | null = null): boolean {
    // What the host told before it answered is known.
    this.#options.feed.takeAll();
    if (this.#state.elsewhere.has(id)) {
      void this.desktop.showElsewhere(id);
      return false;
    }
    const isListed = this.#sessions.some((session) => session.id === id);
    const isWindowVisible = this.#options.isWindowVisible();
    this.#options.state.setState(selectSession(this.#state, id, { isListed, isWindowVisible, place }), true);
    return true;
  }

  /** Those whose tabs are in this window. */
  #here(sessions: readonly SessionInfo[], elsewhere = this.#state.elsewhere): readonly SessionInfo[] {
    return elsewhere.size === 0 ? sessions : sessions.filter(({ id }) => !elsewhere.has(id));
  }

  #followList(after: SessionList, before: SessionList): void {
    if (after.loaded && !before.loaded) {
      this.arrangement.restore(after.sessions, this.#options.isWindowVisible());
    }
    this.#followHere(this.#here(after.sessions), this.#here(before.sessions));
    if (after.loaded && !before.loaded) {
      void this.#goOn();
    }
  }

  /** After a restart: what could not be brought back is told, and where a shell of hers ran there is one again. */
  async #goOn(): Promise<void> {
    try {
      const { opensShell, problem } = await this.#options.host.tabsAgain();
      if (problem !== null) {
        this.notices.notify(problem);
      }
      if (opensShell) {
        await this.newShell(null);
      }
    } catch (error) {
      this.notices.notify(`Whether all tabs of the last time are here is not known. ${failureText(error)}`);
    }
  }

  #followHere(after: readonly SessionInfo[], before: readonly SessionInfo[]): void {
    const old = this.#state;
    // Asked before anything is drawn anew, while the elements of a removed session still hold the focus.
    const placeOfSelected = old.selected === null ? 'elsewhere' : this.#options.focus.placeOf(old.selected);
    const isWindowVisible = this.#options.isWindowVisible();
    const next = followList(old, { before, after, isWindowVisible });
    this.#options.state.setState(next, true);

    if (old.asking !== null && next.asking === null) {
      this.closing.settle(old.asking);
      if (placeOfSelected === 'pane' && next.selected === old.asking) {
        this.#options.focus.toTab(old.asking);
      }
    }
    const isSelectedGone = old.selected !== null && !after.some(({ id }) => id === old.selected);
    if (!isSelectedGone || old.selected === null || next.selected === null) {
      return;
    }
    const closedFrom = this.closing.settle(old.selected);
    if (closedFrom === 'pane') {
      this.#options.focus.toPane(next.selected);
    }
    // Whoever was typing when her session vanished must not type into the next one: the keyboard waits in the strip.
    else if (closedFrom === 'tab' || placeOfSelected !== 'elsewhere') {
      this.#options.focus.toTab(next.selected);
    }
  }
}
