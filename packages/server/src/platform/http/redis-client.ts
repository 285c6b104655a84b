import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { placeOfRedis } from './redis-url.ts';

interface Patience {
  /** A connection or a command that takes longer has failed. */
  connectMs: number;
  commandMs: number;
  /** Milliseconds before a connection is tried again; null: it is not. */
  again: (times: number) => number | null;
}

/** How often a cluster is asked which of its servers has what: one that failed says nothing. */
const slotsEveryMs = 1_000;
/** To the server that has a key now, and once more where that has just failed. */
const redirections = 3;

/** A client that does not queue: what cannot be asked now fails now. It is not connected yet. */
export function openRedis(url: string, { connectMs, commandMs, again }: Patience): Redis | Cluster {
  const place = placeOfRedis(url);
  if (place === null) throw new Error('REDIS_URL cannot be read.');
  const { username, password } = place;
  const options: RedisOptions = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectMs,
    commandTimeout: commandMs,
    retryStrategy: again,
    // A primary that has become a replica keeps its connections.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    ...(place.isTls && { tls: {} }),
  };
  if (place.mode === 'one') return new Redis(place.url, options);
  const credentials = { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
  if (place.mode === 'cluster') {
    return new Cluster(place.nodes, {
      lazyConnect: true,
      enableOfflineQueue: false,
      clusterRetryStrategy: again,
      slotsRefreshInterval: slotsEveryMs,
      maxRedirections: redirections,
      // Certificates are for names.
      ...(place.isTls && { dnsLookup: (address, found) => found(null, address) }),
      redisOptions: { ...options, ...credentials },
    });
  }
  const { nodes, name, db, sentinelPassword } = place;
  return new Redis({
    ...options,
    ...credentials,
    sentinels: nodes,
    name,
    db,
    sentinelPassword,
    sentinelRetryStrategy: again,
    sentinelCommandTimeout: commandMs,
    ...(place.isTls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
    // A primary that hangs ends no connection; the sentinels say that there is another.
    failoverDetector: true,
  });
}
