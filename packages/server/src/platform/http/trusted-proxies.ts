import { isIPv4, isIPv6 } from 'node:net';
import type { Config } from '../config/config.ts';

/**
 * Fastify's form of TRUST_PROXY. It takes a bare number of hops for a mistake and then trusts nobody, so hops are
 * counted here: the connection's own address is hop 0, the last address of X-Forwarded-For hop 1.
 */
export function trustedProxies(
  setting: Config['TRUST_PROXY'],
): false | string[] | ((ip: string, hop: number) => boolean) {
  return typeof setting === 'number' ? (_ip, hop) => hop < setting : setting;
}

/**
 * The address under which a caller is counted. IPv6 addresses of one /64 count as one, because one customer has a whole
 * /64. An IPv4 address written as IPv6 counts as IPv4.
 */
export function countedAddress(ip: string): string {
  if (!ip.includes(':')) return ip;
  const address = ip.split('%')[0] as string;
  if (!isIPv6(address)) return ip;
  const dotted = address.slice(address.lastIndexOf(':') + 1);
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  if (all.slice(0, 6).join(':') === '0:0:0:0:0:ffff') return isIPv4(dotted) ? dotted : ipv4Of(all.slice(6));
  return `${all.slice(0, 4).join(':')}::/64`;
}

const ipv4Of = (groups: string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((number) => [number >> 8, number & 255])
    .join('.');
