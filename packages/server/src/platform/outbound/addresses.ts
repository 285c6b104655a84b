import { BlockList, isIP } from 'node:net';

/**
 * Decides which addresses a user may make the server call. Only plain public Internet addresses are allowed. Refused
 * are this machine, its networks, carriers' networks, cloud metadata, multicast, documentation, and translations to
 * IPv4.
 */

const special4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure's own services of a machine.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

const special6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const refused = new BlockList();
for (const [net, prefix] of special4) refused.addSubnet(net, prefix);
for (const [net, prefix] of special6) refused.addSubnet(net, prefix, 'ipv6');

/** All that is handed out to the Internet so far. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** Networks with IPv6 alone reach IPv4 addresses through this prefix. */
const nat64 = new BlockList();
nat64.addSubnet('64:ff9b::', 96, 'ipv6');

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** The IPv4 address in the last 32 bits. */
function lastFour(address: string): string {
  const dotted = /(?:^|:)(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const [head = '', tail] = address.split('::');
  const words = (tail ?? head).split(':').filter((word) => word !== '');
  const [high = 0, low = 0] = ['0', '0', ...words].slice(-2).map((word) => Number.parseInt(word, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const without = (address: string) => address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');

/** Whether a literal address is this machine itself. */
export function isLoopbackAddress(address: string): boolean {
  const bare = without(address);
  const family = isIP(bare);
  return (
    family !== 0 && !bare.toLowerCase().startsWith('::ffff:') && loopback.check(bare, family === 4 ? 'ipv4' : 'ipv6')
  );
}

/** Whether a literal address is a place on the public Internet. */
export function isPublicAddress(address: string): boolean {
  const bare = without(address);
  const family = isIP(bare);
  if (family === 4) return !refused.check(bare);
  if (family !== 6) return false;
  if (nat64.check(bare, 'ipv6')) return isPublicAddress(lastFour(bare));
  return global6.check(bare, 'ipv6') && !refused.check(bare, 'ipv6');
}
