import { homedir } from 'node:os';
import type { EnvironmentRequest } from '../engine/engine.ts';
import { MAX_RECENT_ACTS } from '../shared/limits.ts';
import { isLive } from '../shared/session.ts';
import { ClosedTabs } from './closed-tabs.ts';
import type { EngineHost } from './engine-host.ts';
import { folderBeside } from './folder-beside.ts';
import type { Handlers } from './ipc-router.ts';
import type { SessionList } from './session-list.ts';

/** What the terminal of a person's shell can do, for the programs in it. */
const TERMINAL_VARIABLES = { TERM: 'xterm-256color', COLORTERM: 'truecolor', TERM_PROGRAM: 'Shellscope' } as const;

/** A person's own programs have all that Shellscope was started with. */
const PERSONS_ENVIRONMENT: EnvironmentRequest = {
  kind: 'inherit',
  from: 'all',
  excludeCredentials: false,
  exclude: [],
  set: TERMINAL_VARIABLES,
  includeOnly: [],
  overlay: {},
};

/** Output that one request of a search looks at, in bytes: some tenths of a second, so that the window can tell how far it is. */
const SEARCH_STEP_BYTES = 8 * 1024 * 1024;

/** Hits that one request tells at most. More nobody looks at, and each is a line for the window. */
const MAX_SEARCH_HITS = 1_000;

/** Output that the window shows around a place: some screens of lines before and after it, on either side so many bytes. */
const STRETCH = { linesBefore: 1_000, linesAfter: 1_500, maxBytes: 256 * 1024 } as const;

/** All requests about sessions but the one that hands a port over. */
type SessionHandlers = Pick<Handlers, Exclude<Extract<keyof Handlers, `sessions/${string}`>, 'sessions/attach'>>;

/** What the window asks of sessions, answered by the engine. */
export function sessionRequests({ engine, shellPath }: EngineHost, sessions: SessionList): SessionHandlers {
  const closedTabs = new ClosedTabs(engine);
  return {
    'sessions/list': () => sessions.snapshot(),
    'sessions/open-shell': async (_sender, size, beside) => {
      const sessions = await engine.list();
      const cwd = await folderBeside(
        sessions.find(({ id }) => id === beside),
        homedir(),
      );
      return engine.start({
        argv: [shellPath],
        cwd,
        environment: PERSONS_ENVIRONMENT,
        backend: { kind: 'pty', size },
        origin: { kind: 'person' },
      });
    },
    'sessions/terminate': async (_sender, id) => ({ running: await engine.terminate(id, 'person') }),
    'sessions/close': async (_sender, id) => {
      closedTabs.closed([await engine.close(id, 'person')]);
      return null;
    },
    'sessions/answer-attention': async (_sender, id, attention, state) => ({
      answered: await engine.answerAttention(id, attention, { state, note: null }),
    }),
    'sessions/hand-back-keyboard': async (_sender, id) => {
      await engine.handBackKeyboard(id);
      return null;
    },
    'sessions/rename': async (_sender, id, title) => {
      await engine.rename(id, title, { kind: 'person' });
      return null;
    },
    'sessions/timeline': (_sender, id) => engine.timeline(id),
    'sessions/recent-acts': () => engine.recentActs(MAX_RECENT_ACTS),
    'sessions/search': (_sender, id, request) =>
      engine.search(id, { ...request, maxBytes: SEARCH_STEP_BYTES, maxHits: MAX_SEARCH_HITS }),
    'sessions/stretch': (_sender, id, offset) => engine.stretch(id, { offset, ...STRETCH }),
    'sessions/run-again': async (_sender, id, size) => {
      const { argv, cwd } = await engine.get(id);
      return engine.start({
        argv,
        cwd,
        environment: PERSONS_ENVIRONMENT,
        backend: { kind: 'pty', size },
        origin: { kind: 'person' },
      });
    },
    'sessions/close-ended': async () => {
      const ended = (await engine.list()).filter(({ state }) => !isLive(state));
      // Closing a session ends what outlived it; that is asked for by itself.
      const empty = ended.filter(({ treeEmpty }) => treeEmpty !== false);
      const closings = await Promise.allSettled(empty.map(({ id }) => engine.close(id, 'person')));
      closedTabs.closed(closings.flatMap((closing) => (closing.status === 'fulfilled' ? [closing.value] : [])));
      const failure = closings.find((closing) => closing.status === 'rejected');
      if (failure !== undefined) {
        throw failure.reason;
      }
      return { closed: empty.length, kept: ended.length - empty.length };
    },
    'sessions/reopen-closed': () => closedTabs.reopen(),
    'sessions/usage': async () =>
      [...(await engine.usage())].map(([id, usage]) => {
        const { cpuPercent, residentBytes, processes, cpuMs, lifetimeMs, idleMs } = usage;
        return { id, cpuPercent, residentBytes, processes, cpuMs, lifetimeMs, idleMs };
      }),
    'sessions/listening': (_sender, id) => engine.listening(id),
    'sessions/survivors': async () =>
      (await engine.survivors()).map(({ session, processes }) => ({
        session,
        processes: processes.map(({ pid, command, ageMs, residentBytes, listening }) => ({
          pid,
          command,
          ageMs,
          residentBytes,
          listening,
        })),
      })),
    'sessions/adopt': async (_sender, id, pid) => ({ adopted: await engine.adopt(id, pid) }),
    'sessions/stop-survivor': async (_sender, id, pid) => ({ stopped: await engine.stopSurvivor(id, pid) }),
  };
}
