import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { marksInEnvironment, newHostId, partsOfMark, sessionMark, withSessionMark } from './session-mark.ts';

const text = (environment: Readonly<Record<string, string>>) =>
  Object.entries(environment)
    .map(([name, value]) => `${name}=${value}\0`)
    .join('');

describe('the mark of a session', () => {
  test('is found in the environment it was put into, whatever else is in there', () => {
    const name = fc.stringMatching(/^[A-Z_]{1,20}$/);
    const value = fc.string().map((any) => any.replaceAll('\0', ''));
    fc.assert(
      fc.property(fc.dictionary(name, value), (environment) => {
        const mark = sessionMark(newHostId(), 'session-1');
        expect(marksInEnvironment(text(withSessionMark(environment, mark, {})))).toEqual([mark]);
      }),
    );
  });

  test('replaces one that was asked for, and follows those of the sessions around it', () => {
    const asked = { SHELLSCOPE_SESSION: 'h:asked', PATH: '/bin' };
    expect(withSessionMark(asked, 'h:s', {})).toEqual({ SHELLSCOPE_SESSION: 'h:s', PATH: '/bin' });
    const inner = withSessionMark(asked, 'h:s', { SHELLSCOPE_SESSION: 'a:1,b:2' });
    expect(marksInEnvironment(text(inner))).toEqual(['a:1', 'b:2', 'h:s']);
  });

  test('drops what stands in its place around it and is no mark', () => {
    for (const outer of ['', 'no mark', 'a:1,', `a:${'1'.repeat(2_000)}`]) {
      expect(withSessionMark({}, 'h:s', { SHELLSCOPE_SESSION: outer })).toEqual({ SHELLSCOPE_SESSION: 'h:s' });
    }
  });

  test('is not seen in a value, in another name, or in an environment without one', () => {
    expect(marksInEnvironment('A=SHELLSCOPE_SESSION=h:s\0')).toEqual([]);
    expect(marksInEnvironment('MY_SHELLSCOPE_SESSION=h:s\0')).toEqual([]);
    expect(marksInEnvironment('')).toEqual([]);
    expect(marksInEnvironment('SHELLSCOPE_SESSION=h:s')).toEqual(['h:s']);
  });

  test('has two parts', () => {
    expect(partsOfMark('h-1:session-2')).toEqual({ hostId: 'h-1', sessionId: 'session-2' });
    expect(partsOfMark('h')).toBeNull();
    expect(partsOfMark(':s')).toBeNull();
    expect(partsOfMark('h:s:t')).toBeNull();
  });

  test('differs from host to host', () => {
    expect(newHostId()).not.toBe(newHostId());
    expect(newHostId()).toMatch(/^[0-9a-f]{32}$/);
  });
});
