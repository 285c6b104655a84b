import { readUrlsOfHosts } from '../urls-of-hosts.ts';

interface Node {
  host: string;
  port: number;
}

/** Where a Redis or Valkey is, as REDIS_URL says. */
export type RedisPlace = { hosts: string; isTls: boolean; username?: string; password?: string } & (
  | { mode: 'one'; url: string }
  /** Sentinels say which server is the primary of that name. */
  | { mode: 'sentinel'; nodes: Node[]; name: string; db: number; sentinelPassword?: string }
  | { mode: 'cluster'; nodes: Node[] }
);

const form = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/[^#]*$/i;
const ports = { sentinel: 26_379, cluster: 6_379 };

/**
 * Reads `redis://host`, `redis+sentinel://host1,host2/name` (with `/db` and `?sentinelPassword=` where wanted) and
 * `redis+cluster://host1,host2`; `rediss` is with TLS. Null for anything else.
 */
export function placeOfRedis(url: string): RedisPlace | null {
  try {
    return readPlace(url);
  } catch {
    // A `%` that encodes nothing.
    return null;
  }
}

function readPlace(url: string): RedisPlace | null {
  const [, tls, mode] = form.exec(url) ?? [];
  const urls = readUrlsOfHosts(url);
  if (tls === undefined || urls === null) return null;
  const { username, password, pathname, search } = urls[0] as URL;
  const common = {
    hosts: urls.map(({ host }) => host).join(', '),
    isTls: tls !== '',
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
  if (mode === undefined) return urls.length === 1 ? { mode: 'one', ...common, url } : null;
  const kind = mode.toLowerCase() as 'sentinel' | 'cluster';
  const nodes = urls.map(({ hostname, port }) => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || ports[kind]),
  }));
  // A cluster has one database.
  if (kind === 'cluster') return pathname.length > 1 ? null : { mode: kind, ...common, nodes };
  const [, name, db] = /^\/([^/]+)(?:\/(\d{1,5}))?$/.exec(pathname) ?? [];
  if (name === undefined) return null;
  // Not of URLSearchParams, which reads a plus as a blank.
  const encoded = /[?&]sentinelPassword=([^&]*)/.exec(search)?.[1];
  const sentinelPassword = encoded === undefined ? undefined : decodeURIComponent(encoded);
  return { mode: kind, ...common, nodes, name: decodeURIComponent(name), db: Number(db ?? 0), sentinelPassword };
}
