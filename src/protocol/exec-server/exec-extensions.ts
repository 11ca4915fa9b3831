import type { Engine, WaitCondition } from '../../engine/engine.ts';
import { EngineError } from '../../shared/errors.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import type { Actor } from '../../shared/timeline.ts';
import { WireErrorCode, type Method, type Params } from './exec-server-schema.ts';
import { limitFailure } from './hosted-process.ts';
import { WireError } from './wire-error.ts';

/** What a host with sessions that are more than processes serves beyond the protocol; each only for the client's own. */
export type ExtensionMethod = Extract<Method, `shellscope/${string}`>;

/** Names of the extensions, as they are advertised. */
export const EXTENSION_METHODS: readonly ExtensionMethod[] = [
  'shellscope/list',
  'shellscope/attach',
  'shellscope/setTitle',
  'shellscope/resize',
  'shellscope/closeStdin',
  'shellscope/wait',
];

export function isExtensionMethod(method: string): method is ExtensionMethod {
  return (EXTENSION_METHODS as readonly string[]).includes(method);
}

/** What an extension needs of the client's session. */
export interface ExtensionCall {
  readonly engine: Engine;
  /** Who asks, for the timeline. */
  readonly actor: Actor;
  /** The engine's sessions that this client started, here or by another connection. */
  readonly sessions: readonly SessionId[];
  /** See `shellscope/attach`; throws a `WireError`. Answers what begins to tell of it, once it is answered. */
  readonly attach: (request: AttachRequest) => () => void;
  /** Ids of the client's processes that run or can still be read, by its own names. */
  readonly processes: ReadonlyMap<string, SessionId>;
  /** Aborted when the connection is gone. */
  readonly signal: AbortSignal;
}

/** What is to be attached to, and as what. */
export interface AttachRequest {
  readonly processId: string;
  readonly sessionId: SessionId;
  readonly afterSeq: number | 'now';
}

/** An answer, and what begins when it has been given. */
export interface ExtensionAnswer {
  readonly result: object;
  readonly sent?: () => void;
}

/** Answers one request. Throws a `WireError` with the field that is wrong. */
export const extensionMethods: {
  readonly [M in ExtensionMethod]: (call: ExtensionCall, params: Params<M>) => Promise<ExtensionAnswer>;
} = {
  'shellscope/list': async ({ engine, processes, sessions }, { all }) => {
    const names = new Map([...processes].map(([name, id]) => [id, name]));
    const ids = all ? [...new Set([...names.keys(), ...sessions])] : [...names.keys()];
    const infos = await Promise.all(ids.map(async (id) => toldProcess(names.get(id) ?? null, await engine.get(id))));
    return { result: { processes: infos } };
  },
  'shellscope/attach': async ({ engine, sessions, attach }, { sessionId, processId, afterSeq }) => {
    const id = sessions.find((known) => known === sessionId);
    if (id === undefined) {
      throw new WireError(
        WireErrorCode.invalidRequest,
        `unknown session id ${sessionId}; shellscope/list with {"all": true} tells those that can be attached to`,
      );
    }
    const info = await asked(engine.get(id));
    const sent = attach({ processId, sessionId: id, afterSeq: afterSeq ?? 0 });
    return { result: toldProcess(processId, info), sent };
  },
  'shellscope/setTitle': async (call, { processId, title }) => {
    await asked(call.engine.rename(idOf(call, processId), title, call.actor));
    return { result: {} };
  },
  'shellscope/resize': async (call, { processId, cols, rows }) => {
    await asked(call.engine.resize(idOf(call, processId), { cols, rows }, call.actor));
    return { result: {} };
  },
  'shellscope/closeStdin': async (call, { processId }) => {
    await asked(call.engine.closeInput(idOf(call, processId), call.actor));
    return { result: {} };
  },
  'shellscope/wait': async (call, { conditions, mode, timeoutMs }) => {
    const { outcome, met } = await asked(
      call.engine.wait({
        condition: { kind: mode, of: conditions.map((condition) => waitCondition(call, condition)) },
        timeoutMs,
        signal: call.signal,
      }),
    );
    const names = new Map([...call.processes].map(([name, id]) => [id, name]));
    const told = met.map(({ kind, session, match }) => ({ kind, processId: names.get(session) ?? null, match }));
    return { result: { outcome, met: told } };
  },
};

function toldProcess(processId: string | null, info: SessionInfo): object {
  const {
    id: sessionId,
    title,
    keyboard,
    lastHold,
    argv,
    cwd,
    state,
    exit,
    endedBy,
    size,
    outputBytes,
    waitingFor,
    treeEmpty,
    limits,
    limitHit,
  } = info;
  return {
    processId,
    sessionId,
    title,
    keyboard,
    lastHold,
    argv,
    cwd,
    state,
    exitCode: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
    endedBy,
    size,
    outputBytes,
    waitingFor: waitingFor?.kind ?? null,
    treeEmpty,
    limits,
    limitHit,
    failure: limitFailure(info),
  };
}

function waitCondition(call: ExtensionCall, condition: Params<'shellscope/wait'>['conditions'][number]): WaitCondition {
  const session = idOf(call, condition.processId);
  switch (condition.kind) {
    case 'text':
      return { kind: 'text', session, text: condition.text, from: null };
    case 'pattern':
      return { kind: 'pattern', session, pattern: condition.pattern, ignoreCase: condition.ignoreCase, from: null };
    case 'idle':
      return { kind: 'idle', session, idleMs: condition.idleMs };
    case 'exit':
    case 'closed':
    case 'input':
      return { kind: condition.kind, session };
  }
}

function idOf({ processes }: ExtensionCall, processId: string): SessionId {
  const id = processes.get(processId);
  if (id === undefined) {
    throw new WireError(WireErrorCode.invalidRequest, `unknown process id ${processId}`);
  }
  return id;
}

/** What the engine refused is the client's to mend, in the engine's words. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof EngineError) {
      const isParams = error.code === 'invalid-argument';
      throw new WireError(isParams ? WireErrorCode.invalidParams : WireErrorCode.invalidRequest, error.message);
    }
    throw error;
  }
}
