import { expect } from 'vitest';
import { ask, CLOSED, error, result, send, shell, startParams, type ConformanceRow } from './conformance-row.ts';

const READY = result({ status: 'ready' });
const PARAMETERS = 'texts of refused parameters';

/** What every client reads of it; the rest differs from host to host. */
const ENVIRONMENT = expect.objectContaining({
  shell: { name: 'bash', path: '/bin/bash' },
  executorVersion: expect.any(String),
  cwd: expect.stringMatching(/^file:\/\/\//),
  userHomeDir: expect.stringMatching(/^file:\/\/\//),
  platformOs: process.platform === 'darwin' ? 'macos' : 'linux',
  tempDir: expect.stringMatching(/^file:\/\/\//),
  prependPathDirs: expect.any(Array),
  temporaryDirectories: expect.any(Array),
  capabilities: expect.any(Object),
});

const INITIALIZED = result({ sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/), environmentInfo: ENVIRONMENT });

const initialize = (params: unknown, gives: unknown, differs?: { readonly real: unknown; readonly why: string }) =>
  ask('initialize', params, gives, differs === undefined ? {} : { differs });

const tooEarly = (missing: string, family: string) =>
  error(-32_600, `client must ${missing} before using ${family} methods`);

export const handshakeRows: readonly ConformanceRow[] = [
  {
    title: 'C1: a method before `initialize` is told what is missing',
    source: 'codex.md §1.3',
    connection: 'bare',
    steps: [
      ask('process/start', startParams('p', shell('true')), tooEarly('call initialize', 'exec')),
      ask('process/read', { processId: 'p' }, tooEarly('call initialize', 'exec')),
      ask('process/write', { processId: 'p', chunk: '', writeId: 'w' }, tooEarly('call initialize', 'exec')),
      ask('process/signal', { processId: 'p', signal: 'interrupt' }, tooEarly('call initialize', 'exec')),
      ask('process/terminate', { processId: 'p' }, tooEarly('call initialize', 'exec')),
      ask('environment/info', undefined, tooEarly('call initialize', 'environment info')),
      ask('environment/status', undefined, tooEarly('call initialize', 'environment status')),
    ],
  },
  {
    title: 'C1: a method before `initialized` is told what is missing',
    source: 'codex.md §1.3',
    connection: 'bare',
    steps: [
      initialize({ clientName: 'a' }, INITIALIZED),
      ask('process/start', startParams('p', shell('true')), tooEarly('send initialized', 'exec')),
      ask('environment/info', {}, tooEarly('send initialized', 'environment info')),
      ask('environment/status', {}, tooEarly('send initialized', 'environment status')),
      send([{ method: 'initialized' }], []),
      ask('environment/status', {}, READY),
    ],
  },
  {
    title: 'parameters are looked at before the handshake, unknown methods before both',
    source: 'codex.md §1.3, observed',
    connection: 'bare',
    steps: [
      ask('process/start', {}, error(-32_602, 'missing field `processId`')),
      ask('process/teleport', 5, error(-32_601, 'exec-server stub does not implement `process/teleport` yet')),
    ],
  },
  {
    title: 'C1: `initialize` is for once, and a failed one may be tried again',
    source: 'codex.md §1.3, observed',
    connection: 'bare',
    steps: [
      initialize({}, error(-32_602, 'missing field `clientName`')),
      initialize(undefined, error(-32_602, 'missing field `clientName`'), {
        real: error(-32_602, 'invalid type: null, expected struct InitializeParams'),
        why: PARAMETERS,
      }),
      initialize({ clientName: 5 }, error(-32_602, expect.stringContaining('`clientName`')), {
        real: error(-32_602, 'invalid type: number, expected a string'),
        why: PARAMETERS,
      }),
      initialize({ clientName: 'a', resumeSessionId: 'never-was' }, error(-32_600, 'unknown session id never-was')),
      initialize({ clientName: 'a', resumeSessionId: '' }, error(-32_600, 'unknown session id ')),
      initialize({ clientName: '', resumeSessionId: null, extra: { a: 1 } }, INITIALIZED),
      initialize({ clientName: 'a' }, error(-32_600, 'initialize may only be sent once per connection')),
      initialize({}, error(-32_602, 'missing field `clientName`')),
    ],
  },
  {
    title: 'parameters by position are refused',
    source: 'observed',
    connection: 'bare',
    steps: [
      initialize(['a'], error(-32_602, expect.any(String)), { real: INITIALIZED, why: 'parameters by position' }),
    ],
  },
  {
    title: '`initialized` may have any parameters and be sent again',
    source: 'observed',
    steps: [
      send(
        [{ method: 'initialized' }, { method: 'initialized', params: [] }, { method: 'initialized', params: 5 }],
        [],
      ),
      ask('environment/status', undefined, READY),
    ],
  },
  {
    title: 'the whole handshake may be sent at once',
    source: 'observed',
    connection: 'bare',
    steps: [
      send(
        [
          { id: 1, method: 'initialize', params: { clientName: 'a' } },
          { method: 'initialized' },
          { id: 2, method: 'environment/status' },
        ],
        [
          { id: 1, ...INITIALIZED },
          { id: 2, ...READY },
        ],
      ),
    ],
  },
  {
    title: '`initialized` before `initialize` ends the connection',
    source: 'codex.md §1.2',
    connection: 'bare',
    steps: [send([{ method: 'initialized' }], [CLOSED])],
  },
  {
    title: 'an answer that nobody asked for ends the connection, also before the handshake',
    source: 'codex.md §1.2 and transcript E',
    connection: 'bare',
    steps: [send([{ id: 99, result: {} }], [CLOSED])],
  },
  {
    title: '`environment/info` gives what `initialize` gave, `environment/status` is ready',
    source: 'codex.md §1.3',
    steps: [
      ask('environment/info', undefined, result(ENVIRONMENT)),
      ask('environment/info', null, result(ENVIRONMENT)),
      ask('environment/info', {}, result(ENVIRONMENT)),
      ask('environment/status', undefined, READY),
      ask('environment/status', null, READY),
      ask('environment/status', {}, READY),
    ],
  },
  {
    title: 'a method without parameters takes none',
    source: 'observed',
    steps: [
      [{ a: 1 }, 'map'] as const,
      [[], 'sequence'] as const,
      [5, 'number'] as const,
      ['x', 'string "x"'] as const,
    ].map(([params, type]) =>
      ask('environment/status', params, error(-32_602, expect.stringContaining('invalid params: ')), {
        differs: { real: error(-32_602, `invalid type: ${type}, expected unit`), why: PARAMETERS },
      }),
    ),
  },
  {
    title: 'a method that nobody serves is told so, by its name as it was sent',
    source: 'codex.md §1.6',
    steps: [
      'process/list',
      'process/resize',
      'session/close',
      'fs/rename',
      'fs/watch',
      'Process/start',
      'process/start ',
      '',
    ].map((method) => ask(method, {}, error(-32_601, `exec-server stub does not implement \`${method}\` yet`))),
  },
];
