import { TEST_SWITCH } from '../shared/ipc-names.ts';
import type {
  RequestArguments,
  RequestChannel,
  RequestReply,
  RequestResults,
  WindowApi,
  WindowEvents,
} from '../shared/ipc.ts';

/** The two things of Electron's `ipcRenderer` that the window's API is made of. */
export interface Ipc {
  invoke(channel: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Calls the listener with what main sent, without Electron's event object. Answers the unsubscription. */
  on(channel: string, listener: (payload: unknown) => void): () => void;
}

/**
 * Why a request was not fulfilled, as it crosses the context bridge: the promise is rejected with this plain object.
 * An Error would arrive with its message alone, the bridge drops every property of its own, the code among them.
 * The page turns it back into an Error (`renderer/host-client.ts`).
 */
export interface RequestFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * Makes the functions that the page may call: one per channel of the contract, and no way to name a channel.
 *
 * @throws Error when the platform is none that the window is built for.
 */
export function createWindowApi(
  ipc: Ipc,
  processFacts: { argv: readonly string[]; platform: string },
  pathOfFile: (file: object) => string | null = () => null,
): WindowApi {
  const request = async <C extends RequestChannel>(
    channel: C,
    ...args: RequestArguments<C>
  ): Promise<RequestResults[C]> => {
    const reply = await invoke<RequestResults[C]>(ipc, channel, args);
    if (reply.ok) {
      return reply.value;
    }
    const failure: RequestFailure = { code: reply.code, message: reply.message };
    // oxlint-disable-next-line typescript/only-throw-error -- see RequestFailure
    throw failure;
  };
  const on = <E extends keyof WindowEvents>(channel: E, listener: (payload: WindowEvents[E]) => void) =>
    ipc.on(channel, (payload) => listener(payload as WindowEvents[E]));

  return {
    listSessions: () => request('sessions/list'),
    openShell: (size, beside) => request('sessions/open-shell', size, beside),
    terminateSession: (id) => request('sessions/terminate', id),
    closeSession: (id) => request('sessions/close', id),
    answerAttention: (id, attention, state) => request('sessions/answer-attention', id, attention, state),
    handBackKeyboard: (id) => request('sessions/hand-back-keyboard', id),
    sessionTimeline: (id) => request('sessions/timeline', id),
    recentActs: () => request('sessions/recent-acts'),
    runAgain: (id, size) => request('sessions/run-again', id, size),
    closeEndedSessions: () => request('sessions/close-ended'),
    reopenClosed: () => request('sessions/reopen-closed'),
    sessionUsage: () => request('sessions/usage'),
    sessionListening: (id) => request('sessions/listening', id),
    listSurvivors: () => request('sessions/survivors'),
    adoptSurvivor: (id, pid) => request('sessions/adopt', id, pid),
    stopSurvivor: (id, pid) => request('sessions/stop-survivor', id, pid),
    attachSession: (id, nonce) => request('sessions/attach', id, nonce),
    renameSession: (id, title) => request('sessions/rename', id, title),
    searchOutput: (id, search) => request('sessions/search', id, search),
    outputAround: (id, offset) => request('sessions/stretch', id, offset),
    openOutput: (id) => request('output/open', id),
    popUpMenu: (items, place) => request('menu/pop-up', items, place),
    tellMenu: (possibilities) => request('menu/possible', possibilities),
    pathOfFile: (file) => pathOfFile(file),
    listQuestions: () => request('questions/list'),
    answerQuestion: (id, answer) => request('questions/answer', id, answer),
    listGrants: () => request('grants/list'),
    revokeGrant: (id) => request('grants/revoke', id),
    sessionEnvironment: (id) => request('environment/of-session', id),
    describeConnection: () => request('connection/describe'),
    tellTerminalColours: (colours) => request('appearance/terminal-colours', colours),
    readSettings: () => request('settings/read'),
    changeSetting: (path, value) => request('settings/change', path, value),
    resetSetting: (path) => request('settings/reset', path),
    openSettingsFile: () => request('settings/open-file'),
    ringBell: () => request('bell/ring'),
    keptWindow: () => request('window/kept'),
    keepWindow: (page) => request('window/keep', page),
    tabsAgain: () => request('window/tabs-again'),
    newWindow: () => request('window/open'),
    moveTabToNewWindow: (id) => request('window/move-tab', id),
    showElsewhere: (id) => request('window/show-elsewhere', id),
    quitQuestion: () => request('quit/read'),
    quitQuestionShown: () => request('quit/shown'),
    answerQuit: (answer) => request('quit/answer', answer),
    writeClipboard: (text) => request('clipboard/write', text),
    openLink: (url) => request('links/open', url),
    onSessionEvent: (listener) => on('sessions/event', listener),
    onConnectionChanged: (listener) => on('connection/changed', listener),
    onQuestionsChanged: (listener) => on('questions/changed', listener),
    onSettingsChanged: (listener) => on('settings/changed', listener),
    onCommand: (listener) => on('window/command', listener),
    onShowSession: (listener) => on('window/show-session', listener),
    onElsewhereChanged: (listener) => on('window/elsewhere', listener),
    onShownChanged: (listener) => on('window/shown', listener),
    onQuitQuestion: (listener) => on('quit/question', listener),
    startedForTests: processFacts.argv.includes(TEST_SWITCH),
    platform: supportedPlatform(processFacts.platform),
  };
}

/** Main answers every request with a reply; a rejection means that there was nobody, or a broken one, to answer. */
async function invoke<T>(ipc: Ipc, channel: RequestChannel, args: readonly unknown[]): Promise<RequestReply<T>> {
  try {
    return (await ipc.invoke(channel, ...args)) as RequestReply<T>;
  } catch (error) {
    return { ok: false, code: 'no-answer', message: `Shellscope gave no answer: ${reasonOf(error)} (${channel})` };
  }
}

/** What was thrown in main, without what Electron puts before it: `Error invoking remote method 'sessions/list': Error: `. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^Error invoking remote method '[^']*': (?:\w*Error: )?/, '');
}

function supportedPlatform(platform: string): WindowApi['platform'] {
  if (platform === 'linux' || platform === 'darwin' || platform === 'win32') {
    return platform;
  }
  throw new Error(`Shellscope has no window for the platform ${platform}.`);
}
