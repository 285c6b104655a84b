import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { type Config, createLog } from '../../src/platform/index.ts';
import { createSandboxDriver } from '../../src/sandbox/index.ts';
import { middling, type TestServer } from '../support/harness.ts';

/** Settings of servers that work on one database. */
export const shared = { AGORA_ENCRYPTION_KEY: 'the same secret of all servers of one database', PEER_DEAD_MS: 4_000 };

/** Resolves when each server has heard of all others, and of the end of others, by two heartbeats of its own. */
export async function acquainted({ pool }: Pick<TestServer, 'pool'>): Promise<void> {
  const living = async (): Promise<[string, number][]> =>
    (await pool.query('select id, beats::int as beats from hosts where ended_at is null')).rows.map(({ id, beats }) => [
      id,
      beats,
    ]);
  const before = new Map(await living());
  const isHeard = async () => (await living()).every(([id, beats]) => beats >= (before.get(id) ?? Infinity) + 2);
  // Also before a test begins, where `expect.poll` is refused.
  await vi.waitFor(async () => expect(await isHeard()).toBe(true), { timeout: 30_000 });
}

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
