import { isInRange, parseAddress, parseRange, type IpAddress, type IpRange } from '../../shared/ip-address.ts';

/**
 * Addresses that are no host of the public internet (IANA's registries of special-purpose addresses): this machine, its
 * network, what a cloud tells its machines (169.254.169.254, 100.100.100.200, fd00:ec2::254), and what leads nowhere.
 */
const NOT_PUBLIC = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
].map(knownRange);

/** What is given out of version 6 to hosts; all else is not public. */
const GLOBAL_SIX = knownRange('2000::/3');

/** In it: protocols' own (Teredo among them), examples, and the old way through version 4 (6to4). */
const NOT_PUBLIC_SIX = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(knownRange);

/** Version 6 addresses whose last 32 bits are one of version 4, which is where they lead. */
const EMBEDDING = ['::ffff:0:0/96', '64:ff9b::/96'].map(knownRange);

/** Is that an address of some host of the public internet? False for what is no address. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  return address !== null && isPublic(meantAddress(address));
}

/** The version 4 address that one of version 6 stands for; else itself. */
export function meantAddress(address: IpAddress): IpAddress {
  return address.family === 6 && EMBEDDING.some((range) => isInRange(address, range))
    ? { family: 4, value: address.value & 0xffff_ffffn }
    : address;
}

function isPublic(address: IpAddress): boolean {
  return address.family === 4
    ? !NOT_PUBLIC.some((range) => isInRange(address, range))
    : isInRange(address, GLOBAL_SIX) && !NOT_PUBLIC_SIX.some((range) => isInRange(address, range));
}

function knownRange(text: string): IpRange {
  const range = parseRange(text);
  if (range === null) {
    throw new Error(`${text} is no range of addresses`);
  }
  return range;
}
