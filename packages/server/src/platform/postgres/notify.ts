import { randomBytes } from 'node:crypto';
import type { Hub } from '../hub.ts';
import type { Logger } from '../log.ts';
import { type Queryable, rows } from './db.ts';
import { listeningConnection } from './listening-connection.ts';

/** A hub whose wake-ups reach the other processes on the database too, by LISTEN and NOTIFY. */
export interface SharedHub extends Hub {
  /** How many other processes are notified of changes made here. */
  peers(): number;
  close(): Promise<void>;
}

const channel = 'agora';
/** PostgreSQL takes payloads shorter than 8,000 bytes. */
const maxPayload = 7_900;
/** How often a process says that it lives, and how long it is believed to without a word. */
const beatMs = 20_000;
const peerMs = 3 * beatMs;

/**
 * Lines of a payload: the sender, the kind, then topics. A process that begins to listen says `hello`; the others
 * answer `here`. After either message, both reread everything they wait for, because one may have missed what the other
 * did before. So a process that knows of no other sends nothing but its heartbeat.
 */
type Kind = 'hello' | 'here' | 'bye' | 'topics';
/** The sender of a notification at the commit of an ordinary transaction; its own process must hear it too. */
const nobody = '-';

/**
 * Wakes topics in every process once the transaction commits. For ordinary transactions only. The step writer notifies
 * after its commit instead, because only one notifying transaction can commit at a time.
 */
export const notifyAtCommit = (tx: Queryable, topics: string[]) =>
  rows(tx, 'hub_notify', 'select pg_notify($1, $2)', [channel, [nobody, 'topics', ...topics].join('\n')]);

export function createSharedHub(local: Hub, url: string, log: Logger): SharedHub {
  const self = randomBytes(6).toString('hex');
  /** Other processes, and when they were last heard. */
  const peers = new Map<string, number>();
  /** Processes heard from since we listen; what they did before was missed. */
  const met = new Set<string>();
  const text = (kind: Kind, topics: string[] = []) => [self, kind, ...topics].join('\n');
  /** A failure ends the connection, and everybody looks when there is another. */
  const send = (kind: Kind) => void connection.send(text(kind)).catch(() => {});

  function forget(peer: string) {
    peers.delete(peer);
    met.delete(peer);
  }

  function heard(payload: string) {
    // PostgreSQL sends our own back; under load they are many.
    if (payload.startsWith(self)) return;
    const [sender = '', kind, ...topics] = payload.split('\n');
    if (kind === 'topics') local.notify(topics);
    if (sender === nobody) return;
    if (kind === 'bye') return forget(sender);
    peers.set(sender, performance.now());
    if (kind === 'hello') send('here');
    if (kind === 'hello' || !met.has(sender)) local.notifyAll();
    met.add(sender);
  }

  function opened() {
    met.clear();
    send('hello');
    local.notifyAll();
  }

  const connection = listeningConnection(url, log, { channel, opened, heard });
  const beat = setInterval(() => {
    for (const [peer, at] of peers) if (at < performance.now() - peerMs) forget(peer);
    // Also shows whether the connection still works.
    if (connection.isOpen()) send('here');
  }, beatMs);
  beat.unref();
  const tell = topicSender((topics) => connection.send(text('topics', topics)));

  return {
    notify(topics) {
      local.notify(topics);
      if (peers.size > 0) tell(topics);
    },
    notifyAll: () => local.notifyAll(),
    subscribe: (topic, listener) => local.subscribe(topic, listener),
    waiting: () => local.waiting(),
    peers: () => peers.size,
    close() {
      clearInterval(beat);
      return connection.close(text('bye'));
    },
  };
}

/** Sends topics in as few payloads as it takes: those named while one is under way go together with the next. */
function topicSender(send: (topics: string[]) => Promise<void>): (topics: Iterable<string>) => void {
  let waiting = new Set<string>();
  let sending = false;

  async function flush() {
    try {
      while (waiting.size > 0) {
        const parts = inParts([...waiting]);
        waiting = new Set();
        for (const part of parts) await send(part);
      }
    } catch {
      // The connection is lost, and with it what waits: everybody will look when there is another.
      waiting = new Set();
    } finally {
      sending = false;
    }
  }

  return (topics) => {
    for (const topic of topics) waiting.add(topic);
    if (sending || waiting.size === 0) return;
    sending = true;
    // Batches that were committed in one turn of the event loop are sent together.
    setImmediate(flush);
  };
}

/** Topics in parts that fit one payload each. */
export function inParts(topics: string[]): string[][] {
  const parts: string[][] = [];
  let room = 0;
  for (const topic of topics) {
    const bytes = Buffer.byteLength(topic) + 1;
    if (bytes > room) {
      parts.push([]);
      // The first lines need some.
      room = maxPayload - 50;
    }
    parts.at(-1)?.push(topic);
    room -= bytes;
  }
  return parts;
}
