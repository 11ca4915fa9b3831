import type { Answer, Question } from '../../engine/engine.ts';
import type { SessionId } from '../../shared/session.ts';
import { ControlError } from './control-error.ts';
import { ControlFollow } from './control-follow.ts';
import type { ControlHost } from './control-host.ts';
import { readPage } from './control-read.ts';
import type { ControlMethod, ControlParams } from './control-schema.ts';
import type { ControlHostFacts, ControlNotification, ControlResults } from './control-wire.ts';

/** Output that one client follows at the same time, in sessions. */
const MAX_FOLLOWS = 256;

/** Who acts here, in the timeline and at the keyboard. */
const PERSON = { kind: 'person' } as const;

/** What a method needs of the connection that it came by. */
export interface MethodContext {
  readonly host: ControlHost;
  readonly facts: () => ControlHostFacts;
  readonly connectionCount: () => number;
  readonly follows: Map<number, ControlFollow>;
  readonly notify: (notification: ControlNotification) => void;
  /** Aborted when the client goes. */
  readonly signal: AbortSignal;
  /** Begins to tell of questions; once. */
  readonly followQuestions: () => void;
}

/** `hello` and `stream` change the connection itself, and are its own. */
export type PlainMethod = Exclude<ControlMethod, 'hello' | 'stream'>;

type Handlers = {
  readonly [M in PlainMethod]: (context: MethodContext, params: ControlParams<M>) => Promise<ControlResults[M]>;
};

/** What the person's side of the engine can be asked for: whoever can open the socket is the person. */
export const controlHandlers: Handlers = {
  who: async ({ host, facts, connectionCount }) => ({
    ...facts(),
    sessions: (await host.engine.list()).length,
    connections: connectionCount(),
  }),

  start: ({ host }, { argv, cwd, environment, backend, id, title, requestId }) =>
    host.engine.start({
      argv,
      cwd,
      environment:
        environment.kind === 'exact'
          ? { kind: 'exact', variables: environment.variables }
          : {
              kind: 'inherit',
              from: 'all',
              excludeCredentials: false,
              exclude: [],
              set: environment.variables,
              includeOnly: [],
              overlay: {},
            },
      backend:
        backend.kind === 'pipe'
          ? { kind: 'pipe', stdin: true }
          : { kind: 'pty', ...(backend.size === undefined ? {} : { size: backend.size }) },
      ...(id === undefined ? {} : { id }),
      ...(title === undefined ? {} : { title }),
      ...(requestId === undefined ? {} : { requestId }),
      origin: { kind: 'person' },
    }),

  list: async ({ host }) => ({ sessions: await host.engine.list() }),
  get: ({ host }, { session }) => host.engine.get(session),
  read: ({ host, signal }, params) => readPage(host.engine, params, signal),

  write: ({ host }, { session, base64, enter, requestId, timeoutMs }) =>
    host.engine.write(session, base64, {
      by: PERSON,
      ...(enter === undefined ? {} : { enter }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }),

  'close-input': ({ host }, { session }) => host.engine.closeInput(session, PERSON).then(() => null),
  resize: ({ host }, { session, size }) => host.engine.resize(session, size, PERSON).then(() => null),
  signal: async ({ host }, { session, signal }) => ({ sent: await host.engine.signal(session, signal, PERSON) }),
  'hand-back': ({ host }, { session }) => host.engine.handBackKeyboard(session).then(() => null),

  terminate: async ({ host }, { session, graceMs }) => ({
    running: await host.engine.terminate(session, 'person', graceMs === undefined ? {} : { graceMs }),
  }),

  close: ({ host }, { session }) => host.engine.close(session, 'person'),
  wait: ({ host, signal }, { condition, timeoutMs }) => host.engine.wait({ condition, timeoutMs, signal }),

  follow: async ({ host, follows, notify, signal }, params) => {
    if (follows.has(params.follow)) {
      throw new ControlError('invalid-argument', `follow: ${params.follow} is in use; take another number`);
    }
    if (follows.size >= MAX_FOLLOWS) {
      throw new ControlError('limit-reached', `a client may follow ${MAX_FOLLOWS} sessions at once`);
    }
    const session = await host.engine.load(params.session);
    // The client may have gone during the look.
    if (!signal.aborted) {
      follows.set(params.follow, new ControlFollow(host.engine, session, params, notify));
    }
    return null;
  },

  ack: async ({ follows }, { follow, endOffset }) => {
    follows.get(follow)?.ack(endOffset);
    return null;
  },

  unfollow: async ({ follows }, { follow }) => {
    follows.get(follow)?.close();
    follows.delete(follow);
    return null;
  },

  survivors: async ({ host }) => ({
    sessions: (await host.engine.survivors()).map(({ session, processes }) => ({
      session,
      processes: processes.map(({ pid, command, ageMs }) => ({ pid, command, ageMs })),
    })),
  }),

  questions: async ({ host, followQuestions }, { follow }) => {
    if (follow) {
      followQuestions();
    }
    return { questions: await host.engine.questions() };
  },

  answer: async ({ host }, { question: id, answer }) => {
    if (!(await host.engine.answerQuestion(id, answer, 'command line'))) {
      const question = (await host.engine.questions()).find((asked) => asked.id === id);
      throw question === undefined
        ? new ControlError(
            'unknown-question',
            `no question ${id} waits; it may have been answered, or its call is over`,
          )
        : new ControlError('invalid-argument', whyNot(question, answer));
    }
    return null;
  },

  'answer-attention': async ({ host }, { session, attention, state, note }) => {
    if (!(await host.engine.answerAttention(session, attention, { state, note }))) {
      throw new ControlError('unknown-question', `session ${session} does not want that any more, or was answered`);
    }
    return null;
  },

  grants: async ({ host }) => ({ grants: await host.engine.grants() }),

  revoke: async ({ host }, { grant }) => {
    if (!(await host.engine.revokeGrant(grant))) {
      throw new ControlError('unknown-grant', `nothing that is remembered has the id ${grant}`);
    }
    return null;
  },

  open: async ({ host, facts }, { session }) => {
    if (host.open === undefined) {
      throw new ControlError('no-window', `this host has no window: it is ${hostName(facts())}`);
    }
    await host.open(session === null ? null : await knownSession(host, session));
    return null;
  },
};

/** Why a question that waits does not take an answer. */
function whyNot({ id, offersRetry, proposedRules }: Question, answer: Answer): string {
  if (answer.kind === 'always' && proposedRules.length === 0) {
    return `${id} cannot be answered for always: no rule could say what that is; answer it once or for this session`;
  }
  return 'withoutSandbox' in answer && answer.withoutSandbox && !offersRetry
    ? `${id} has no run without its sandbox to allow: it has none, or its client does not run it again`
    : `${id} does not take this answer`;
}

/** How a host is called in a sentence. */
function hostName({ kind, pid }: ControlHostFacts): string {
  return `${kind === 'app' ? 'the app' : '`shellscope serve`'} (pid ${pid})`;
}

async function knownSession({ engine }: ControlHost, session: SessionId): Promise<SessionId> {
  return (await engine.get(session)).id;
}
