import { type NatsPlace, placeOfNats } from './nats-url.ts';
import type { Wire } from './wire.ts';

/** A server that falls silent is left after two of these without an answer. */
const pingEveryMs = 2_000;
const connectTimeoutMs = 5_000;
/** How late a change made elsewhere may be seen while no server of NATS can be reached. */
const lookMs = 2_000;
/** NATS allows a megabyte unless its operator allows less. */
const maxPayload = 64_000;

/**
 * One subject of NATS. Every process hears all topics: a subject for each would be cheaper for many, but interest in it
 * spreads to other servers of NATS with a delay, in which a waiting caller would miss its change.
 */
export const natsWire = (url: string, subject: string): Wire => ({
  maxPayload,
  lookMs,
  async dial(heard) {
    const connection = await openNats(url);
    connection.subscribe(subject, { callback: (_, message) => heard(message.string()) });
    await connection.flush();
    const ended = connection.closed();
    return {
      ended,
      end: () => connection.close(),
      async send(payload) {
        connection.publish(subject, payload);
        await Promise.race([
          connection.flush(),
          ended.then(() => Promise.reject(new Error('the connection was lost'))),
        ]);
      },
    };
  },
});

async function openNats(url: string) {
  const { connect } = await import('@nats-io/transport-node');
  const { servers, isTls, ...login } = placeOfNats(url) as NatsPlace;
  return connect({
    servers,
    ...login,
    ...(isTls && { tls: {} }),
    name: 'agora',
    noEcho: true,
    // The caller opens another: whoever was cut off must look at what it has missed.
    reconnect: false,
    timeout: connectTimeoutMs,
    pingInterval: pingEveryMs,
    maxPingOut: 2,
  });
}

/** Asks NATS once; gives the version of the server that answers. Rejects where none does, or refuses. */
export async function pingNats(url: string): Promise<string> {
  const connection = await openNats(url);
  try {
    await connection.flush();
    return connection.info?.version ?? 'of an unknown version';
  } finally {
    await connection.close();
  }
}
