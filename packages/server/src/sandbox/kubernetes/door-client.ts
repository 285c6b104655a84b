import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { DOOR_TLS, type DoorGuest, KEEP_ALIVE_MS } from './door-terms.ts';

/** A connection through the door of a Pod. */
export interface Passage {
  socket: TLSSocket;
  /** Resolves when the door has closed it, or nothing answers there any more. */
  closed: Promise<void>;
  /** Says that nothing more comes. The door closes its end when the sandbox agent has ended. */
  end(): void;
  destroy(): void;
}

export interface DoorAddress {
  host: string;
  port: number;
  key: Buffer;
}

const AGAIN_MS = 25;
const CONNECT_MS = 5_000;
/** A Pod that is just starting: nothing listens yet, or its network is not laid to the end. */
const NOT_YET = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNRESET']);

/** Tries until the door is there; another key than the door's is refused at once. */
export async function passDoor(address: DoorAddress, guest: DoorGuest, signal: AbortSignal): Promise<Passage> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await tryDoor(address, guest);
    } catch (error) {
      if (!NOT_YET.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await sleep(AGAIN_MS, undefined, { signal });
    }
  }
}

async function tryDoor({ host, port, key }: DoorAddress, guest: DoorGuest): Promise<Passage> {
  const socket = connect({
    ...DOOR_TLS,
    host,
    port,
    pskCallback: () => ({ psk: key, identity: guest }),
    // The key has shown who it is.
    checkServerIdentity: () => undefined,
  });
  socket.setTimeout(CONNECT_MS, () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
  try {
    await once(socket, 'secureConnect');
  } catch (error) {
    socket.destroy();
    throw error;
  }
  socket.setTimeout(0);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, closed, end: () => void socket.end(), destroy: () => void socket.destroy() };
}
