/**
 * The contract between the window and the main process. What the window sends is parsed where it arrives, by validators
 * that its types are made from.
 *
 * Three roads cross the boundary:
 * - requests: the window asks, main answers (`requestSchemas`, `WindowApi`)
 * - events: main tells, in order, each with the revision of the list after it (`SessionListEvent`)
 * - ports: one MessagePort per pane carries bytes both ways (`PaneToHost`, `HostToPane`), beside React and beside JSON
 */
import { z } from 'zod';
import { questionAnswerSchema, type QuestionAnswer, type ShownQuestion } from './approval.ts';
import { keptPageSchema, type KeptPage, type KeptWindow, type TabsAgain } from './kept-window.ts';
import type { McpCommand } from './mcp-configuration.ts';
import {
  menuItemsSchema,
  menuPlaceSchema,
  menuPossibilitiesSchema,
  type MenuItems,
  type MenuPlace,
  type MenuPossibilities,
} from './menu-items.ts';
import { MAX_FIND_LENGTH, type FindQuery, type OutputSearchStep, type OutputStretch } from './output-search.ts';
import type { ClosedSessions, ReachedPort, ReopenedTabs, SessionSurvivors, SessionUsage } from './session-facts.ts';
import type { ShownEnvironment, ShownGrant } from './session-rights.ts';
import type { SessionId, SessionInfo, TerminalSize } from './session.ts';
import type { SettingsSnapshot, SettingValue } from './settings.ts';
import type { TerminalColours } from './terminal-colours.ts';
import type { SessionAct, TimelineEntry } from './timeline.ts';
import type { WindowCommand } from './window-commands.ts';

/** A terminal's cells. 0 is refused: a pane without a box must not resize a child. */
const sizeSchema = z.object({
  cols: z.number().int().min(1).max(2_000),
  rows: z.number().int().min(1).max(2_000),
});

const sessionIdSchema = z
  .string()
  .min(1)
  .max(200)
  .transform((id) => id as SessionId);

/** Section and key. */
const settingPathSchema = z
  .string()
  .max(100)
  .regex(/^[a-zA-Z]+\.[a-zA-Z]+$/);

const offsetSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const findQuerySchema = z.object({
  text: z.string().min(1).max(MAX_FIND_LENGTH),
  matchCase: z.boolean(),
  wholeWord: z.boolean(),
});

const colourSchema = z.string().regex(/^#[0-9a-f]{6}$/i);

/** Arguments of each request. The key is the channel's name. */
export const requestSchemas = {
  'sessions/list': z.tuple([]),
  'sessions/open-shell': z.tuple([sizeSchema, sessionIdSchema.nullable()]),
  'sessions/terminate': z.tuple([sessionIdSchema]),
  'sessions/close': z.tuple([sessionIdSchema]),
  'sessions/answer-attention': z.tuple([sessionIdSchema, z.string().min(1).max(100), z.enum(['done', 'declined'])]),
  'sessions/hand-back-keyboard': z.tuple([sessionIdSchema]),
  'sessions/timeline': z.tuple([sessionIdSchema]),
  'sessions/recent-acts': z.tuple([]),
  'sessions/run-again': z.tuple([sessionIdSchema, sizeSchema]),
  'sessions/close-ended': z.tuple([]),
  'sessions/reopen-closed': z.tuple([]),
  'sessions/usage': z.tuple([]),
  'sessions/listening': z.tuple([sessionIdSchema]),
  'sessions/survivors': z.tuple([]),
  'sessions/adopt': z.tuple([sessionIdSchema, z.number().int().min(1)]),
  'sessions/stop-survivor': z.tuple([sessionIdSchema, z.number().int().min(1)]),
  'sessions/attach': z.tuple([sessionIdSchema, z.string().min(8).max(100)]),
  'sessions/rename': z.tuple([sessionIdSchema, z.string().max(200).nullable()]),
  'sessions/search': z.tuple([
    sessionIdSchema,
    z.object({ query: findQuerySchema, before: offsetSchema.nullable(), from: offsetSchema }),
  ]),
  'sessions/stretch': z.tuple([sessionIdSchema, offsetSchema]),
  'output/open': z.tuple([sessionIdSchema]),
  'menu/pop-up': z.tuple([menuItemsSchema, menuPlaceSchema.nullable()]),
  'menu/possible': z.tuple([menuPossibilitiesSchema]),
  'questions/list': z.tuple([]),
  'questions/answer': z.tuple([z.string().min(1).max(100), questionAnswerSchema]),
  'grants/list': z.tuple([]),
  'grants/revoke': z.tuple([z.string().min(1).max(100)]),
  'environment/of-session': z.tuple([sessionIdSchema]),
  'connection/describe': z.tuple([]),
  'appearance/terminal-colours': z.tuple([
    z.object({
      foreground: colourSchema,
      background: colourSchema,
      cursor: colourSchema,
      ansi: z.array(colourSchema).length(16).readonly(),
    }),
  ]),
  'settings/read': z.tuple([]),
  'settings/change': z.tuple([settingPathSchema, z.union([z.string().max(1_000), z.number(), z.boolean()])]),
  'settings/reset': z.tuple([settingPathSchema.nullable()]),
  'settings/open-file': z.tuple([]),
  'bell/ring': z.tuple([]),
  'window/kept': z.tuple([]),
  'window/keep': z.tuple([keptPageSchema]),
  'window/tabs-again': z.tuple([]),
  'window/open': z.tuple([]),
  'window/move-tab': z.tuple([sessionIdSchema]),
  'window/show-elsewhere': z.tuple([sessionIdSchema]),
  'quit/read': z.tuple([]),
  'quit/shown': z.tuple([]),
  'quit/answer': z.tuple([z.enum(['end', 'keep'])]),
  'clipboard/write': z.tuple([z.string().max(10_000_000)]),
  'links/open': z.tuple([z.string().max(8_000)]),
} as const;

export type RequestChannel = keyof typeof requestSchemas;

/** All sessions at one moment. Events with a revision up to this one are already in it. */
export interface SessionListSnapshot {
  readonly revision: number;
  readonly sessions: readonly SessionInfo[];
}

/** How an agent reaches this host. */
export interface ConnectionInfo {
  /** e.g. `ws://127.0.0.1:47811`; null when the server could not listen, see `problem`. */
  readonly execServerUrl: string | null;
  /** The file that holds the bearer token (mode 0600). */
  readonly tokenFile: string;
  readonly token: string;
  /** The clients connected by the exec-server protocol by their names, one for each connection; null for one that has none yet. */
  readonly clients: readonly (string | null)[];
  /** What an agent starts to speak MCP with this host. */
  readonly mcp: McpCommand;
  /** What the clients connected by MCP call themselves, one for each connection, the first to come first. */
  readonly mcpClients: readonly string[];
  /** A sentence for a person when something is wrong; else null. */
  readonly problem: string | null;
}

/** Asked before the app ends, since that ends all that runs. */
export interface QuitQuestion {
  /** Shells of the person's own at their prompt, of which nothing is lost. */
  readonly idle: readonly SessionId[];
}

/** What each request answers. */
export interface RequestResults {
  'sessions/list': SessionListSnapshot;
  'sessions/open-shell': SessionInfo;
  'sessions/terminate': { readonly running: boolean };
  'sessions/close': null;
  /** False when the agent no longer waits for it. */
  'sessions/answer-attention': { readonly answered: boolean };
  'sessions/hand-back-keyboard': null;
  'sessions/timeline': readonly TimelineEntry[];
  'sessions/recent-acts': readonly SessionAct[];
  'sessions/run-again': SessionInfo;
  'sessions/close-ended': ClosedSessions;
  'sessions/reopen-closed': ReopenedTabs;
  'sessions/usage': readonly SessionUsage[];
  'sessions/listening': readonly ReachedPort[] | null;
  'sessions/survivors': readonly SessionSurvivors[];
  'sessions/adopt': { readonly adopted: boolean };
  'sessions/stop-survivor': { readonly stopped: boolean };
  'sessions/attach': null;
  'sessions/rename': null;
  'sessions/search': OutputSearchStep;
  'sessions/stretch': OutputStretch;
  'output/open': null;
  /** What was chosen; null when nothing was. */
  'menu/pop-up': string | null;
  'menu/possible': null;
  /** What waits for a person, the oldest first. */
  'questions/list': readonly ShownQuestion[];
  /** False when it is settled already. */
  'questions/answer': { readonly answered: boolean };
  /** What was allowed for longer than once, the oldest first. */
  'grants/list': readonly ShownGrant[];
  /** False when there was none by that id any more. */
  'grants/revoke': { readonly revoked: boolean };
  /** Null for a session whose child never ran. */
  'environment/of-session': ShownEnvironment | null;
  'connection/describe': ConnectionInfo;
  'appearance/terminal-colours': null;
  'settings/read': SettingsSnapshot;
  'settings/change': null;
  'settings/reset': null;
  'settings/open-file': null;
  'bell/ring': null;
  'window/kept': KeptWindow;
  'window/keep': null;
  'window/tabs-again': TabsAgain;
  'window/open': null;
  'window/move-tab': null;
  'window/show-elsewhere': null;
  /** What this window is to ask; null when nothing, or another window asks. */
  'quit/read': QuitQuestion | null;
  'quit/shown': null;
  'quit/answer': null;
  'clipboard/write': null;
  'links/open': null;
}

export type RequestArguments<C extends RequestChannel> = z.output<(typeof requestSchemas)[C]>;

/** A request's answer on the wire: an error crosses as data, since Electron keeps only a thrown error's message. */
export type RequestReply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** A change of the list. Revisions rise by one; whoever sees a jump asks for a new snapshot. */
export type SessionListEvent =
  | { readonly revision: number; readonly type: 'changed'; readonly session: SessionInfo }
  | { readonly revision: number; readonly type: 'removed'; readonly id: SessionId };

/** Events main sends to the window. The key is the channel's name. */
export interface WindowEvents {
  'sessions/event': SessionListEvent;
  'connection/changed': ConnectionInfo;
  /** All that waits now. */
  'questions/changed': readonly ShownQuestion[];
  /** In the form or in the file. */
  'settings/changed': SettingsSnapshot;
  /** A menu item or app shortcut was chosen. */
  'window/command': WindowCommand;
  /** The person asked for this session from outside of the window: `shellscope open ID`. */
  'window/show-session': SessionId;
  /** All sessions whose tabs are in other windows now. */
  'window/elsewhere': readonly SessionId[];
  /** Whether the window is on the screen: false from when it is minimised or hidden. */
  'window/shown': boolean;
  /** Null: it is not asked in this window any more. */
  'quit/question': QuitQuestion | null;
}

/**
 * From the host to a pane, in this order: what is retained as `replay`, then `live` once, then output as it comes.
 * A `size` says the size that the bytes after it were made for. `skipped` says bytes that the pane is not given, since
 * it is too far behind, and the sequences that choose the terminal's modes and its rendition as those bytes left them.
 * With `from` they begin at that offset, and the pane has been given some of them: those that it has not parsed it drops.
 * `ended` comes when no more output will follow.
 */
export type HostToPane =
  | { readonly type: 'size'; readonly size: TerminalSize }
  /** Brings a fresh terminal to where all output before what follows would have led it. */
  | { readonly type: 'restored'; readonly bytes: Uint8Array }
  | {
      readonly type: 'output';
      readonly endOffset: number;
      readonly bytes: Uint8Array;
      readonly replay: boolean;
      /** Spans of input that came between these bytes, or before the first. */
      readonly inputs?: readonly TimelineEntry[];
    }
  | {
      readonly type: 'skipped';
      readonly bytes: number;
      readonly from?: number;
      readonly modes: string;
      readonly rendition: string;
    }
  /** After an interrupt, all that is skipped and follows at once: between two messages the page may draw a frame. Empty: nothing. */
  | { readonly type: 'together'; readonly messages: readonly HostToPane[] }
  /** Spans of input after which nothing was printed yet; and those that have grown (the same number again). */
  | { readonly type: 'inputs'; readonly entries: readonly TimelineEntry[] }
  | { readonly type: 'live' }
  /** The program rang, while the pane was held. Twice a second at most. */
  | { readonly type: 'bell' }
  /** A held pane cannot go on from where it was: too much was printed, or is gone. The port closes. */
  | { readonly type: 'stale' }
  | { readonly type: 'ended' };

/**
 * From a pane to the host. `ack`: everything up to this offset was parsed (cumulative, so that a lost one heals). `hold`: it
 * is out of view and wants nothing, or bells alone; said again, it changes that. `resume`: it is in view and goes on.
 */
export const paneToHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ack'), endOffset: z.number().int().min(0) }),
  z.object({ type: z.literal('input'), bytes: z.instanceof(Uint8Array) }),
  z.object({ type: z.literal('resize'), size: sizeSchema }),
  z.object({ type: z.literal('hold'), bells: z.boolean() }),
  z.object({ type: z.literal('resume') }),
]);
export type PaneToHost = z.output<typeof paneToHostSchema>;

/** Where in a session's output what is looked for. */
export interface SearchRequest {
  readonly query: FindQuery;
  readonly before: number | null;
  readonly from: number;
}

/** What the preload puts on `window.shellscope`: one function per channel, no generic send. */
export interface WindowApi {
  listSessions(): Promise<SessionListSnapshot>;
  /** A shell of the person's own, in the folder in which another session's shell is; of null in her home. */
  openShell(size: TerminalSize, beside: SessionId | null): Promise<SessionInfo>;
  terminateSession(id: SessionId): Promise<{ readonly running: boolean }>;
  closeSession(id: SessionId): Promise<null>;
  /** The person’s answer to what an agent wanted one for. */
  answerAttention(
    id: SessionId,
    attention: string,
    state: 'done' | 'declined',
  ): Promise<{ readonly answered: boolean }>;
  /** The person gives the keyboard of an agent's session back. */
  handBackKeyboard(id: SessionId): Promise<null>;
  /** What was done to a session, by whom, in order. */
  sessionTimeline(id: SessionId): Promise<readonly TimelineEntry[]>;
  /** What was done to any session in this run of the host, in order: the newest `MAX_RECENT_ACTS`. */
  recentActs(): Promise<readonly SessionAct[]>;
  /** Runs what a session ran, in its folder, as the person's own. */
  runAgain(id: SessionId, size: TerminalSize): Promise<SessionInfo>;
  /** Closes what has ended and left nothing running. */
  closeEndedSessions(): Promise<ClosedSessions>;
  /** Takes what the person closed last into the list again, as it ended. */
  reopenClosed(): Promise<ReopenedTabs>;
  /** What the running sessions use at this moment; without those that the system does not tell of. */
  sessionUsage(): Promise<readonly SessionUsage[]>;
  /** Where the processes of a running session listen; null after its end, and where the system does not tell. */
  sessionListening(id: SessionId): Promise<readonly ReachedPort[] | null>;
  /** What outlived ended sessions; `terminateSession` ends it. */
  listSurvivors(): Promise<readonly SessionSurvivors[]>;
  /** Lets a survivor live on. */
  adoptSurvivor(id: SessionId, pid: number): Promise<{ readonly adopted: boolean }>;
  /** Ends a survivor, and what it starts; the session's others run on. False for none of that session. */
  stopSurvivor(id: SessionId, pid: number): Promise<{ readonly stopped: boolean }>;
  /**
   * Asks for the session's byte port. It arrives as a `message` event of the window:
   * `{type: PANE_PORT_MESSAGE, nonce}` with the port transferred.
   */
  attachSession(id: SessionId, nonce: string): Promise<null>;
  /** Names a session; null takes its name away. */
  renameSession(id: SessionId, title: string | null): Promise<null>;
  /**
   * Looks for a text in a part of what is kept of a session's output, from its end back: what was printed from one offset
   * on and before another, null for the end of all. `nextBefore` of the answer goes on.
   */
  searchOutput(id: SessionId, search: SearchRequest): Promise<OutputSearchStep>;
  /** What is kept of a session's output around an offset. */
  outputAround(id: SessionId, offset: number): Promise<OutputStretch>;
  /** Opens all of a session's output that is kept, as text, in the program that the person has for that. */
  openOutput(id: SessionId): Promise<null>;
  /** Has the desktop show a menu, at the pointer where no place is given. */
  popUpMenu(items: MenuItems, place: MenuPlace | null): Promise<string | null>;
  /** What of the application menu cannot be done in this window from now on. */
  tellMenu(possibilities: MenuPossibilities): Promise<null>;
  /** Where a DOM `File` that was dropped lies on this machine; null for what is none of its files. */
  pathOfFile(file: object): string | null;
  listQuestions(): Promise<readonly ShownQuestion[]>;
  answerQuestion(id: string, answer: QuestionAnswer): Promise<{ readonly answered: boolean }>;
  /** What agents may do unasked, since the person allowed it. */
  listGrants(): Promise<readonly ShownGrant[]>;
  /** Takes that back; what it let start runs on. */
  revokeGrant(id: string): Promise<{ readonly revoked: boolean }>;
  /** Where the variables of a session's child came from; names only. */
  sessionEnvironment(id: SessionId): Promise<ShownEnvironment | null>;
  describeConnection(): Promise<ConnectionInfo>;
  /** What programs are told that ask for the terminal's colours. */
  tellTerminalColours(colours: TerminalColours): Promise<null>;
  readSettings(): Promise<SettingsSnapshot>;
  /** Changes one setting, e.g. `terminal.fontSize`. Rejects with why it may not have that value. */
  changeSetting(path: string, value: SettingValue): Promise<null>;
  /** Gives a setting its default; of null all that the form has, but for what keeps agents from something. */
  resetSetting(path: string | null): Promise<null>;
  /** Opens the file in the program that the person has for it. */
  openSettingsFile(): Promise<null>;
  /** The desktop's own sound. */
  ringBell(): Promise<null>;
  /** How this window was arranged before its page was loaded. */
  keptWindow(): Promise<KeptWindow>;
  /** Keeps how it is arranged now, over a reload and a restart. */
  keepWindow(page: KeptPage): Promise<null>;
  /** What became of the tabs that were open when the app ended; of that nothing is told twice. */
  tabsAgain(): Promise<TabsAgain>;
  newWindow(): Promise<null>;
  /** Opens a window with this session's tab. */
  moveTabToNewWindow(id: SessionId): Promise<null>;
  /** Brings the window that has this session's tab to the person. */
  showElsewhere(id: SessionId): Promise<null>;
  /** What the person is to be asked before the app ends; null when nothing. */
  quitQuestion(): Promise<QuitQuestion | null>;
  /** The question can be seen: the app waits for its answer. */
  quitQuestionShown(): Promise<null>;
  answerQuit(answer: 'end' | 'keep'): Promise<null>;
  writeClipboard(text: string): Promise<null>;
  openLink(url: string): Promise<null>;
  onSessionEvent(listener: (event: SessionListEvent) => void): () => void;
  onConnectionChanged(listener: (connection: ConnectionInfo) => void): () => void;
  onQuestionsChanged(listener: (questions: readonly ShownQuestion[]) => void): () => void;
  onSettingsChanged(listener: (settings: SettingsSnapshot) => void): () => void;
  onCommand(listener: (command: WindowCommand) => void): () => void;
  onShowSession(listener: (id: SessionId) => void): () => void;
  onElsewhereChanged(listener: (ids: readonly SessionId[]) => void): () => void;
  onShownChanged(listener: (isShown: boolean) => void): () => void;
  onQuitQuestion(listener: (question: QuitQuestion | null) => void): () => void;
  /** True only when the app was started for tests; then the window offers `window.shellscopeTest`. */
  readonly startedForTests: boolean;
  readonly platform: 'linux' | 'darwin' | 'win32';
}
