import { expect } from 'vitest';
import {
  ask,
  base64,
  ends,
  error,
  result,
  send,
  shell,
  start,
  startParams,
  write,
  type AskStep,
  type ConformanceRow,
} from './conformance-row.ts';

const PARAMETERS = 'texts of refused parameters';
const STARTS = 'texts of failed starts';
const PTY_KILLED = 'a pty child killed by a signal';
const TERMINATE = '`process/terminate`';

/** A start whose parameters are refused: ours names the field, the real server the Rust type. */
const refusedStart = (params: object, field: string, real: string): AskStep =>
  ask('process/start', startParams('q', ['true'], params), error(-32_602, expect.stringContaining(`\`${field}`)), {
    differs: { real: error(-32_602, real), why: PARAMETERS },
  });

const missing = (params: object, field: string): AskStep =>
  ask('process/start', params, error(-32_602, `missing field \`${field}\``));

/** A start that fails, on a pty and on pipes. */
const failing = (
  argv: readonly string[],
  params: object,
  ours: RegExp,
  real: { readonly pty: unknown; readonly pipe: unknown },
): readonly AskStep[] =>
  [true, false].map((tty) =>
    ask(
      'process/start',
      startParams('failing', argv, { ...params, tty }),
      error(-32_603, expect.stringMatching(ours)),
      { differs: { real: tty ? real.pty : real.pipe, why: STARTS } },
    ),
  );

const internal = (message: string) => error(-32_603, message);
const NOT_FOUND = 'No such file or directory (os error 2)';
const DENIED = 'Permission denied (os error 13)';

const POLICY = { ignoreDefaultExcludes: true, exclude: [], set: { SET: '1' }, includeOnly: [] };

export const processRows: readonly ConformanceRow[] = [
  {
    title:
      'C4: a process on a pty has 24 rows and 80 columns, both streams in one, and the environment that was asked for',
    source: 'codex.md §1.4',
    steps: [
      start('p', shell('stty size; echo err >&2; exec env'), { env: { PATH: '/usr/bin:/bin', A: 'ä' } }),
      ends('p', {
        pty: expect.stringMatching(/^24 80\r\nerr\r\n(?=[^]*PATH=\/usr\/bin:\/bin\r\n)(?=[^]*A=ä\r\n)/),
        exitCode: 0,
      }),
    ],
  },
  {
    title: 'C4: a process on pipes keeps its streams apart and reads nothing',
    source: 'codex.md §1.4 and transcript B',
    steps: [
      start('p', shell('readlink /proc/self/fd/0; echo err >&2; cat; exit 3'), { tty: false }),
      ends('p', { stdout: '/dev/null\n', stderr: 'err\n', exitCode: 3 }),
    ],
  },
  {
    title: 'C9: a silent process is exited and closed',
    source: 'codex.md §1.4',
    steps: [
      start('p', ['/bin/true']),
      ends('p', { exitCode: 0 }),
      start('q', ['/bin/false'], { tty: false }),
      ends('q', { exitCode: 1 }),
    ],
  },
  {
    title: 'bytes that are no text arrive as they are, a character that was cut too',
    source: 'codex.md §1.4',
    steps: [
      start('p', shell(String.raw`printf '\303'; sleep 0.05; printf '\244\n'`), { tty: false }),
      ends('p', { stdout: '\ufffd\ufffd\n', exitCode: 0 }),
    ],
  },
  {
    title: 'a pipe that a child of the process holds is closed when that child ends, and its output arrives',
    source: 'codex.md §1.9 C',
    steps: [
      start('p', shell('(sleep 0.2; echo late) & echo now; exit 4'), { tty: false }),
      ends('p', { stdout: 'now\nlate\n', exitCode: 4 }),
    ],
  },
  {
    title: 'a child in the background is hung up with the leader of its terminal',
    source: 'codex.md §1.9 C',
    steps: [start('p', shell('(sleep 0.2; echo late) & echo now; exit 4')), ends('p', { pty: 'now\r\n', exitCode: 4 })],
  },
  {
    title: 'a process that a signal ended has 128 and the number of the signal',
    source: 'codex.md §1.4, observed',
    steps: [
      start('pipe', shell('kill -9 $$'), { tty: false }),
      ends('pipe', { exitCode: 137 }),
      start('pty', shell('kill -9 $$')),
      ends('pty', { exitCode: 137 }, { real: { exitCode: 1 }, why: PTY_KILLED }),
    ],
  },
  {
    title: 'C2: an id is taken from its start until long after its end, the empty one too',
    source: 'codex.md §1.4, observed',
    steps: [
      start('', ['/bin/true']),
      ask('process/start', startParams('', ['/bin/true']), error(-32_600, 'process  already exists')),
      ends('', { exitCode: 0 }),
      ask('process/start', startParams('', ['/bin/true']), error(-32_600, 'process  already exists')),
      send(
        [
          { id: 1, method: 'process/start', params: startParams('p', shell('exit 1')) },
          { id: 2, method: 'process/start', params: startParams('p', shell('exit 2')) },
        ],
        [
          { id: 2, ...error(-32_600, 'process p already exists') },
          { id: 1, ...result({ processId: 'p', sandboxType: 'none' }) },
        ],
        {
          real: [
            { id: 1, ...result({ processId: 'p', sandboxType: 'none' }) },
            { id: 2, ...error(-32_600, 'process p already exists') },
          ],
          why: 'requests of one connection',
        },
      ),
      ends('p', { exitCode: 1 }),
    ],
  },
  {
    title: 'C2: parameters that are missing are named',
    source: 'codex.md §1.2, observed',
    steps: [
      missing({}, 'processId'),
      missing({ processId: 'q' }, 'argv'),
      missing({ processId: 'q', argv: ['true'] }, 'cwd'),
      missing({ processId: 'q', argv: ['true'], cwd: 'file:///' }, 'env'),
      missing({ processId: 'q', argv: ['true'], cwd: 'file:///', env: {} }, 'tty'),
      ask('process/start', startParams('q', []), error(-32_602, 'argv must not be empty')),
    ],
  },
  {
    title: 'parameters of another type are refused',
    source: 'observed',
    steps: [
      refusedStart({ processId: 5 }, 'processId', 'invalid type: number, expected a string'),
      refusedStart({ argv: 'true' }, 'argv', 'invalid type: string "true", expected a sequence'),
      refusedStart({ argv: [5] }, 'argv.0', 'invalid type: number, expected a string'),
      refusedStart({ cwd: null }, 'cwd', 'invalid type: null, expected a string'),
      refusedStart({ env: { A: 1 } }, 'env.A', 'invalid type: number, expected a string'),
      refusedStart({ env: null }, 'env', 'invalid type: null, expected a map'),
      refusedStart({ env: [] }, 'env', 'invalid type: sequence, expected a map'),
      refusedStart({ tty: 'yes' }, 'tty', 'invalid type: string "yes", expected a boolean'),
      refusedStart({ tty: null }, 'tty', 'invalid type: null, expected a boolean'),
      refusedStart({ pipeStdin: null }, 'pipeStdin', 'invalid type: null, expected a boolean'),
      refusedStart({ arg0: 5 }, 'arg0', 'invalid type: number, expected a string'),
      refusedStart({ metadata: { toolCallId: 5 } }, 'metadata.toolCallId', 'invalid type: number, expected a string'),
      ask(
        'process/start',
        startParams('q', ['true'], { envPolicy: {} }),
        error(-32_602, 'missing field `envPolicy.inherit`'),
        {
          differs: { real: error(-32_602, 'missing field `inherit`'), why: PARAMETERS },
        },
      ),
      refusedStart(
        { envPolicy: { ...POLICY, inherit: 'some' } },
        'envPolicy.inherit',
        'unknown variant `some`, expected one of `core`, `all`, `none`',
      ),
    ],
  },
  {
    title: 'a directory is a file URI of this machine',
    source: 'codex.md §1.3, observed',
    steps: [
      start('localhost', ['/bin/pwd'], { cwd: 'file://localhost/usr' }),
      ends('localhost', { pty: '/usr\r\n', exitCode: 0 }),
      start('escaped', ['/bin/pwd'], { cwd: 'FILE:/%75sr' }),
      ends('escaped', { pty: '/usr\r\n', exitCode: 0 }),
      refusedStart({ cwd: '/tmp' }, 'cwd', 'invalid URI: relative URL without a base'),
      refusedStart({ cwd: '' }, 'cwd', 'invalid URI: relative URL without a base'),
      refusedStart({ cwd: 'http://x/' }, 'cwd', 'unsupported path URI scheme `http`'),
      refusedStart({ cwd: 'file:///tmp?x' }, 'cwd', 'query parameters are not allowed in path URIs'),
      refusedStart({ cwd: 'file:///tmp#x' }, 'cwd', 'fragments are not allowed in path URIs'),
      refusedStart(
        { cwd: 'file://elsewhere/tmp' },
        'cwd',
        "cwd URI `file://elsewhere/tmp` is not valid on this exec-server host: 'file://elsewhere/tmp' is invalid on 'linux'",
      ),
      ask(
        'process/start',
        startParams('q', ['true'], { cwd: 'file:///%zz' }),
        error(-32_602, expect.stringContaining('invalid percent-encoding')),
        {
          differs: { real: result({ processId: 'q', sandboxType: 'none' }), why: 'a % in a URI that begins no escape' },
        },
      ),
    ],
  },
  {
    title: 'C3: a start that fails says why, on a pty as on pipes, and its id is free',
    source: 'codex.md §1.4, observed',
    steps: [
      ...failing(['no-such-program-here'], {}, /^No such file or directory \(os error 2\): /, {
        pty: internal(
          'Unable to spawn no-such-program-here because:\nNo viable candidates found in PATH "/usr/bin:/bin"',
        ),
        pipe: internal(NOT_FOUND),
      }),
      ...failing(['/no/such'], {}, /^No such file or directory \(os error 2\): /, {
        pty: internal(NOT_FOUND),
        pipe: internal(NOT_FOUND),
      }),
      ...failing(['/tmp'], {}, /^Is a directory \(os error 21\): /, { pty: internal(DENIED), pipe: internal(DENIED) }),
      ...failing(['/etc/passwd'], {}, /^Permission denied \(os error 13\): /, {
        pty: internal(DENIED),
        pipe: internal(DENIED),
      }),
      ...failing(['printf', 'a\0b'], {}, /^nul byte found in provided data: /, {
        pty: internal('nul byte found in provided data'),
        pipe: internal('nul byte found in provided data'),
      }),
      start('failing', ['/bin/true']),
      ends('failing', { exitCode: 0 }),
    ],
  },
  {
    title: 'C3: a directory that is not there fails a start',
    source: 'codex.md §1.4',
    steps: [
      ask(
        'process/start',
        startParams('pipe', ['true'], { tty: false, cwd: 'file:///no/such' }),
        internal(expect.stringContaining('working directory /no/such does not exist') as string),
        { differs: { real: internal(NOT_FOUND), why: STARTS } },
      ),
      ask(
        'process/start',
        startParams('pty', ['true'], { cwd: 'file:///no/such' }),
        internal(expect.stringContaining('working directory /no/such does not exist') as string),
        {
          differs: {
            real: result({ processId: 'pty', sandboxType: 'none' }),
            why: 'a missing working directory with a pty',
          },
        },
      ),
    ],
  },
  {
    title: '`arg0` is what the program is told it is called',
    source: 'codex.md §1.4, observed',
    steps: [
      start('pipe', shell('echo $0'), { tty: false, arg0: 'called' }),
      ends('pipe', { stdout: 'called\n', exitCode: 0 }),
      ask(
        'process/start',
        startParams('pty', shell('echo $0'), { arg0: 'called' }),
        result({ processId: 'pty', sandboxType: 'none' }),
        {
          differs: {
            real: internal('Unable to spawn called because:\nNo viable candidates found in PATH "/usr/bin:/bin"'),
            why: '`arg0` with a pty',
          },
        },
      ),
    ],
  },
  {
    title: 'an environment policy gives what it says, and `env` wins over it',
    source: 'codex.md §1.4',
    steps: [
      start('none', shell('echo $SET $OWN $HOME'), {
        tty: false,
        env: { OWN: '2', PATH: '/usr/bin:/bin' },
        envPolicy: { ...POLICY, inherit: 'none' },
      }),
      ends('none', { stdout: '1 2\n', exitCode: 0 }),
      start('core', shell('test -n "$PATH" && test -n "$HOME" && echo $SET'), {
        tty: false,
        env: { SET: '3' },
        envPolicy: { ...POLICY, inherit: 'core' },
      }),
      ends('core', { stdout: '3\n', exitCode: 0 }),
    ],
  },
  {
    title: 'members that nobody asked for, and metadata without content, are passed over',
    source: 'codex.md §1.2',
    steps: [
      start('p', ['/bin/true'], { metadata: {}, colour: 'red', arg0: null, envPolicy: null, sandbox: null }),
      ends('p', { exitCode: 0 }),
      start('q', ['/bin/true'], { metadata: null, managedNetwork: null, networkProxy: null }),
      ends('q', { exitCode: 0 }),
    ],
  },
  {
    title: 'what this host cannot enforce is refused, never ignored',
    source: 'codex.md §1.7, observed',
    steps: [
      ask(
        'process/start',
        startParams('p', ['/bin/true'], { enforceManagedNetwork: true }),
        error(-32_602, expect.stringMatching(/^this host cannot enforce `enforceManagedNetwork`/)),
        { differs: { real: result({ processId: 'p', sandboxType: 'none' }), why: 'managed networks' } },
      ),
      ask(
        'process/start',
        startParams('q', ['/bin/true'], { sandbox: { permissions: {} } }),
        error(-32_602, expect.stringMatching(/^sandbox\.permissions/)),
        { differs: { real: error(-32_602, 'missing field `type`'), why: 'texts of refused parameters' } },
      ),
    ],
  },
  {
    title: 'C7: input is written once, however often its id is sent',
    source: 'codex.md §1.4',
    steps: [
      start('p', ['/bin/cat']),
      write('p', 'hello\r', 'w1'),
      write('p', 'other\r', 'w1'),
      { kind: 'prints', processId: 'p', text: 'hello\r\nhello\r\n' },
      write('p', '', 'w2'),
      write('p', '\u0004', 'w3'),
      ends('p', { pty: 'hello\r\nhello\r\n', exitCode: 0 }),
    ],
  },
  {
    title: 'C7: pipes take input where that was asked for',
    source: 'codex.md §1.4',
    steps: [
      start('p', shell('read line; echo "got $line"'), { tty: false, pipeStdin: true }),
      write('p', 'a\n', 'w1'),
      ends('p', { stdout: 'got a\n', exitCode: 0 }),
      start('q', ['/bin/sleep', '60'], { tty: false }),
      ask('process/write', { processId: 'q', chunk: base64('a'), writeId: 'w' }, result({ status: 'stdinClosed' })),
      ask('process/terminate', { processId: 'q' }, result({ running: true })),
    ],
  },
  {
    title: 'C7: writing to nobody, and to a process that has ended',
    source: 'codex.md §1.4, observed',
    steps: [
      ask('process/write', { processId: 'nobody', chunk: '', writeId: 'w' }, result({ status: 'unknownProcess' })),
      start('closed', ['/bin/true'], { tty: false }),
      ends('closed', { exitCode: 0 }),
      ask('process/write', { processId: 'closed', chunk: 'YQ==', writeId: 'w' }, result({ status: 'stdinClosed' })),
      ...[{ tty: true }, { tty: false, pipeStdin: true }].flatMap((params, index) => [
        start(`ended-${index}`, ['/bin/true'], params),
        ends(`ended-${index}`, { exitCode: 0 }),
        ask(
          'process/write',
          { processId: `ended-${index}`, chunk: 'YQ==', writeId: 'w' },
          error(-32_603, 'failed to write to process stdin'),
          { differs: { real: result({ status: 'accepted' }), why: 'a write to a process that has ended' } },
        ),
      ]),
    ],
  },
  {
    title: 'a chunk is base64 with padding, and a write has an id',
    source: 'codex.md §1.4, observed',
    steps: [
      start('p', ['/bin/cat'], { tty: false, pipeStdin: true }),
      ask('process/write', { processId: 'p', chunk: '' }, error(-32_602, 'missing field `writeId`')),
      ask('process/write', { processId: 'p', writeId: 'w' }, error(-32_602, 'missing field `chunk`')),
      ask(
        'process/write',
        { processId: 'p', chunk: '', writeId: '' },
        error(-32_602, expect.stringContaining('`writeId`')),
        {
          differs: { real: error(-32_602, 'writeId must not be empty'), why: PARAMETERS },
        },
      ),
      ...Object.entries({
        '*': 'Invalid symbol 42, offset 0.',
        'ab*d': 'Invalid symbol 42, offset 2.',
        a: 'Invalid input length: 1',
        ab: 'Invalid padding',
        'ab=': 'Invalid padding',
        'a===': 'Invalid symbol 61, offset 1.',
        'ab==cd': 'Invalid symbol 61, offset 2.',
        'YQ==\n': 'Invalid symbol 10, offset 4.',
        'YR==': 'Invalid last symbol 82, offset 1.',
        'YWK=': 'Invalid last symbol 75, offset 2.',
        '_w==': 'Invalid symbol 95, offset 0.',
      }).map(([chunk, problem]) =>
        ask('process/write', { processId: 'p', chunk, writeId: 'w' }, error(-32_602, `${problem} (\`chunk\`)`), {
          differs: { real: error(-32_602, problem), why: PARAMETERS },
        }),
      ),
      write('p', '\u00ff', 'w'),
      ask('process/terminate', { processId: 'p' }, result({ running: true })),
    ],
  },
  {
    title: 'C8: terminate ends what runs, and says of the rest that it does not',
    source: 'codex.md §1.4',
    steps: [
      ask('process/terminate', { processId: 'nobody' }, result({ running: false })),
      ask('process/terminate', {}, error(-32_602, 'missing field `processId`')),
      start('pipe', ['/bin/sleep', '60'], { tty: false }),
      ask('process/terminate', { processId: 'pipe' }, result({ running: true })),
      ends('pipe', { exitCode: 143 }, { real: { exitCode: 137 }, why: TERMINATE }),
      ask('process/terminate', { processId: 'pipe' }, result({ running: false })),
      start('pty', ['/bin/sleep', '60']),
      ask('process/terminate', { processId: 'pty' }, result({ running: true })),
      ends('pty', { exitCode: 143 }, { real: { exitCode: 1 }, why: PTY_KILLED }),
    ],
  },
  {
    title: 'a process that cleans up at its end is given time to',
    source: 'codex.md §1.4',
    steps: [
      start('p', shell('exec 2>/dev/null; trap "echo clean; exit 9" TERM; echo ready; while :; do sleep 0.01; done'), {
        tty: false,
      }),
      { kind: 'prints', processId: 'p', text: 'ready' },
      ask('process/terminate', { processId: 'p' }, result({ running: true })),
      ends(
        'p',
        { stdout: 'ready\nclean\n', exitCode: 9 },
        { real: { stdout: 'ready\n', exitCode: 137 }, why: TERMINATE },
      ),
    ],
  },
  {
    title: 'a signal is an interrupt, to nobody as well',
    source: 'codex.md §1.4, observed',
    steps: [
      ask('process/signal', { processId: 'nobody', signal: 'interrupt' }, result({})),
      ask('process/signal', { processId: 'nobody' }, error(-32_602, 'missing field `signal`')),
      ask(
        'process/signal',
        { processId: 'nobody', signal: 'kill' },
        error(-32_602, expect.stringContaining('`signal`')),
        {
          differs: { real: error(-32_602, 'unknown variant `kill`, expected `interrupt`'), why: PARAMETERS },
        },
      ),
      start('p', shell('trap "echo interrupted; exit 7" INT; echo ready; while :; do sleep 0.01; done'), {
        tty: false,
      }),
      { kind: 'prints', processId: 'p', text: 'ready' },
      ask('process/signal', { processId: 'p', signal: 'interrupt' }, result({})),
      ends('p', { stdout: 'ready\ninterrupted\n', exitCode: 7 }),
      ask('process/signal', { processId: 'p', signal: 'interrupt' }, result({})),
    ],
  },
];
