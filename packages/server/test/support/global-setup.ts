import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import {
  migrate,
  migrationsDirectory,
  type SchemaFunction,
  schemaOfFunctions,
  startEmbeddedPostgres,
} from '../../src/platform/postgres/index.ts';
import { startDebianPostgres } from './debian-postgres.ts';
import { memoryDirectory } from './memory-directory.ts';

/** One throw-away PostgreSQL for the whole run, and in it one migrated database that test files clone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  // A server given by TEST_DATABASE_URL may serve several runs at once, hence the name of its own.
  const template = `agora_template_${process.pid}_${Date.now().toString(36)}`;
  await buildTemplate(server.url, template);
  project.provide('postgresUrl', server.url);
  project.provide('templateDatabase', template);
  project.provide('functions', schemaOfFunctions(await loadFunctions()));
  return async () => {
    await withClient(server.url, async (client) => {
      await client.query(`alter database ${template} is_template false`);
      await client.query(`drop database ${template} with (force)`);
    });
    await server.stop();
  };
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  if (process.env.TEST_POSTGRES === 'system') return startDebianPostgres();
  const dataDir = mkdtempSync(join(memoryDirectory(), 'agora-test-'));
  const log = { info: () => {}, warn: console.warn, error: console.error };
  const postgres = await startEmbeddedPostgres({ dataDir, log, durable: false, maxConnections: 300 });
  const stop = async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url: postgres.url, stop };
}

async function buildTemplate(serverUrl: string, template: string): Promise<void> {
  await withClient(serverUrl, (client) => client.query(`create database ${template}`));
  const url = new URL(serverUrl);
  url.pathname = `/${template}`;
  if (existsSync(migrationsDirectory)) await migrate(url.href, { functions: await loadFunctions() });
  // Cloning fails while anybody is connected to the template, so nobody may connect any more.
  await withClient(serverUrl, (client) =>
    client.query(`alter database ${template} with is_template true allow_connections false`),
  );
}

async function loadFunctions(): Promise<readonly SchemaFunction[]> {
  const path = fileURLToPath(new URL('../../src/schema.ts', import.meta.url));
  if (!existsSync(path)) return [];
  const schema = (await import(pathToFileURL(path).href)) as { schemaFunctions: readonly SchemaFunction[] };
  return schema.schemaFunctions;
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
