import { vi } from 'vitest';
import type { ShownQuestion } from '../../shared/approval.ts';
import type { ConnectionInfo, SessionListEvent, WindowApi } from '../../shared/ipc.ts';
import { isLive, type SessionId, type SessionInfo } from '../../shared/session.ts';
import type { SettingsSnapshot } from '../../shared/settings.ts';
import type { WindowCommand } from '../../shared/window-commands.ts';
import { usualSettings } from './usual-settings.ts';

/** A door for agents that is open and has no visitor. */
export const LISTENING: ConnectionInfo = {
  execServerUrl: 'ws://127.0.0.1:47811',
  tokenFile: '/home/ada/.local/share/shellscope/exec-server-token',
  token: 'secret-token',
  clients: [],
  mcp: { command: '/usr/bin/node', args: ['/opt/shellscope/out/cli/main.js', 'mcp'] },
  mcpClients: [],
  problem: null,
};

/** A host in memory: a list with revisions, and requests that do what they say at once. */
export class FakeHost {
  readonly sessions = new Map<SessionId, SessionInfo>();
  /** What `openShell` will answer. */
  nextShell: SessionInfo | null = null;
  /** The requests, to be looked at or given other answers. */
  readonly requests = {
    listSessions: vi.fn<WindowApi['listSessions']>(() =>
      Promise.resolve({ revision: this.#revision, sessions: [...this.sessions.values()] }),
    ),
    openShell: vi.fn<WindowApi['openShell']>(() => this.#openNext()),
    answerAttention: vi.fn<WindowApi['answerAttention']>(() => Promise.resolve({ answered: true })),
    terminateSession: vi.fn<WindowApi['terminateSession']>(() => Promise.resolve({ running: true })),
    closeSession: vi.fn<WindowApi['closeSession']>((id) => {
      this.remove(id);
      return Promise.resolve(null);
    }),
    handBackKeyboard: vi.fn<WindowApi['handBackKeyboard']>(() => Promise.resolve(null)),
    sessionTimeline: vi.fn<WindowApi['sessionTimeline']>(() => Promise.resolve([])),
    recentActs: vi.fn<WindowApi['recentActs']>(() => Promise.resolve([])),
    runAgain: vi.fn<WindowApi['runAgain']>(() => this.#openNext()),
    closeEndedSessions: vi.fn<WindowApi['closeEndedSessions']>(() => {
      const ended = [...this.sessions.values()].filter(({ state }) => !isLive(state));
      const closed = ended.filter(({ treeEmpty }) => treeEmpty !== false);
      for (const { id } of closed) {
        this.remove(id);
      }
      return Promise.resolve({ closed: closed.length, kept: ended.length - closed.length });
    }),
    reopenClosed: vi.fn<WindowApi['reopenClosed']>(() => Promise.resolve({ sessions: [], lost: 0 })),
    sessionUsage: vi.fn<WindowApi['sessionUsage']>(() => Promise.resolve([])),
    sessionListening: vi.fn<WindowApi['sessionListening']>(() => Promise.resolve(null)),
    listSurvivors: vi.fn<WindowApi['listSurvivors']>(() => Promise.resolve([])),
    adoptSurvivor: vi.fn<WindowApi['adoptSurvivor']>(() => Promise.resolve({ adopted: true })),
    stopSurvivor: vi.fn<WindowApi['stopSurvivor']>(() => Promise.resolve({ stopped: true })),
    renameSession: vi.fn<WindowApi['renameSession']>(() => Promise.resolve(null)),
    searchOutput: vi.fn<WindowApi['searchOutput']>(() =>
      Promise.resolve({ hits: [], nextBefore: null, isCut: false, goneBytes: 0, keptFrom: 0, endOffset: 0 }),
    ),
    outputAround: vi.fn<WindowApi['outputAround']>((_id, offset) =>
      Promise.resolve({
        parts: [],
        startOffset: offset,
        endOffset: offset,
        atMs: null,
        modes: '',
        rendition: '',
        keptFrom: 0,
        outputEnd: 0,
      }),
    ),
    openOutput: vi.fn<WindowApi['openOutput']>(() => Promise.resolve(null)),
    popUpMenu: vi.fn<WindowApi['popUpMenu']>(() => Promise.resolve(null)),
    tellMenu: vi.fn<WindowApi['tellMenu']>(() => Promise.resolve(null)),
    pathOfFile: vi.fn<WindowApi['pathOfFile']>(() => null),
    listQuestions: vi.fn<WindowApi['listQuestions']>(() => Promise.resolve(this.#questions)),
    answerQuestion: vi.fn<WindowApi['answerQuestion']>((id) => {
      this.ask(...this.#questions.filter((question) => question.id !== id));
      return Promise.resolve({ answered: true });
    }),
    attachSession: vi.fn<WindowApi['attachSession']>(() => Promise.resolve(null)),
    listGrants: vi.fn<WindowApi['listGrants']>(() => Promise.resolve([])),
    revokeGrant: vi.fn<WindowApi['revokeGrant']>(() => Promise.resolve({ revoked: true })),
    sessionEnvironment: vi.fn<WindowApi['sessionEnvironment']>(() => Promise.resolve(null)),
    describeConnection: vi.fn<WindowApi['describeConnection']>(() => Promise.resolve(LISTENING)),
    tellTerminalColours: vi.fn<WindowApi['tellTerminalColours']>(() => Promise.resolve(null)),
    readSettings: vi.fn<WindowApi['readSettings']>(() => Promise.resolve(usualSettings())),
    changeSetting: vi.fn<WindowApi['changeSetting']>(() => Promise.resolve(null)),
    resetSetting: vi.fn<WindowApi['resetSetting']>(() => Promise.resolve(null)),
    openSettingsFile: vi.fn<WindowApi['openSettingsFile']>(() => Promise.resolve(null)),
    ringBell: vi.fn<WindowApi['ringBell']>(() => Promise.resolve(null)),
    quitQuestion: vi.fn<WindowApi['quitQuestion']>(() => Promise.resolve(null)),
    quitQuestionShown: vi.fn<WindowApi['quitQuestionShown']>(() => Promise.resolve(null)),
    answerQuit: vi.fn<WindowApi['answerQuit']>(() => Promise.resolve(null)),
    keptWindow: vi.fn<WindowApi['keptWindow']>(() => Promise.resolve({ page: null, elsewhere: [], show: null })),
    keepWindow: vi.fn<WindowApi['keepWindow']>(() => Promise.resolve(null)),
    tabsAgain: vi.fn<WindowApi['tabsAgain']>(() => Promise.resolve({ opensShell: false, problem: null })),
    newWindow: vi.fn<WindowApi['newWindow']>(() => Promise.resolve(null)),
    moveTabToNewWindow: vi.fn<WindowApi['moveTabToNewWindow']>(() => Promise.resolve(null)),
    showElsewhere: vi.fn<WindowApi['showElsewhere']>(() => Promise.resolve(null)),
    writeClipboard: vi.fn<WindowApi['writeClipboard']>(() => Promise.resolve(null)),
    openLink: vi.fn<WindowApi['openLink']>(() => Promise.resolve(null)),
  };
  readonly api: WindowApi = {
    ...this.requests,
    onSessionEvent: (listener) => {
      this.#onEvent = listener;
      return () => undefined;
    },
    onConnectionChanged: (listener) => {
      this.#onConnection = listener;
      return () => undefined;
    },
    onQuestionsChanged: (listener) => {
      this.#onQuestions = listener;
      return () => undefined;
    },
    onSettingsChanged: (listener) => {
      this.#onSettings = listener;
      return () => undefined;
    },
    onCommand: (listener) => {
      this.#onCommand = listener;
      return () => undefined;
    },
    onShowSession: (listener) => {
      this.#onShowSession = listener;
      return () => undefined;
    },
    onElsewhereChanged: (listener) => {
      this.#onElsewhere = listener;
      return () => undefined;
    },
    onShownChanged: () => () => undefined,
    onQuitQuestion: () => () => undefined,
    startedForTests: true,
    platform: 'linux',
  };
  #questions: readonly ShownQuestion[] = [];
  #onQuestions: (questions: readonly ShownQuestion[]) => void = () => undefined;
  #revision = 0;
  #onEvent: (event: SessionListEvent) => void = () => undefined;
  #onConnection: (connection: ConnectionInfo) => void = () => undefined;
  #onSettings: (settings: SettingsSnapshot) => void = () => undefined;
  #onCommand: (command: WindowCommand) => void = () => undefined;
  #onElsewhere: (ids: readonly SessionId[]) => void = () => undefined;
  #onShowSession: (id: SessionId) => void = () => undefined;

  #openNext(): Promise<SessionInfo> {
    if (this.nextShell === null) {
      return Promise.reject(new Error('No shell was found.'));
    }
    this.put(this.nextShell);
    return Promise.resolve(this.nextShell);
  }

  put(session: SessionInfo): void {
    this.sessions.set(session.id, session);
    this.#revision += 1;
    this.#onEvent({ revision: this.#revision, type: 'changed', session });
  }

  remove(id: string): void {
    this.sessions.delete(id as SessionId);
    this.#revision += 1;
    this.#onEvent({ revision: this.#revision, type: 'removed', id: id as SessionId });
  }

  connect(over: Partial<ConnectionInfo>): void {
    this.#onConnection({ ...LISTENING, ...over });
  }

  /** These wait now, and no others. */
  ask(...questions: readonly ShownQuestion[]): void {
    this.#questions = questions;
    this.#onQuestions(questions);
  }

  /** The settings are these now. */
  settle(settings: SettingsSnapshot): void {
    this.#onSettings(settings);
  }

  command(command: WindowCommand): void {
    this.#onCommand(command);
  }

  showSession(id: SessionId): void {
    this.#onShowSession(id);
  }

  /** These have their tabs in other windows now. */
  setElsewhere(...ids: readonly SessionId[]): void {
    this.#onElsewhere(ids);
  }
}

/** Longer than any chain of promises between the window and this host. */
export async function allTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) {
    await Promise.resolve();
  }
}
