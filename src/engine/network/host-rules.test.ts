import { describe, expect, test } from 'vitest';
import { canonicalHost } from './host-gate.ts';
import { HostRules } from './host-rules.ts';
import { isPublicAddress } from './special-addresses.ts';

describe('a public address', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
  ])('is %s', (text) => {
    expect(isPublicAddress(text)).toBe(true);
  });

  test.each([
    ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...['::', '::1', 'fe80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe'],
    ...['64:ff9b::10.0.0.1', '2002:7f00:1::', '2001::1', '2001:db8::1', '::127.0.0.1', 'example.org', ''],
  ])('is not %j', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

describe('the rules of a sandbox', () => {
  const rules = new HostRules({
    allowed: ['example.org', '*.example.com', '10.1.0.0/16:5432', 'inner.test'],
    denied: ['secret.example.com', '10.1.9.0/24:*', '93.184.0.0/16'],
  });

  test.each([
    ['example.org', 443, null],
    ['www.example.com', 443, null],
    ['secret.example.com', 443, 'denied'],
    ['elsewhere.test', 443, 'not-listed'],
    ['example.org', 22, 'not-listed'],
    ['10.1.2.3', 5432, null],
    ['10.1.9.3', 5432, 'denied'],
    ['10.2.0.1', 5432, 'not-listed'],
  ] as const)('of the host %s:%i say %s', (host, port, expected) => {
    expect(rules.judgeHost(host, port)).toBe(expected);
  });

  test.each([
    ['1.1.1.1', 443, null],
    ['127.0.0.1', 443, 'not-public'],
    ['10.1.2.3', 5432, null],
    ['10.1.2.3', 443, 'not-public'],
    ['::ffff:10.1.2.3', 5432, null],
    ['10.1.9.3', 5432, 'denied'],
    ['::ffff:10.1.9.3', 5432, 'denied'],
    ['93.184.216.34', 443, 'denied'],
  ] as const)('of an address %s:%i that an allowed name has say %s', (address, port, expected) => {
    expect(rules.judgeAddress(address, port)).toBe(expected);
  });

  test('that all hosts may be reached leaves out what is not public', () => {
    const all = new HostRules({ allowed: ['*'], denied: [] });
    expect([all.judgeHost('any.test', 443), all.judgeAddress('192.168.0.1', 443)]).toEqual([null, 'not-public']);
  });

  test('that cannot be read are refused', () => {
    expect(() => new HostRules({ allowed: ['*.org'], denied: [] })).toThrow("'*.org' is no host");
  });
});

describe('a host as it is asked for', () => {
  test.each([
    ['Example.ORG', 'example.org'],
    ['example.org.', 'example.org'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['127.1', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['::FFFF:127.0.0.1', '::ffff:7f00:1'],
    ['0:0::1', '::1'],
  ])('%s is %s', (text, host) => {
    expect(canonicalHost(text)).toBe(host);
  });

  test.each(['', 'a b', 'a/b', 'user@a', 'a:80', 'a?b', 'a#b', 'a%41', 'a\\b', '::1%lo', '1.2.3.256', 'a\0b'])(
    '%j is none',
    (text) => {
      expect(canonicalHost(text)).toBeNull();
    },
  );
});
