import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { DOOR_TLS, type DoorGuest, KEEP_ALIVE_MS } from './door-terms.ts';

/**
 * The way from the server into one Pod: it lets in who has the Pod's key and hands the connection to the sandbox agent,
 * which runs in the container beside it. It ends with that connection, and the agent ends with it.
 */

/** Connections at once, most of which have shown no key yet. */
const CONNECTIONS = 16;
const HANDSHAKE_MS = 5_000;
const LAST_WORDS_MS = 1_000;

export interface DoorOptions {
  key: Buffer;
  port: number;
  /** The name of the socket at which the sandbox agent calls; it has no file. */
  inner: string;
  /** How long to wait for the server, and for the agent. */
  patienceMs: number;
  /** The program that lays inputs, and its arguments. */
  layer: readonly [string, ...string[]];
  /** For showing the key. */
  handshakeMs?: number;
}

export interface Door {
  port: number;
  /** Resolves when there is nothing left to do, with the reason. */
  ended: Promise<string>;
  /** Ends it, unless the server is there, which ends it itself. */
  stop(): void;
  close(): void;
}

export async function openDoor(options: DoorOptions): Promise<Door> {
  const { key, port, inner, patienceMs, layer, handshakeMs = HANDSHAKE_MS } = options;
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const guests = new WeakMap<Duplex, DoorGuest>();
  const open = new Set<Socket>();
  const served = new Set<DoorGuest>();
  const agent = new Agent();
  const timer = setTimeout(() => end('nobody came, or no sandbox agent called'), patienceMs);

  async function serveSandbox(socket: TLSSocket): Promise<void> {
    const inside = await agent.called;
    clearTimeout(timer);
    await joined(socket, inside);
    end('the server has gone');
  }

  async function serveInput(socket: TLSSocket): Promise<void> {
    const [program, ...args] = layer;
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], env: {} });
    child.on('error', () => socket.destroy());
    child.stdin.on('error', () => socket.destroy());
    socket.once('close', () => child.kill('SIGKILL'));
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
    await once(child, 'close').catch(() => {});
    socket.destroy();
    served.delete('input');
  }

  const outer = createTlsServer({
    ...DOOR_TLS,
    handshakeTimeout: handshakeMs,
    allowHalfOpen: true,
    pskCallback(socket: TLSSocket, identity: string) {
      if (identity !== 'sandbox' && identity !== 'input') return null;
      guests.set(socket, identity);
      return key;
    },
  });
  outer.maxConnections = CONNECTIONS;
  outer.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.setNoDelay(true);
  });
  outer.on('tlsClientError', (_error, socket) => socket.destroy());
  outer.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy());
    const guest = guests.get(socket);
    if (!guest || served.has(guest)) {
      // The last words of the handshake still go out, so that the other end knows that it was let in and is not wanted.
      socket.resume().end();
      return void socket.setTimeout(handshakeMs, () => socket.destroy());
    }
    served.add(guest);
    void (guest === 'input' ? serveInput : serveSandbox)(socket);
  });

  await Promise.all([listening(agent.server, { path: `\0${inner}` }), listening(outer, { port })]);
  const close = () => {
    clearTimeout(timer);
    outer.close();
    agent.server.close();
    for (const socket of open) socket.destroy();
    end('it was closed');
  };
  return {
    port: (outer.address() as { port: number }).port,
    ended,
    stop: () => (served.has('sandbox') ? undefined : close()),
    close,
  };
}

/** The one caller at the inner door: the first, which is there before any other program runs in the sandbox. */
class Agent {
  readonly called: Promise<Socket>;
  readonly server: Server;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<Socket>();
    this.called = promise;
    this.server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => socket.destroy());
      if (!this.server.listening) return void socket.destroy();
      this.server.close();
      resolve(socket);
    });
  }
}

/** Carries bytes both ways, as fast as the slower end takes them, until one end is gone. */
async function joined(one: Socket, other: Socket): Promise<void> {
  const gone = [one, other].map(ending);
  one.pipe(other);
  other.pipe(one);
  await Promise.race(gone);
  // What the one that is gone has said still goes out.
  for (const each of [one, other]) each.destroySoon();
  await Promise.race([Promise.all(gone), sleep(LAST_WORDS_MS)]);
  for (const each of [one, other]) each.destroy();
}

const ending = (socket: Socket): Promise<void> => finished(socket).catch(() => {});

function listening(server: Server, where: { path: string } | { port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, resolve);
  });
}
