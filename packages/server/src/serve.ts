import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { access, chmod, constants, mkdir, stat } from 'node:fs/promises';
import { BlockList, createServer, isIP } from 'node:net';
import { join, resolve } from 'node:path';
import type { App } from './app.ts';
import {
  type AtEnd,
  type Config,
  claimDataDir,
  createLog,
  freeBytes,
  isDiskFull,
  type Logger,
  openInOrder,
  systemClock,
} from './platform/index.ts';
import { checkDatabase, migrate, startEmbeddedPostgres } from './platform/postgres/index.ts';
import type { SandboxState } from './sandbox/index.ts';

export interface RunningServer {
  url: string;
  hasJudge: boolean;
  sandboxState(): Promise<SandboxState>;
  close(): Promise<void>;
}

/**
 * Opens the database of the settings: the given one, or the embedded one under the data directory. With `mustExist`
 * none is made there.
 */
export async function openDatabase(
  config: Config,
  log: Logger,
  { mustExist = false, onProcess }: { mustExist?: boolean; onProcess?: () => void } = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  if (config.DATABASE_URL !== undefined) {
    await checkDatabase(config.DATABASE_URL);
    return { url: config.DATABASE_URL, stop: async () => {} };
  }
  const dataDir = join(resolve(config.AGORA_DATA_DIR), 'postgres');
  if (mustExist && !existsSync(dataDir)) {
    throw new Error(
      `There is no database in AGORA_DATA_DIR (${resolve(config.AGORA_DATA_DIR)}). ` +
        'Set it to the directory of an installation, or set DATABASE_URL.',
    );
  }
  await prepareDataDir(config);
  await letPass(resolve(config.AGORA_DATA_DIR));
  return startEmbeddedPostgres({ dataDir, log, onProcess }).catch((error) => explainFull(config, error));
}

class FullDisk extends Error {}

/** A disk without room can fail a start anywhere; the operator needs to hear that, and where. */
async function explainFull(config: Config, error: unknown): Promise<never> {
  if (!isDiskFull(error) || error instanceof FullDisk) throw error;
  const dataDir = resolve(config.AGORA_DATA_DIR);
  const left = await freeBytes(dataDir).then((bytes) => `${Math.floor(bytes / 1024 ** 2)} MiB are left`, String);
  throw new FullDisk(`The disk of AGORA_DATA_DIR (${dataDir}) is full: ${left}. Make room on it, then start again.`, {
    cause: error,
  });
}

/**
 * Lets other users pass through the data directory, without listing it. Root starts PostgreSQL as another user, who
 * must reach the database in it. Otherwise the database of a closed directory (`mktemp -d`) would be kept elsewhere and
 * outlive it.
 */
async function letPass(dataDir: string): Promise<void> {
  const { mode } = await stat(dataDir);
  if (process.getuid?.() === 0 && (mode & 0o001) === 0) await chmod(dataDir, (mode & 0o7777) | 0o001);
}

async function prepareDataDir(config: Config): Promise<void> {
  const dataDir = resolve(config.AGORA_DATA_DIR);
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const isFile = ['EEXIST', 'ENOTDIR'].includes(codeOf(error));
    const reason = isFile ? 'a file is in its place' : messageOf(error);
    throw new Error(
      `AGORA_DATA_DIR (${dataDir}) cannot be used: ${reason}. Set it to a directory that this user may write to.`,
      { cause: error },
    );
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');
const messageOf = (error: unknown): string => (error as Error).message || codeOf(error) || String(error);

/** Starts everything and serves until `close` is called. */
export function serve(config: Config): Promise<RunningServer> {
  const log = createLog(config.LOG_LEVEL);
  const failed = (error: unknown) => log.error({ err: error }, 'a part of the stop failed');
  return openInOrder(failed, (atEnd) => start(config, log, atEnd)).catch((error) => explainFull(config, error));
}

async function start(config: Config, log: Logger, atEnd: AtEnd): Promise<Omit<RunningServer, 'close'>> {
  await prepareDataDir(config);
  const claim = await claimDataDir(resolve(config.AGORA_DATA_DIR));
  atEnd(claim.release);
  // Before a database is made, which takes longest and stays.
  const refusal = await portRefusal(config);
  if (refusal !== null) throw cannotListen(config, refusal);
  const started = Promise.withResolvers<void>();
  const opening = openDatabase(config, log, { onProcess: started.resolve });
  // Loading the rest takes this thread for some tenths of a second, in which PostgreSQL starts in its own processes.
  const loading = Promise.race([started.promise, opening]).then(() => import('./parts.ts'));
  loading.catch(() => undefined); // Told when it is awaited, after the database is noted for closing.
  const database = await opening;
  atEnd(database.stop);
  const parts = await loading;
  await migrate(database.url, { functions: parts.schemaFunctions });
  const driver = parts.configuredDriver(config);
  await driver.reclaim();
  const app = await parts.createApp({ config, clock: systemClock, log, databaseUrl: database.url, driver });
  atEnd(app.close);
  // First, so that nothing starts beside another server that this one cannot work with.
  await app.recover();
  await app.http.listen({ host: config.HOST, port: config.PORT }).catch((error) => {
    throw cannotListen(config, error);
  });
  const port = portOf(app, config);
  await app.announce(parts.peerAddress(config, port));
  warnOfTestPayments(config, log);
  void warnOfSandboxes(app, log);
  const judge = parts.judgeState(config);
  if (!judge.available) log.warn(judge.detail);
  app.startJobs();
  return { url: `http://${bracketed(config.HOST)}:${port}`, sandboxState: app.sandboxState, hasJudge: judge.available };
}

function portOf({ http }: App, { PORT }: Config): number {
  const address = http.server.address();
  return typeof address === 'object' && address !== null ? address.port : PORT;
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const listenReasons: Record<string, string> = {
  EADDRINUSE: 'another program uses that port. Set PORT to another one, or stop that program',
  EACCES: 'this user may not use that port. Set PORT to one above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address. Set HOST to one of its own, or 0.0.0.0 for all of them',
  ENOTFOUND: 'there is no such name. Set HOST to an address of this machine, or 0.0.0.0 for all of them',
};

function cannotListen({ HOST, PORT }: Config, error: unknown): Error {
  const reason = listenReasons[codeOf(error)] ?? `${messageOf(error)}. Check HOST and PORT`;
  return new Error(`Cannot listen on ${bracketed(HOST)}:${PORT} (HOST and PORT): ${reason}.`, { cause: error });
}

/** Why the port cannot be listened on, found by taking it for a moment; null if it can. */
export async function portRefusal({
  HOST,
  PORT,
}: Pick<Config, 'HOST' | 'PORT'>): Promise<NodeJS.ErrnoException | null> {
  const probe = createServer();
  try {
    await once(probe.listen({ host: HOST, port: PORT }), 'listening');
    probe.close();
    await once(probe, 'close');
    return null;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine reaches a host name or address. */
function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  return family === 0 ? address === 'localhost' : loopback.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Test cards add credits for nothing, which is right on a developer's machine and nowhere else. */
function warnOfTestPayments(config: Config, log: Logger): void {
  const isLocal = isLoopback(config.HOST) && (!config.PUBLIC_URL || isLoopback(new URL(config.PUBLIC_URL).hostname));
  if (config.AGORA_ENV === 'production' || config.STRIPE_SECRET_KEY !== undefined || isLocal) return;
  log.warn(
    'AGORA_ENV is development, so test payments are on: everybody who reaches this server can give themselves ' +
      'credits for nothing. Set AGORA_ENV=production unless this is meant.',
  );
}

/** Not awaited: what needs no sandbox is served meanwhile. */
async function warnOfSandboxes(app: App, log: Logger): Promise<void> {
  const { driver, available, detail, isWorthAWarning } = await app.sandboxState();
  if (isWorthAWarning) log.warn(`Sandboxes (${driver}) ${available ? 'run' : 'cannot be started'}: ${detail}`);
}
