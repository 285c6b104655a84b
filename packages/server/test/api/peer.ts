import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '../../src/app.ts';
import { type Config, createLog } from '../../src/platform/index.ts';
import { createSandboxDriver } from '../../src/sandbox/index.ts';
import { middling, type TestServer } from '../support/harness.ts';

/** Settings of servers that work on one database. */
export const shared = { AGORA_ENCRYPTION_KEY: 'the same secret of all servers of one database', PEER_DEAD_MS: 4_000 };

export interface Peer {
  app: App;
  url: string;
  dataDir: string;
  close(): Promise<void>;
}

let serial = 0;

/** Another server of the same database, on a disk of its own; rejects where the first one's company refuses it. */
export async function startPeer(server: TestServer, config: Partial<Config> = {}): Promise<Peer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'agora-peer-'));
  const driver = createSandboxDriver({ driver: 'auto', installationId: `peer-${process.pid}-${++serial}` });
  const app = await createApp({
    config: { ...server.config, AGORA_DATA_DIR: dataDir, ...config },
    clock: server.clock,
    log: createLog(process.env.TEST_LOG_LEVEL ?? 'silent'),
    databaseUrl: server.databaseUrl,
    driver,
    checkReplies: true,
    random: middling,
  });
  const close = async () => {
    await app.close();
    driver.forget?.();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await app.recover();
    const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
    await app.announce(url);
    return { app, url, dataDir, close };
  } catch (error) {
    await close();
    throw error;
  }
}
