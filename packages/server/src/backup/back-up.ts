import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { openObjectStore } from '../objects/index.ts';
import {
  type Clock,
  type Config,
  connectionSettings,
  DatabaseClient,
  keptSecretMark,
  nullWhereMissing,
  packageVersion,
  secretMark,
} from '../platform/index.ts';
import { type ArchiveWriter, writeArchive } from './archive.ts';
import { holdFiles, objectKinds } from './files.ts';
import { type Manifest, manifestName } from './manifest.ts';
import { copyOut, listTables, readSequences, type Table } from './tables.ts';

interface BackUpDeps {
  databaseUrl: string;
  config: Config;
  clock: Clock;
  /** Bytes done, and those of all tables and objects as far as the database knows them. */
  progress(done: number, total: number): void;
}

/** Neither a long table nor a slow disk may end the snapshot. */
const patient = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0';

/**
 * Writes database, objects and files of the data directory as they are at one moment, beside servers at work. Gives the
 * path of the file and its size in bytes. An existing file is not written over. A directory gets a file named after the time.
 */
export async function backUp(deps: BackUpDeps, target: string): Promise<{ path: string; sizeBytes: number }> {
  const path = await pathFor(target, deps.clock);
  const dataDir = resolve(deps.config.AGORA_DATA_DIR);
  const files = await holdFiles(dataDir);
  const client = new DatabaseClient(connectionSettings(deps.databaseUrl, patient));
  client.on('error', () => {});
  try {
    await client.connect();
    await files.hold();
    await client.query('begin isolation level repeatable read read only');
    const tables = await listTables(client);
    await files.hold();
    const manifest = await manifestOf(client, tables, deps, dataDir);
    const counted = counter(deps, (await objectBytes(client)) + tables.reduce((sum, { bytes }) => sum + bytes, 0));
    await writeArchive(path, async (writer) => {
      await writer.add(manifestName, Buffer.from(JSON.stringify(manifest, null, 2)));
      for (const table of tables) await writeTable(client, writer, table, counted);
      await client.query('commit');
      for await (const { name, sizeBytes, content } of files.held()) await writer.addStream(name, sizeBytes, content);
      await writeObjects(deps, writer, counted);
    });
    counted.finish();
  } finally {
    await client.end().catch(() => {});
    await files.release();
  }
  return { path, sizeBytes: (await stat(path)).size };
}

async function pathFor(target: string, clock: Clock): Promise<string> {
  const found = await stat(target).catch(nullWhereMissing);
  if (found?.isDirectory()) {
    const time = clock.now().toISOString().slice(0, 19).replace(/[-:]/g, '');
    return join(target, `agora-${time}Z.tar.gz`);
  }
  if (found) throw new Error(`${target} is there already. Name another file, or a directory.`);
  return target;
}

async function manifestOf(client: pg.Client, tables: Table[], deps: BackUpDeps, dataDir: string): Promise<Manifest> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by version',
  );
  return {
    format: 1,
    version: packageVersion,
    createdAt: deps.clock.now().toISOString(),
    migrations: rows,
    tables: Object.fromEntries(tables.map(({ name, columns }) => [name, columns])),
    sequences: await readSequences(client),
    secretMark: keptSecretMark(deps.config) ?? secretMark(deps.config),
    store: (await readFile(join(dataDir, 'store-id'), 'utf8').catch(nullWhereMissing))?.trim() ?? null,
  };
}

type Counter = ReturnType<typeof counter>;

function counter({ progress }: BackUpDeps, total: number) {
  let done = 0;
  return {
    add(bytes: number) {
      done += bytes;
      // The total is an estimate: rows take another room in a file than in a table.
      progress(Math.min(done, total * 0.99), total);
    },
    finish: () => progress(total, total),
  };
}

async function writeTable(client: pg.Client, writer: ArchiveWriter, table: Table, counted: Counter): Promise<void> {
  let part = 0;
  for await (const content of copyOut(client, table)) {
    await writer.add(`tables/${table.name}/${String(++part).padStart(8, '0')}`, content);
    counted.add(content.length);
  }
}

/** What is erased meanwhile is missing, as it would be a moment later. */
async function writeObjects({ config, clock }: BackUpDeps, writer: ArchiveWriter, counted: Counter): Promise<void> {
  const store = await openObjectStore(config, clock);
  for (const kind of objectKinds) {
    for await (const key of store.list(kind)) {
      const found = await store.get(key);
      if (!found) continue;
      await writer.addStream(`objects/${key}`, found.sizeBytes, found.stream);
      counted.add(found.sizeBytes);
    }
  }
}

async function objectBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `select ((select coalesce(sum(size_bytes), 0) from artifacts where dropped is null)
       + (select coalesce(sum(size_bytes), 0) from kept_trees)
       + (select coalesce(sum(size_bytes), 0) from deliveries where object_id is not null)
       + (select coalesce(sum(size_bytes), 0) from kept_workspaces)
       + (select coalesce(sum(size_bytes), 0) from workspace_snapshots))::float8 as bytes`,
  );
  return rows[0]?.bytes ?? 0;
}
