import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { highLimits } from '../measure/limits.ts';
import { migrated } from '../measure/migrated.ts';
import { type ServerProcess, startServer } from '../measure/process.ts';
import { type Population, seed } from './population.ts';

export const contenderNames = ['agora', 'naive', 'floor'] as const;
export type ContenderName = (typeof contenderNames)[number];

export interface Contender {
  name: ContenderName;
  server: ServerProcess;
  /** Null if nothing is stored. */
  databaseUrl: string | null;
}

export interface Setting {
  /** PostgreSQL's maintenance database of the cluster that all contenders share. */
  adminUrl: string;
  population: Population;
  populationFile: string;
  dataDir: string;
  naivePool: number;
  /** Where the Agora server leaves its CPU profile; none is taken without it. */
  profileDir: string | undefined;
}

const bench = fileURLToPath(new URL('../lifecycle.js', import.meta.url));
const cli = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));

/** As `npm start` has them. */
const nodeFlags = ['--max-semi-space-size=64'];

/** A server in a process of its own, on a database of its own, populated as all are. */
export async function startContender(name: ContenderName, setting: Setting): Promise<Contender> {
  const databaseUrl = name === 'floor' ? null : await makeDatabase(name, setting);
  const program = {
    agora: [cli, 'serve'],
    naive: [bench, '--role=naive'],
    floor: [bench, '--role=floor'],
  };
  const profile =
    setting.profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${setting.profileDir}/${name}`];
  const env = { POOL_SIZE: String(setting.naivePool) };
  const server = await serverOf({
    dataDir: setting.dataDir,
    databaseUrl,
    env,
    program: [...profile, ...program[name]],
  });
  return { name, server, databaseUrl };
}

interface Started {
  databaseUrl: string | null;
  dataDir: string;
  env: Record<string, string>;
  /** Default: the shipped server. */
  program?: string[];
}

export const serverOf = ({ databaseUrl, dataDir, env, program = [cli, 'serve'] }: Started): Promise<ServerProcess> =>
  startServer([...nodeFlags, ...program], {
    ...highLimits,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'warn',
    AGORA_DATA_DIR: dataDir,
    // Earnings are released by a sweep that is no part of a lifecycle; it would fall into somebody else's turn.
    EARNINGS_HOLD_MS: '7200000',
    ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    ...env,
  });

export async function makeDatabase(name: string, { adminUrl, population }: Setting): Promise<string> {
  const url = adminUrl.replace(/\/[^/]*$/, `/bench_${name}`);
  await onDatabase(adminUrl, (client) => client.query(`create database bench_${name}`));
  await migrated(url);
  await seed(url, population);
  return url;
}

export async function onDatabase<R>(url: string, work: (client: pg.Client) => Promise<R>): Promise<R> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Cleans up after a turn, so that the next contender does not pay for this one's vacuum or checkpoint. */
export async function settle({ databaseUrl }: Pick<Contender, 'databaseUrl'>): Promise<void> {
  if (databaseUrl === null) return;
  await onDatabase(databaseUrl, async (client) => {
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });
}
