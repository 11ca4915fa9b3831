import { describe, expect, test } from 'vitest';
import { hostPatternFor, matchesHost, parseHostPattern } from './host-pattern.ts';

function matches(text: string, host: string, port: number): boolean {
  const pattern = parseHostPattern(text);
  if ('wrong' in pattern) {
    throw new Error(pattern.wrong);
  }
  return matchesHost(pattern, host, port);
}

describe('a host pattern', () => {
  test.each([
    ['example.org', 'example.org', 443, true],
    ['example.org', 'example.org', 80, true],
    ['Example.ORG', 'example.org', 443, true],
    ['example.org', 'example.org', 22, false],
    ['example.org:22', 'example.org', 22, true],
    ['example.org:22', 'example.org', 443, false],
    ['example.org:*', 'example.org', 1, true],
    ['example.org', 'www.example.org', 443, false],
    ['example.org', 'badexample.org', 443, false],
    ['*.example.org', 'www.example.org', 443, true],
    ['*.example.org', 'a.b.example.org', 443, true],
    ['*.example.org', 'example.org', 443, false],
    ['*.example.org', 'badexample.org', 443, false],
    ['*.example.org', 'example.org.evil.test', 443, false],
    ['*.example.org:8443', 'www.example.org', 8443, true],
    ['*', 'anything.test', 443, true],
    ['*', 'anything.test', 25, false],
    ['10.0.0.0/8', '10.9.8.7', 80, true],
    ['10.0.0.0/8:5432', '10.9.8.7', 5432, true],
    ['10.0.0.0/8', '11.0.0.0', 80, false],
    ['10.0.0.0/8', '10.example.org', 80, false],
    ['[::1]:3000', '::1', 3000, true],
    ['[fd00::]/8:*', 'fd12::1', 9, true],
    ['localhost', 'localhost', 80, true],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example', 443, true],
    ['_dmarc.example.org', '_dmarc.example.org', 443, true],
  ] as const)('%s and %s:%i: %s', (text, host, port, expected) => {
    expect(matches(text, host, port)).toBe(expected);
  });

  test.each([
    ['', 'write a name'],
    ['https://example.org', 'leave out what stands before and behind the name'],
    ['example.org/path', 'write the first address'],
    ['*.org', 'every host below .org'],
    ['*example.org', 'a * stands alone, or before the first dot'],
    ['www.*.org', 'a * stands alone, or before the first dot'],
    ['bücher.example', 'write the name in ASCII'],
    ['exam ple.org', 'write a name'],
    ['example.org.', 'write a name'],
    ['example..org', 'write a name'],
    ['-example.org', 'write a name'],
    ['example.org:0', 'a port is a number from 1 to 65535'],
    ['example.org:70000', 'a port is a number from 1 to 65535'],
    ['example.org:http', 'write a name'],
    ['10.1.2.3/8', 'write the first address'],
    ['127.1', 'all four numbers'],
    ['2130706433', 'all four numbers'],
    ['0x7f000001', 'all four numbers'],
    ['user@example.org', 'write a name'],
    [`${'a'.repeat(64)}.org`, 'write a name'],
  ])('%j is refused, and says how to write it', (text, why) => {
    const pattern = parseHostPattern(text);
    expect(pattern).toEqual({ wrong: expect.stringContaining(why) as string });
    expect('wrong' in pattern && pattern.wrong).toContain(`'${text}' is no host`);
  });

  test('that is proposed for a host fits it', () => {
    for (const [host, port, written] of [
      ['example.org', 443, 'example.org'],
      ['example.org', 8080, 'example.org:8080'],
      ['127.0.0.1', 80, '127.0.0.1'],
      ['::1', 3000, '[::1]:3000'],
    ] as const) {
      expect(hostPatternFor(host, port)).toBe(written);
      expect(matches(written, host, port)).toBe(true);
    }
  });
});
