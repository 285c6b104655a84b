import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { type ObjectStore, openObjectStore } from '../objects/index.ts';
import {
  type Clock,
  type Config,
  claimDataDir,
  connectionSettings,
  DatabaseClient,
  endAllHosts,
  keptSecretMark,
  packageVersion,
  writeAtomically,
} from '../platform/index.ts';
import { knownMigrations, lockMigrations, migrateWithin } from '../platform/postgres/index.ts';
import { type ArchiveEntry, DamagedBackup, readArchive, verifyArchive } from './archive.ts';
import { fileKinds, objectKinds } from './files.ts';
import { type Manifest, manifestName, readManifest } from './manifest.ts';
import { copyIn, dropAll, hasTables, openForRows, setSequences } from './tables.ts';

/** Bytes of the file that were read, and all that are to be. */
type Progress = (done: number, total: number) => void;

interface RestoreOptions {
  /** Replaces what the database has. */
  force: boolean;
  /** The secret is lost: what it encrypted stays unreadable. */
  withoutKey: boolean;
}

/**
 * Reads a whole backup and compares it with its sums; changes nothing. Throws where it is damaged, of a newer version,
 * or encrypted with a secret that is not at hand.
 */
export async function checkBackup(
  file: string,
  config: Config,
  options: RestoreOptions,
  progress: Progress,
): Promise<Manifest> {
  const { first } = await verifyArchive(file, manifestName, await reader(file, progress));
  const manifest = readManifest(first);
  checkMigrations(manifest);
  if (!options.withoutKey && keptSecretMark(config) !== manifest.secretMark) {
    throw new Error(
      'The secret that encrypted this backup’s secrets is not at hand. Set AGORA_ENCRYPTION_KEY to it, or put the old ' +
        `installation’s file encryption-key into ${resolve(config.AGORA_DATA_DIR)}. If it is lost, add --without-key.`,
    );
  }
  return manifest;
}

async function reader(file: string, progress: Progress): Promise<(bytes: number) => void> {
  const { size } = await stat(file).catch((error) => {
    throw new DamagedBackup(file, (error as Error).message, error);
  });
  let done = 0;
  return (bytes) => {
    done += bytes;
    progress(done, size);
  };
}

function checkMigrations({ migrations, version }: Manifest): void {
  const known = knownMigrations();
  migrations.forEach(({ name, checksum }, index) => {
    const ours = known[index];
    if (ours === undefined)
      throw new Error(`This backup is of Agora ${version}, this is ${packageVersion}. Use a newer one.`);
    if (ours.checksum === checksum) return;
    throw new Error(`This backup is of a development version of Agora: its migration ${name} is not the released one.`);
  });
}

/**
 * Restores a backup that `checkBackup` has read. The database changes in one transaction: after a failure it is what it
 * was. Throws if it has tables, unless forced; also if a server works on it.
 */
export async function restore(
  deps: { databaseUrl: string; config: Config; clock: Clock },
  { file, manifest }: { file: string; manifest: Manifest },
  options: RestoreOptions,
  progress: Progress,
): Promise<void> {
  const dataDir = resolve(deps.config.AGORA_DATA_DIR);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const claim = await claimDataDir(dataDir);
  const patient = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c client_min_messages=warning';
  const client = new DatabaseClient(connectionSettings(deps.databaseUrl, patient));
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('begin');
    await lockMigrations(client);
    await makeRoom(client, deps.config, options.force);
    await migrateWithin(client, manifest.migrations.length);
    const close = await openForRows(client);
    await readIn(deps, client, { file, manifest, dataDir, onBytes: await reader(file, progress) });
    await setSequences(client, manifest.sequences);
    await close();
    // The servers of that time do not serve this database; the next one takes over what they held.
    await endAllHosts(client, deps.clock.now());
    await client.query('commit');
    await client.query('analyze');
    if (manifest.store !== null) await writeFile(join(dataDir, 'store-id'), manifest.store, { flush: true });
  } finally {
    await client.end().catch(() => {});
    await claim.release();
  }
}

async function makeRoom(client: pg.Client, config: Config, isForced: boolean): Promise<void> {
  if (!(await hasTables(client))) return;
  if (!isForced)
    throw new Error('The database is not empty. Name an empty one, or add --force to replace what it has.');
  const { rows } = await client.query<{ hosts: string | null }>(`select to_regclass('hosts') as hosts`);
  if (rows[0]?.hosts) {
    const { rowCount } = await client.query(
      `select from hosts where ended_at is null and beat_at > clock_timestamp() - $1 * interval '1 ms' limit 1`,
      [config.PEER_DEAD_MS],
    );
    if (rowCount !== 0) throw new Error('A server works on this database. Stop it first.');
  }
  await dropAll(client);
}

interface Source {
  file: string;
  manifest: Manifest;
  dataDir: string;
  onBytes(bytes: number): void;
}

async function readIn(
  { config, clock }: { config: Config; clock: Clock },
  client: pg.Client,
  { file, manifest, dataDir, onBytes }: Source,
): Promise<void> {
  const rows = copyIn(client, manifest.tables);
  const objects = await openObjectStore(config, clock);
  for (const kind of fileKinds) await mkdir(join(dataDir, kind), { recursive: true, mode: 0o700 });
  for await (const entry of readArchive(file, onBytes)) {
    const [kind = '', name = ''] = entry.name.split('/');
    if (kind === 'tables') await rows.take(name, entry.content);
    else {
      await rows.finish();
      await putFile(entry, objects, dataDir);
    }
  }
  await rows.finish();
}

async function putFile(entry: ArchiveEntry, objects: ObjectStore, dataDir: string): Promise<void> {
  const [kind = '', ...rest] = entry.name.split('/');
  const content = await whole(entry);
  const isOurs = (fileKinds as readonly string[]).includes(kind) && /^[\w-]+$/.test(rest.join('/'));
  if (isOurs) await writeAtomically(join(dataDir, kind, rest.join('/')), content);
  else if (kind === 'objects' && objectKinds.some((each) => each === rest[0])) {
    await objects.put(rest.join('/'), content);
  }
}

/** At most an object, whose size the settings bound. */
async function whole({ sizeBytes, content }: ArchiveEntry): Promise<Buffer> {
  const all = Buffer.allocUnsafeSlow(sizeBytes);
  let at = 0;
  for await (const chunk of content) at += chunk.copy(all, at);
  return all;
}
