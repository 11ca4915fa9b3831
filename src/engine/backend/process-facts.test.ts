import { describe, expect, test } from 'vitest';
import { parseListeningSockets } from './listening-sockets.ts';
import { commandText, cpuMsOf } from './process-facts.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     ';

describe('the listening sockets of /proc/net', () => {
  test('are those in the state LISTEN, by inode', () => {
    const text = [
      HEAD,
      '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 24571 1 0000000000000000 100 0 0 10 0',
      '   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 19 1 0000000000000000 100 0 0 10 0',
      '   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 24600 1 0000000000000000 20 4 30 10 -1',
      '',
    ].join('\n');
    expect([...parseListeningSockets(text, 'tcp')]).toEqual([
      ['24571', { protocol: 'tcp', address: '127.0.0.1', port: 8080 }],
      ['19', { protocol: 'tcp', address: '0.0.0.0', port: 22 }],
    ]);
  });

  test('of IPv6 have an address as people write it', () => {
    const line = (address: string) =>
      `   0: ${address}:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0`;
    const address = (hex: string) => parseListeningSockets(`${HEAD}\n${line(hex)}`, 'tcp').get('1')?.address;
    expect(address('00000000000000000000000000000000')).toBe('::');
    expect(address('00000000000000000000000001000000')).toBe('::1');
    expect(address('B80D0120000000000000000001000000')).toBe('2001:db8::1');
  });

  test('of UDP are those that take packets from anybody', () => {
    const text = [
      HEAD,
      '  10: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 77 2 0000000000000000 0',
      '  11: 0100007F:8235 0100007F:0035 01 00000000:00000000 00:00000000 00000000     0        0 78 2 0000000000000000 0',
    ].join('\n');
    expect([...parseListeningSockets(text, 'udp')]).toEqual([
      ['77', { protocol: 'udp', address: '127.0.0.1', port: 53 }],
    ]);
  });
});

describe('a command line', () => {
  test('is its arguments as one line, without what could make it look like another', () => {
    expect(commandText('python3\0-m\0http.server\0', 'python3')).toBe('python3 -m http.server');
    expect(commandText('a\0b\nc\u001b[2J\0', 'a')).toBe('a b\ufffdc\ufffd[2J');
    expect(commandText('rm \u202etxt.exe\0', 'rm')).toBe('rm \ufffdtxt.exe');
    expect(commandText('', 'kworker')).toBe('[kworker]');
  });

  test('is cut at a thousand characters, and says so', () => {
    expect(commandText(`cc\0${'x'.repeat(5_000)}`, 'cc')).toBe(`cc ${'x'.repeat(996)}…`);
  });
});

test('the time a process has computed for is utime and stime', () => {
  expect(cpuMsOf('42 (a) b) S 7 40 41 0 -1 0 1 0 0 0 12 3 99 99 20 0 1 0 12345 1000 10')).toBe(150);
});
