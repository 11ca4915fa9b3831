import { describe, expect, test } from 'vitest';
import { readClientFrame } from './client-frame.ts';

describe('readClientFrame', () => {
  test.each([
    ['{"id":1,"method":"m","params":{"a":1}}', { kind: 'request', idText: '1', method: 'm', params: { a: 1 } }],
    ['{"jsonrpc":"1.0","id":"x","method":"","x":1}', { kind: 'request', idText: '"x"', method: '', params: undefined }],
    ['{"id":-0,"method":"m"}', { kind: 'request', idText: '0', method: 'm', params: undefined }],
    ['{"id":"\\u0061","method":"m"}', { kind: 'request', idText: '"a"', method: 'm', params: undefined }],
    [
      '{"id":-9223372036854775808,"method":"m","trace":{"traceparent":"00","tracestate":null}}',
      { kind: 'request', idText: '-9223372036854775808', method: 'm', params: undefined },
    ],
    ['{"method":"m","result":1}', { kind: 'notification', method: 'm' }],
    ['{"id":1,"result":null}', { kind: 'response' }],
    ['{"id":1,"error":{"code":1,"message":""}}', { kind: 'response' }],
  ])('reads %s', (text, frame) => {
    expect(readClientFrame(text)).toEqual(frame);
  });

  test.each([
    ['[{"id":1,"method":"m"}]', 'expected a JSON-RPC object'],
    ['null', 'expected a JSON-RPC object'],
    ['{}', 'missing field `error`'],
    ['{"result":1}', 'missing field `id`'],
    ['{"id":1,"error":{"code":1}}', 'missing field `message`'],
    ['{"id":1,"error":null}', 'invalid type: null, expected struct JSONRPCErrorError'],
    ['{"id":1,"method":true}', 'invalid type: boolean `true`, expected a string'],
    ['{"method":["m"]}', 'invalid type: sequence, expected a string'],
    ['{"id":1,"method":"m","trace":"x"}', 'invalid type: string "x", expected struct W3cTraceContext'],
    ['{"id":1,"method":"m","trace":{"tracestate":{}}}', 'invalid type: map, expected a string'],
  ])('refuses %s', (text, problem) => {
    expect(() => readClientFrame(text)).toThrow(problem);
  });

  test.each(['null', '1.5', '1.0', '1e2', 'true', '{}', '[1]', '9223372036854775808', '-9223372036854775809'])(
    'refuses the id %s',
    (id) => {
      expect(() => readClientFrame(`{"id":${id},"method":"m"}`)).toThrow('untagged enum RequestId');
      expect(() => readClientFrame(`{"id":${id},"result":1}`)).toThrow('untagged enum RequestId');
    },
  );
});
