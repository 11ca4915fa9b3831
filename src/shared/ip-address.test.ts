import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isInRange, parseAddress, parseRange } from './ip-address.ts';

describe('an address', () => {
  test('is read in its usual form', () => {
    expect(parseAddress('127.0.0.1')).toEqual({ family: 4, value: 0x7f00_0001n });
    expect(parseAddress('::1')).toEqual({ family: 6, value: 1n });
    expect(parseAddress('::')).toEqual({ family: 6, value: 0n });
    expect(parseAddress('2001:db8::')).toEqual({ family: 6, value: 0x2001_0db8n << 96n });
    expect(parseAddress('::ffff:10.0.0.1')).toEqual({ family: 6, value: 0xffff_0a00_0001n });
  });

  test.each([
    ...[
      '',
      '127.1',
      '0x7f000001',
      '2130706433',
      '010.0.0.1',
      '1.2.3',
      '1.2.3.4.5',
      '1.2.3.256',
      '1.2.3.4 ',
      'example.org',
    ],
    ...[
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '::1%lo',
      '12345::',
      ':1',
      '1:',
      '::1.2.3',
      '1:2:3:4:5:6:7:1.2.3.4',
    ],
  ])('%j is none', (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  test('every one of version 4 and 6 is read, and read as itself', () => {
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        const value = text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
        expect(parseAddress(text)).toEqual({ family: 4, value });
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        expect(parseAddress(text)).toMatchObject({ family: 6 });
      }),
    );
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 128n) - 1n), (value) => {
        const groups = Array.from({ length: 8 }, (_none, at) => (value >> BigInt(16 * (7 - at))) & 0xffffn);
        expect(parseAddress(groups.map((group) => group.toString(16)).join(':'))).toEqual({ family: 6, value });
      }),
    );
  });
});

describe('a range', () => {
  test('has the addresses that begin with its bits, and no others', () => {
    const range = parseRange('10.1.0.0/16');
    expect(range).toEqual({ family: 4, first: 0x0a01_0000n, bits: 16 });
    const has = (text: string) => {
      const address = parseAddress(text);
      return address !== null && range !== null && isInRange(address, range);
    };
    expect(['10.1.0.0', '10.1.255.255', '10.0.255.255', '10.2.0.0', '::a01:0'].map(has)).toEqual([
      ...[true, true, false, false, false],
    ]);
  });

  test('of one address is that address, and of no bits everything of its family', () => {
    expect(parseRange('10.1.2.3')).toEqual({ family: 4, first: 0x0a01_0203n, bits: 32 });
    expect(parseRange('::/0')).toEqual({ family: 6, first: 0n, bits: 0 });
  });

  test.each(['10.1.2.3/8', '10.0.0.0/33', '10.0.0.0/', '/8', '::1/64', '::/129', '10.0.0.0/8/8'])(
    '%j is none',
    (text) => {
      expect(parseRange(text)).toBeNull();
    },
  );
});
