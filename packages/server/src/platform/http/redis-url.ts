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

const form = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/((?:[^@/?#]*@)?)([^/?#]+)([^#]*)$/i;
const ports = { sentinel: 26_379, cluster: 6_379 };

/**
 * Reads `redis://host`, `redis+sentinel://host1,host2/name` (with `/db` and `?sentinelPassword=` where wanted) and
 * `redis+cluster://host1,host2`; `rediss` is with TLS. Null for anything else.
 */
export function placeOfRedis(url: string): RedisPlace | null {
  const [, tls, mode, user = '', hosts = '', rest = ''] = form.exec(url) ?? [];
  const each = hosts.split(',').map((host) => `redis://${user}${host}${rest}`);
  if (hosts === '' || !each.every((one) => URL.canParse(one) && new URL(one).hostname !== '')) return null;
  const urls = each.map((one) => new URL(one));
  const { username, password, pathname, searchParams } = urls[0] as URL;
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
  const sentinelPassword = searchParams.get('sentinelPassword') ?? undefined;
  return { mode: kind, ...common, nodes, name: decodeURIComponent(name), db: Number(db ?? 0), sentinelPassword };
}
