import type { WindowApi } from '../shared/ipc.ts';
import { shownWords } from '../shared/shown-text.ts';

declare global {
  interface Window {
    /** Put there by the preload; the window's only way out. */
    readonly shellscope: WindowApi;
  }
}

/** A request that the host refused or could not fulfil. The message is a sentence for a person. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The preload's API with real errors. The context bridge keeps only the message of an Error, so the preload rejects
 * with plain data `{code, message}`, and it becomes a `RequestError` here.
 */
export function createHostClient(api: WindowApi): WindowApi {
  return {
    listSessions: () => withRequestError(api.listSessions()),
    openShell: (size, beside) => withRequestError(api.openShell(size, beside)),
    terminateSession: (id) => withRequestError(api.terminateSession(id)),
    closeSession: (id) => withRequestError(api.closeSession(id)),
    answerAttention: (id, attention, state) => withRequestError(api.answerAttention(id, attention, state)),
    handBackKeyboard: (id) => withRequestError(api.handBackKeyboard(id)),
    sessionTimeline: (id) => withRequestError(api.sessionTimeline(id)),
    recentActs: () => withRequestError(api.recentActs()),
    runAgain: (id, size) => withRequestError(api.runAgain(id, size)),
    closeEndedSessions: () => withRequestError(api.closeEndedSessions()),
    reopenClosed: () => withRequestError(api.reopenClosed()),
    sessionUsage: () => withRequestError(api.sessionUsage()),
    sessionListening: (id) => withRequestError(api.sessionListening(id)),
    listSurvivors: () => withRequestError(api.listSurvivors()),
    adoptSurvivor: (id, pid) => withRequestError(api.adoptSurvivor(id, pid)),
    stopSurvivor: (id, pid) => withRequestError(api.stopSurvivor(id, pid)),
    attachSession: (id, nonce) => withRequestError(api.attachSession(id, nonce)),
    renameSession: (id, title) => withRequestError(api.renameSession(id, title)),
    searchOutput: (id, search) => withRequestError(api.searchOutput(id, search)),
    outputAround: (id, offset) => withRequestError(api.outputAround(id, offset)),
    openOutput: (id) => withRequestError(api.openOutput(id)),
    popUpMenu: (items, place) => withRequestError(api.popUpMenu(items, place)),
    tellMenu: (possibilities) => withRequestError(api.tellMenu(possibilities)),
    pathOfFile: (file) => api.pathOfFile(file),
    listQuestions: () => withRequestError(api.listQuestions()),
    answerQuestion: (id, answer) => withRequestError(api.answerQuestion(id, answer)),
    listGrants: () => withRequestError(api.listGrants()),
    revokeGrant: (id) => withRequestError(api.revokeGrant(id)),
    sessionEnvironment: (id) => withRequestError(api.sessionEnvironment(id)),
    describeConnection: () => withRequestError(api.describeConnection()),
    tellTerminalColours: (colours) => withRequestError(api.tellTerminalColours(colours)),
    readSettings: () => withRequestError(api.readSettings()),
    changeSetting: (path, value) => withRequestError(api.changeSetting(path, value)),
    resetSetting: (path) => withRequestError(api.resetSetting(path)),
    openSettingsFile: () => withRequestError(api.openSettingsFile()),
    ringBell: () => withRequestError(api.ringBell()),
    keptWindow: () => withRequestError(api.keptWindow()),
    keepWindow: (page) => withRequestError(api.keepWindow(page)),
    tabsAgain: () => withRequestError(api.tabsAgain()),
    newWindow: () => withRequestError(api.newWindow()),
    moveTabToNewWindow: (id) => withRequestError(api.moveTabToNewWindow(id)),
    showElsewhere: (id) => withRequestError(api.showElsewhere(id)),
    quitQuestion: () => withRequestError(api.quitQuestion()),
    quitQuestionShown: () => withRequestError(api.quitQuestionShown()),
    answerQuit: (answer) => withRequestError(api.answerQuit(answer)),
    writeClipboard: (text) => withRequestError(api.writeClipboard(text)),
    openLink: (url) => withRequestError(api.openLink(url)),
    onSessionEvent: (listener) => api.onSessionEvent(listener),
    onConnectionChanged: (listener) => api.onConnectionChanged(listener),
    onQuestionsChanged: (listener) => api.onQuestionsChanged(listener),
    onSettingsChanged: (listener) => api.onSettingsChanged(listener),
    onCommand: (listener) => api.onCommand(listener),
    onShowSession: (listener) => api.onShowSession(listener),
    onElsewhereChanged: (listener) => api.onElsewhereChanged(listener),
    onShownChanged: (listener) => api.onShownChanged(listener),
    onQuitQuestion: (listener) => api.onQuitQuestion(listener),
    startedForTests: api.startedForTests,
    platform: api.platform,
  };
}

/** The sentence to show for whatever a failed call threw. */
export function failureText(error: unknown): string {
  return shownWords(error instanceof Error ? error.message : String(error));
}

async function withRequestError<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (reason) {
    throw toRequestError(reason);
  }
}

function toRequestError(reason: unknown): Error {
  if (reason instanceof Error) {
    return reason;
  }
  if (typeof reason === 'object' && reason !== null && 'code' in reason && 'message' in reason) {
    return new RequestError(String(reason.code), String(reason.message));
  }
  return new RequestError('unknown', String(reason));
}
