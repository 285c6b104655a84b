import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type App, createApp } from './app.ts';
import { type Config, createLog, type Logger, systemClock } from './platform/index.ts';
import { migrate, startEmbeddedPostgres } from './platform/postgres/index.ts';
import { createSandboxDriver, type SandboxDriver } from './sandbox/index.ts';
import { schemaFunctions } from './schema.ts';

const sweepEveryMs = 1_000;

export interface RunningServer {
  url: string;
  close(): Promise<void>;
}

/** Opens the database of the settings: the given one, or the embedded one under the data directory. */
export async function openDatabase(config: Config, log: Logger): Promise<{ url: string; stop(): Promise<void> }> {
  if (config.DATABASE_URL !== undefined) return { url: config.DATABASE_URL, stop: async () => {} };
  const dataDir = join(resolve(config.AGORA_DATA_DIR), 'postgres');
  return startEmbeddedPostgres({ dataDir, log });
}

/** Sandboxes of one installation are told from another's on the same machine by its data directory. */
export const sandboxDriver = (config: Config): SandboxDriver =>
  createSandboxDriver({
    driver: config.SANDBOX_DRIVER,
    installationId: createHash('sha256').update(resolve(config.AGORA_DATA_DIR)).digest('hex').slice(0, 16),
  });

/** Starts everything and serves until `close` is called. */
export async function serve(config: Config): Promise<RunningServer> {
  const log = createLog(config.LOG_LEVEL);
  await mkdir(config.AGORA_DATA_DIR, { recursive: true, mode: 0o711 });
  const database = await openDatabase(config, log);
  let app: App | undefined;
  try {
    await migrate(database.url, { functions: schemaFunctions });
    const driver = sandboxDriver(config);
    await driver.reclaim();
    app = await createApp({ config, clock: systemClock, log, databaseUrl: database.url, driver });
    await app.recover();
    await app.http.listen({ host: config.HOST, port: config.PORT });
  } catch (error) {
    await app?.close();
    await database.stop();
    throw error;
  }
  const stopSweeping = every(sweepEveryMs, app.sweep, log);
  const address = app.http.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.PORT;
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  const running = app;
  return {
    url: `http://${host}:${port}`,
    async close() {
      await stopSweeping();
      await running.close();
      await database.stop();
    },
  };
}

/** Runs the work again and again with a pause between; the returned function waits for the last run. */
function every(pauseMs: number, work: () => Promise<void>, log: Logger): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let last: Promise<void> = Promise.resolve();
  const next = () => {
    timer = setTimeout(() => {
      last = work()
        .catch((error) => log.error({ err: error }, 'a sweep failed and will be tried again'))
        .finally(() => {
          if (!stopped) next();
        });
    }, pauseMs);
  };
  next();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await last;
  };
}
