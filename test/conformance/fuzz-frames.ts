import fc from 'fast-check';

/**
 * Frames as a careless, a broken and a hostile client would send them. Nothing in them can harm the machine: the programs
 * are fixed, polls are short, and what is not JSON any more after a change is not read.
 */

const PROCESS_IDS = ['p1', 'p2', 'p3', '', '__proto__'];

/** A value of the right kind most of the time. */
const mostly = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary, weight: 9 }, { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 });

const processId = mostly(fc.constantFrom(...PROCESS_IDS));
const count = fc.constantFrom<unknown>(0, 1, 5, -1, 1.5, null, '1', 2 ** 53, [], undefined);
const base64 = fc.oneof(fc.base64String({ maxLength: 40 }), fc.constantFrom('*', 'YQ', 'YR==', 'BA==', 'DQ=='));

/** Never a value of another kind where that might start something else, or wait for long. */
const PARAMS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  initialize: fc.record({
    clientName: mostly(fc.string()),
    resumeSessionId: fc.constantFrom(null, undefined, 'x', 5),
  }),
  'environment/info': fc.constantFrom<unknown>(undefined, null, {}, [], 5),
  'environment/status': fc.constantFrom<unknown>(undefined, null, {}, { a: 1 }, 'x'),
  'process/start': fc.record({
    processId,
    argv: fc.constantFrom<unknown>(['/bin/true'], ['/bin/cat'], ['/no/such/program'], [], [''], 'true', [5], ['a\0b']),
    cwd: fc.constantFrom<unknown>('file:///tmp', '/tmp', 'file:///no', 'http://x/', 'file:///%', 'file:///%00', 5),
    env: mostly(fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }))),
    tty: mostly(fc.boolean()),
    pipeStdin: fc.constantFrom(true, false, undefined, null),
    arg0: fc.constantFrom(undefined, null, 'x', 5),
    envPolicy: fc.constantFrom<unknown>(undefined, null, {}, { inherit: 'none' }),
    sandbox: fc.constantFrom<unknown>(undefined, null, {}),
    metadata: fc.constantFrom<unknown>(undefined, null, {}, { threadId: 5 }),
  }),
  'process/read': fc.record({ processId, afterSeq: count, maxBytes: count, waitMs: count.map(bounded) }),
  'process/write': fc.record({ processId, chunk: mostly(base64), writeId: mostly(fc.string({ maxLength: 3 })) }),
  'process/signal': fc.record({ processId, signal: fc.constantFrom<unknown>('interrupt', 'kill', 5, undefined) }),
  'process/terminate': fc.record({ processId }),
};

/** 2^53 milliseconds would be a poll without an end. */
function bounded(waitMs: unknown): unknown {
  return waitMs === 2 ** 53 ? 7 : waitMs;
}

const id = fc.oneof(
  { arbitrary: fc.integer(), weight: 8 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 8 }), weight: 4 },
  { arbitrary: fc.jsonValue({ maxDepth: 1 }), weight: 1 },
);

const request = fc
  .constantFrom(...Object.keys(PARAMS))
  .chain((method) => fc.record({ id, method: fc.constant(method), params: PARAMS[method] ?? fc.constant(null) }));

const text = (value: unknown) => JSON.stringify(value) ?? 'undefined';
const requestText = request.map(text);

/** One character more, less or other; a digit may not lengthen a wait, nor a letter name another program. */
const mutated = fc
  .tuple(requestText, fc.nat(), fc.constantFrom(...'{}[]",:\\u-. \n\u0000é'.split('')), fc.nat({ max: 2 }))
  .map(([frame, at, character, cut]) => {
    const place = at % (frame.length + 1);
    return frame.slice(0, place) + (cut === 2 ? '' : character) + frame.slice(place + Math.min(cut, 1));
  });

const message = fc.oneof(
  fc.record({ method: fc.oneof(fc.constantFrom('initialized', 'process/output', 'exit'), fc.string()) }),
  fc.record({ id, result: fc.jsonValue({ maxDepth: 1 }) }),
  fc.record({ id, error: fc.oneof(fc.constant({ code: 1, message: '' }), fc.jsonValue({ maxDepth: 1 })) }),
  fc.record({ id, method: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 1 })), trace: fc.jsonValue({ maxDepth: 1 }) }),
  fc.array(request, { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 4 }),
);

const large = fc.constantFrom(
  '['.repeat(200_000),
  '{"a":'.repeat(500),
  `[${'0,'.repeat(300_000)}0]`,
  `{"id":1,"method":"${'x'.repeat(300_000)}"}`,
  `{"id":"${'\\u0041'.repeat(50_000)}","method":"environment/status"}`,
  '"'.padEnd(1_000_000, '\\"'),
);

/** A text frame or a binary one. */
export const fuzzFrame: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { arbitrary: requestText, weight: 40 },
  { arbitrary: mutated, weight: 30 },
  { arbitrary: message.map(text), weight: 15 },
  { arbitrary: fc.string({ unit: 'binary' }), weight: 5 },
  { arbitrary: fc.uint8Array(), weight: 8 },
  { arbitrary: large, weight: 1 },
);

/** True for the only message that is neither answered nor the end of a connection. */
export function isInitialized(frame: string | Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(frame).toString());
    return (
      typeof value === 'object' &&
      value !== null &&
      !('id' in value) &&
      (value as { readonly method?: unknown }).method === 'initialized'
    );
  } catch {
    return false;
  }
}
