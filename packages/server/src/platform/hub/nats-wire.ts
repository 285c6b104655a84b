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
    const line = await openNats(url);
    let refusal: Error | undefined;
    line.connection.subscribe(subject, {
      callback(error, message) {
        if (!error) return heard(message.string());
        refusal = error;
        void line.connection.close();
      },
    });
    await line.flush();
    return {
      ended: line.ended.then((cause) => cause ?? refusal),
      end: () => line.connection.close(),
      async send(payload) {
        line.connection.publish(subject, payload);
        await line.flush();
      },
    };
  },
});

async function openNats(url: string) {
  const { connect } = await import('@nats-io/transport-node');
  const { servers, isTls, ...login } = placeOfNats(url) as NatsPlace;
  const connection = await connect({
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
  const ended = connection.closed();
  const waiting = new Set<(error: Error) => void>();
  void ended.then((cause) => {
    for (const reject of waiting) reject(cause ?? new Error('the connection to NATS was lost'));
  });
  /** Until the server has seen all that was sent. The library's own never settles if the connection ends. */
  async function flush(): Promise<void> {
    if (connection.isClosed()) throw new Error('the connection to NATS was lost');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add(reject);
    connection.flush().then(resolve, reject);
    await promise.finally(() => waiting.delete(reject));
  }
  return { connection, ended, flush };
}

/** Asks NATS once; gives the version of the server that answers. Rejects where none does, or refuses. */
export async function pingNats(url: string): Promise<string> {
  const { connection, flush } = await openNats(url);
  try {
    await flush();
    return connection.info?.version ?? 'of an unknown version';
  } finally {
    await connection.close();
  }
}
