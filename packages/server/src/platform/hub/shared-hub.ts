import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { createHub, type Hub } from './hub.ts';
import { keepOpen, type Wire } from './wire.ts';

/** A hub whose wake-ups reach the other processes of the installation too. */
export interface SharedHub extends Hub {
  /** How many other processes are notified of changes made here. */
  peers(): number;
  close(): Promise<void>;
}

/** How often a process says that it lives, and how long it is believed to without a word. */
const beatMs = 20_000;
const peerMs = 3 * beatMs;
/** Many processes may say hello at once, as after a fault of the wire; everybody looks once for all of them. */
const togetherMs = 50;
/** For the first lines of a payload. */
const headBytes = 50;

/**
 * Lines of a payload: the sender, the kind, then topics. A process that begins to listen says `hello`; the others
 * answer `here`. After either message, both reread everything they wait for, because one may have missed what the other
 * did before. So a process that knows of no other sends nothing but its heartbeat.
 */
type Kind = 'hello' | 'here' | 'bye' | 'topics';

export function createSharedHub(wire: Wire, log: Logger, clock: Clock): SharedHub {
  const local = createHub();
  const self = randomBytes(6).toString('hex');
  /** Other processes, and when they were last heard. */
  const peers = new Map<string, number>();
  /** Processes heard from since we listen; what they did before was missed. */
  const met = new Set<string>();
  const text = (kind: Kind, topics: string[] = []) => [self, kind, ...topics].join('\n');
  /** A failure ends the line, and everybody looks when there is another. */
  const send = (kind: Kind) => void line.send(text(kind)).catch(() => {});

  let isLooking = false;
  let lookNoMore = () => {};
  function everybodyLooks() {
    if (isLooking) return;
    isLooking = true;
    lookNoMore = clock.after(togetherMs, () => {
      isLooking = false;
      local.notifyAll();
    });
  }

  function forget(peer: string) {
    peers.delete(peer);
    met.delete(peer);
  }

  function hear(payload: string) {
    try {
      heard(payload);
    } catch (error) {
      log.error({ err: error }, 'a wake-up failed');
    }
  }

  function heard(payload: string) {
    // PostgreSQL sends our own back; under load they are many.
    if (payload.startsWith(self)) return;
    const [sender = '', kind, ...topics] = payload.split('\n');
    if (kind === 'topics') local.notify(topics);
    if (kind === 'bye') return forget(sender);
    peers.set(sender, performance.now());
    if (kind === 'hello') send('here');
    if (kind === 'hello' || !met.has(sender)) everybodyLooks();
    met.add(sender);
  }

  function opened() {
    met.clear();
    send('hello');
    everybodyLooks();
  }

  const line = keepOpen(wire, log, { opened, heard: hear });
  const beat = setInterval(() => {
    for (const [peer, at] of peers) {
      if (at >= performance.now() - peerMs) continue;
      forget(peer);
      // It may have ended between a change and telling of it.
      everybodyLooks();
    }
    // Also shows whether the line still works.
    if (line.isOpen()) send('here');
  }, beatMs).unref();
  const look =
    wire.lookMs === undefined ? undefined : setInterval(() => line.isOpen() || everybodyLooks(), wire.lookMs);
  look?.unref();
  const tell = topicSender(wire.maxPayload - headBytes, (topics) => line.send(text('topics', topics)));

  return {
    notify(topics) {
      local.notify(topics);
      if (peers.size > 0) tell(topics);
    },
    subscribe: (topic, listener) => local.subscribe(topic, listener),
    overhear: (prefix, listener) => local.overhear(prefix, listener),
    waiting: () => local.waiting(),
    peers: () => peers.size,
    close() {
      for (const timer of [beat, look]) clearInterval(timer);
      lookNoMore();
      return line.close(text('bye'));
    },
  };
}

/** Sends topics in as few payloads as it takes: those named while one is under way go together with the next. */
function topicSender(maxBytes: number, send: (topics: string[]) => Promise<void>): (topics: Iterable<string>) => void {
  let waiting = new Set<string>();
  let sending = false;

  async function flush() {
    try {
      while (waiting.size > 0) {
        const parts = inParts([...waiting], maxBytes);
        waiting = new Set();
        for (const part of parts) await send(part);
      }
    } catch {
      // The line is lost, and with it what waits: everybody will look when there is another.
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

/** Topics in parts of at most so many bytes, each with the end of its line. */
export function inParts(topics: string[], maxBytes: number): string[][] {
  const parts: string[][] = [];
  let room = 0;
  for (const topic of topics) {
    const bytes = Buffer.byteLength(topic) + 1;
    if (bytes > room) {
      parts.push([]);
      room = maxBytes;
    }
    parts.at(-1)?.push(topic);
    room -= bytes;
  }
  return parts;
}
