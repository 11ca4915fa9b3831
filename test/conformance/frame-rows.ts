import { expect } from 'vitest';
import { MAX_REQUESTS_IN_FLIGHT } from '../../src/protocol/exec-server/exec-connection.ts';
import { MAX_FRAME_BYTES } from '../../src/protocol/exec-server/frame-limits.ts';
import {
  ask,
  base64,
  CLOSED,
  ends,
  error,
  malformed,
  page,
  result,
  send,
  shell,
  start,
  startParams,
  type ConformanceRow,
} from './conformance-row.ts';

const STATUS = '"method":"environment/status"';
const READY = { status: 'ready' };

/** A frame whose id is read, with an answer that repeats it. */
const echoed = (id: string, answered = id) =>
  send([`{"id":${id},${STATUS}}`], [`{"id":${answered},"result":{"status":"ready"}}`]);

const refused = (frame: unknown, why: string) => send([frame], [malformed(why)]);

const inStatus = (params: string) => `{"id":1,${STATUS},"params":${params}}`;
const listOf = (count: number) => `[${Array.from({ length: count }, () => '0').join(',')}]`;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
/** Answered, since it is a message; the parameters are then refused for their type. */
const isMessage = (params: string, type: string) =>
  send([inStatus(params)], [{ ...error(-32_602, expect.stringContaining('invalid params: ')), id: 1 }], {
    real: [{ ...error(-32_602, `invalid type: ${type}, expected unit`), id: 1 }],
    why: 'texts of refused parameters',
  });

const padded = (bytes: number) => {
  const frame = `{"id":1,${STATUS},"x":""}`;
  return frame.replace('""', `"${'a'.repeat(bytes - frame.length)}"`);
};

const notUtf8 = (before: string, after: string) =>
  Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);

const READ = { id: 7, method: 'process/read', params: { processId: 'p', waitMs: 300 } };

export const frameRows: readonly ConformanceRow[] = [
  {
    title: 'an id is a string or an integer of 64 bits, and comes back exactly',
    source: 'codex.md §1.2, observed',
    steps: [
      echoed('0'),
      echoed('-5'),
      echoed('-0', '0'),
      echoed('9007199254740993'),
      echoed('9223372036854775807'),
      echoed('-9223372036854775808'),
      echoed('""'),
      echoed('"text \\u0000 é \\" 😀"'),
      echoed('"\\u0061"', '"a"'),
    ],
  },
  {
    title: 'another id is malformed, and the connection goes on',
    source: 'codex.md §1.2 and transcript E, observed',
    steps: ['null', '1.5', '1.0', '1e2', 'true', '{}', '[1]', '9223372036854775808'].map((id) =>
      refused(`{"id":${id},${STATUS}}`, 'data did not match any variant of untagged enum RequestId'),
    ),
  },
  {
    title: 'what is no JSON is malformed, and the connection goes on',
    webSocketOnly: true,
    source: 'codex.md §1.2 and transcript E, observed',
    steps: [
      refused('not json', 'expected ident at line 1 column 2'),
      refused('', 'EOF while parsing a value at line 1 column 0'),
      refused(' \n', 'EOF while parsing a value at line 2 column 0'),
      refused('{', 'EOF while parsing an object at line 1 column 1'),
      refused('{"a":1,}', 'trailing comma at line 1 column 8'),
      refused('{"a" 1}', 'expected `:` at line 1 column 6'),
      refused('{1:2}', 'key must be a string at line 1 column 2'),
      refused('[1 2]', 'expected `,` or `]` at line 1 column 4'),
      refused('{"id":00}', 'invalid number at line 1 column 8'),
      refused('"\\x"', 'invalid escape at line 1 column 3'),
      refused('"a\nb"', 'control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0'),
      refused(`{"id":1,${STATUS}}x`, 'trailing characters at line 1 column 39'),
      refused(`{"id":1,${STATUS}}{"id":2,${STATUS}}`, 'trailing characters at line 1 column 39'),
      refused(`\ufeff{"id":1,${STATUS}}`, 'expected value at line 1 column 1'),
    ],
  },
  {
    title: 'text that no UTF-8 can carry is malformed',
    webSocketOnly: true,
    source: 'observed',
    steps: [
      refused('{"id":1,"method":"\\ud800"}', 'unexpected end of hex escape at line 1 column 25'),
      refused('{"id":1,"method":"\\ud800\\u0041"}', 'lone leading surrogate in hex escape at line 1 column 30'),
      send([notUtf8('{"id":1,"method":"x', '"}')], [malformed('invalid unicode code point')], {
        real: [malformed('invalid unicode code point at line 1 column 21')],
        why: 'where a binary frame is no UTF-8',
      }),
    ],
  },
  {
    title: 'a key that an object has twice is malformed, at any depth',
    source: 'observed',
    steps: [
      refused(`{"id":1,${STATUS},"id":2}`, 'duplicate JSON object key `id` at line 1 column 42'),
      refused(`{"id":1,${STATUS},"params":{"a":1,"a":2}}`, 'duplicate JSON object key `a` at line 1 column 57'),
      refused(`{"id":1,${STATUS},"i\\u0064":2}`, 'duplicate JSON object key `id` at line 1 column 47'),
    ],
  },
  {
    title: 'a message is an object: a batch is none, nor is anything else',
    source: 'observed',
    steps: ['[]', `[{"id":1,${STATUS}}]`, 'null', '1', '"x"', 'true'].map((frame) =>
      refused(frame, 'expected a JSON-RPC object'),
    ),
  },
  {
    title: 'a message of no known shape is malformed',
    source: 'observed',
    steps: [
      refused('{}', 'missing field `error`'),
      refused('{"id":1}', 'missing field `error`'),
      refused('{"params":{}}', 'missing field `error`'),
      refused('{"result":1}', 'missing field `id`'),
      refused('{"id":null,"result":{}}', 'data did not match any variant of untagged enum RequestId'),
      refused('{"id":99,"error":{}}', 'missing field `code`'),
      refused('{"id":99,"error":5}', 'invalid type: number, expected struct JSONRPCErrorError'),
      refused('{"error":{"code":1,"message":"x"}}', 'missing field `id`'),
      refused('{"id":1,"method":5}', 'invalid type: number, expected a string'),
      refused('{"id":1,"method":null}', 'invalid type: null, expected a string'),
      refused('{"method":true}', 'invalid type: boolean `true`, expected a string'),
      refused(`{"id":1,${STATUS},"trace":5}`, 'invalid type: number, expected struct W3cTraceContext'),
      refused(`{"id":1,${STATUS},"trace":{"traceparent":5}}`, 'invalid type: number, expected a string'),
    ],
  },
  {
    title: 'members that mean nothing are passed over, in any order and with any spaces',
    webSocketOnly: true,
    source: 'codex.md §1.2, observed',
    steps: [
      `{"id":1,${STATUS},"jsonrpc":"1.0"}`,
      `{"id":1,${STATUS},"trace":null}`,
      `{"trace":{"traceparent":"00-1","tracestate":null},${STATUS},"id":1}`,
      `{"id":1,${STATUS},"result":{},"error":5,"ID":2}`,
      ` \t\r\n{ "id" : 1 , "method" : "environment/status" }\n`,
    ].map((frame) => send([frame], [{ id: 1, result: READY }])),
  },
  ...[
    ['an answer', '{"id":99,"result":{}}'],
    ['an answer without a value', '{"id":99,"result":null}'],
    ['a refusal', '{"id":99,"error":{"code":1,"message":"x"}}'],
    ['an unknown notification', '{"method":"foo"}'],
    ["a request's method without an id", '{"method":"initialize","params":{"clientName":"x"}}'],
    ["a notification of the server's", '{"method":"process/output","params":{}}'],
    ['a request whose id is spelt otherwise', `{"ID":1,${STATUS}}`],
  ].map(([what = '', frame = '']) => ({
    title: `${what} ends the connection`,
    source: 'codex.md §1.2, observed',
    steps: [send([frame], [CLOSED])],
  })),
  {
    title: 'nothing that was sent behind a breach of the protocol is done',
    source: 'observed',
    steps: [
      send(
        [
          { id: 99, result: {} },
          { id: 1, method: 'process/start', params: startParams('p', ['/bin/sleep', '60']) },
        ],
        [CLOSED],
      ),
    ],
  },
  {
    title: 'a binary frame is a message as well',
    webSocketOnly: true,
    source: 'codex.md §1.1',
    steps: [
      send([Buffer.from(`{"id":1,${STATUS}}`)], [{ id: 1, result: READY }]),
      refused(Buffer.alloc(0), 'EOF while parsing a value at line 1 column 0'),
    ],
  },
  {
    title: 'objects and arrays may be open 127 deep, and not one deeper',
    source: 'codex.md §1.1, observed',
    steps: [
      isMessage(nested(126), 'sequence'),
      isMessage('{"a":'.repeat(126) + '1' + '}'.repeat(126), 'map'),
      refused(inStatus(nested(127)), 'recursion limit exceeded at line 1 column 174'),
      refused(inStatus('{"a":'.repeat(127)), 'recursion limit exceeded at line 1 column 678'),
      refused('['.repeat(100_000), 'recursion limit exceeded at line 1 column 128'),
      echoed('1'),
    ],
  },
  {
    title: 'a message may have 262144 values, and not one more; keys are none',
    source: 'codex.md §1.1, observed',
    steps: [
      isMessage(listOf(262_140), 'sequence'),
      refused(
        inStatus(listOf(262_141)),
        'JSON-RPC message exceeds the limit of 262144 JSON values at line 1 column 524328',
      ),
      refused(listOf(300_000), 'JSON-RPC message exceeds the limit of 262144 JSON values at line 1 column 524287'),
      echoed('1'),
    ],
  },
  {
    title: 'a frame of 16 MiB is taken, one byte more ends the connection',
    webSocketOnly: true,
    source: 'codex.md §1.1, observed',
    steps: [
      send([padded(MAX_FRAME_BYTES)], [{ id: 1, result: READY }]),
      send([padded(MAX_FRAME_BYTES + 1)], [{ closed: 1009 }], {
        real: [CLOSED],
        why: 'the end of a connection by the server',
      }),
    ],
  },
  {
    title: 'requests that share an id are answered in the order they came',
    source: 'observed',
    steps: [
      start('p', ['/bin/sleep', '60']),
      send(
        [READ, { id: 7, method: 'environment/status' }],
        [
          { id: 7, ...page({}) },
          { id: 7, result: READY },
        ],
      ),
      ask('process/terminate', { processId: 'p' }, result({ running: true })),
    ],
  },
  {
    title: 'a long poll delays no other request',
    source: 'codex.md §1.2',
    steps: [
      start('p', ['/bin/sleep', '60']),
      send(
        [READ, { id: 8, method: 'environment/status' }],
        [
          { id: 8, result: READY },
          { id: 7, ...page({}) },
        ],
        {
          real: [
            { id: 7, ...page({}) },
            { id: 8, result: READY },
          ],
          why: 'requests of one connection',
        },
      ),
      ask('process/terminate', { processId: 'p' }, result({ running: true })),
    ],
  },
  {
    title: 'more requests than are allowed at once are refused, and those that end a process are not',
    source: 'docs/exec-server.md',
    notAskedOfReal: 'it has no bound: it stops reading, so that the request that would end the wait is not read either',
    steps: [
      start('p', ['/bin/sleep', '60'], { tty: false }),
      send(
        [
          ...Array.from({ length: MAX_REQUESTS_IN_FLIGHT }, (_, id) => ({
            id,
            method: 'process/read',
            params: { processId: 'p', waitMs: 60_000, maxBytes: 1 },
          })),
          { id: 'one more', method: 'environment/info' },
          { id: 'end', method: 'process/terminate', params: { processId: 'p' } },
        ],
        [
          {
            ...error(-32_001, 'more than 1024 requests are not answered yet: wait for answers'),
            id: 'one more',
          },
          { id: 'end', ...result({ running: true }) },
          ...Array.from({ length: MAX_REQUESTS_IN_FLIGHT }, (_, id) => ({
            id,
            ...page({ nextSeq: expect.any(Number), exited: true, exitCode: 143, closed: expect.any(Boolean) }),
          })),
        ],
      ),
      ends('p', { exitCode: 143 }),
      ask('environment/status', undefined, result(READY)),
    ],
  },
  {
    title: 'a start and what follows it may be sent at once',
    source: 'observed',
    steps: [
      send(
        [
          { id: 1, method: 'process/start', params: startParams('p', shell('read line; exit 3')) },
          { id: 2, method: 'process/write', params: { processId: 'p', chunk: base64('x\r'), writeId: 'w' } },
          { id: 3, method: 'process/terminate', params: { processId: 'nobody' } },
        ],
        [
          { id: 2, ...result({ status: 'starting' }) },
          { id: 3, ...result({ running: false }) },
          { id: 1, ...result({ processId: 'p', sandboxType: 'none' }) },
        ],
        {
          real: [
            { id: 1, ...result({ processId: 'p', sandboxType: 'none' }) },
            { id: 2, ...result({ status: 'accepted' }) },
            { id: 3, ...result({ running: false }) },
          ],
          why: 'requests of one connection',
        },
      ),
      ask('process/terminate', { processId: 'p' }, result({ running: expect.any(Boolean) })),
    ],
  },
];
