import { closeSync, openSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** A living server answers at once; one that is stopped in a debugger still exists. */
const answerTimeoutMs = 2_000;

/**
 * Makes this process the only server of a data directory until it releases it or ends: the server is whoever listens on
 * the socket in it. A second server would take the first one's sandboxes and deliveries for remains and delete them.
 */
export async function claimDataDir(dataDir: string): Promise<{ release(): Promise<void> }> {
  // By way of the descriptor the path stays short: a socket's has at most 108 bytes.
  const directory = openSync(dataDir, 'r');
  const path = join(`/proc/self/fd/${directory}`, 'serving');
  for (let attempt = 1; ; attempt++) {
    const server = await listen(path);
    if (server !== 'taken') return { release: () => close(server).finally(() => closeSync(directory)) };
    const other = await whoServes(path);
    if (other !== null || attempt === 5) {
      closeSync(directory);
      throw new Error(
        `AGORA_DATA_DIR (${dataDir}) is served already, by process ${other ?? 'unknown'}. ` +
          'Stop that one, or set AGORA_DATA_DIR to another directory.',
      );
    }
    // Left by a server that was killed.
    unlink(path);
  }
}

/** `taken` where a socket is there already; null on a file system that has none, where nothing can be claimed. */
function listen(path: string): Promise<Server | 'taken' | null> {
  const server = createServer((socket) => socket.on('error', () => {}).end(String(process.pid)));
  server.unref();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE' ? 'taken' : null));
    server.listen(path, () => resolve(server));
  });
}

/** The process that listens on a socket, null if none does. */
function whoServes(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(path);
    socket.setTimeout(answerTimeoutMs, () => socket.destroy());
    socket.on('data', (bytes) => {
      said += bytes;
    });
    let isThere = false;
    socket.on('connect', () => {
      isThere = true;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(isThere ? said || 'unknown' : null));
  });
}

function unlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another start was faster.
  }
}

const close = (server: Server | null): Promise<void> =>
  new Promise((resolve) => (server === null ? resolve() : server.close(() => resolve())));
