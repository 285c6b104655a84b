import { createHash, randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { takeOverDisputes } from './disputes/index.ts';
import { postponeAgreements } from './exchange/index.ts';
import {
  type Clock,
  type Config,
  createPeers,
  encryption,
  Hosts,
  type Job,
  keptOnce,
  type Logger,
  minuteMs,
  type Peers,
  type Pool,
  roles,
  schemaFunctions,
  schemaOfFunctions,
  secretMark,
} from './platform/index.ts';
import { knownMigrations } from './platform/postgres/index.ts';
import { fateOf, serverTag } from './sandbox/index.ts';
import { mostOfTasks, postponeAll, takeOver } from './tasks/index.ts';

interface Deps {
  pool: Pool;
  clock: Clock;
  config: Config;
  log: Logger;
  databaseUrl: string;
}

/**
 * This process among the servers of its database. `room` says how many sandboxes of tasks could start here; `letGo` ends its
 * work after others have taken it over.
 */
export function joinedHosts({ config, ...deps }: Deps, here: { room(): number; letGo(): Promise<unknown> }): Hosts {
  const dataDir = resolve(config.AGORA_DATA_DIR);
  return new Hosts({
    ...deps,
    place: {
      store: keptOnce(join(dataDir, 'store-id'), randomUUID),
      process: serverTag(),
      secretMark: secretMark(config),
      objectsMark: objectsMark(config),
      migration: knownMigrations().length,
      functions: schemaOfFunctions(schemaFunctions),
      fateOf,
    },
    deadMs: config.PEER_DEAD_MS,
    roles: config.ROLES,
    capacity: mostOfTasks(config),
    async takeOver(tx, now) {
      await takeOver(tx, now);
      await takeOverDisputes(tx, now);
    },
    async makeUp(tx, awayMs) {
      await postponeAll(tx, awayMs);
      await postponeAgreements(tx, awayMs);
    },
    ...here,
  });
}

/** Says what nobody does, as long as no server of the database has the role for it. */
export const roleJobs = ({ hosts, log }: { hosts: Hosts; log: Logger }): Job[] => [
  {
    name: 'hosts.missRoles',
    isOwn: true,
    everyMs: minuteMs,
    async run() {
      for (const role of hosts.missingRoles) {
        log.warn({ role }, `no server has the role ${role}, which ${roles[role]}; name it in ROLES of one`);
      }
    },
  },
];

const objectsMark = ({ S3_BUCKET, S3_ENDPOINT = '', S3_PREFIX }: Config): string =>
  S3_BUCKET === undefined
    ? 'directories'
    : createHash('sha256').update([S3_BUCKET, S3_ENDPOINT, S3_PREFIX].join('\n')).digest('hex').slice(0, 16);

/** Longer than any command and the preparation before it: cloning and filling the workspace. */
const beyondCommandsMs = 240_000;

/** The channel to the other servers, whose key comes of the secret that all of them have. */
export const openPeers = ({
  config,
  ...deps
}: Pick<Deps, 'pool' | 'clock' | 'config' | 'log'> & { hosts: Hosts }): Peers =>
  createPeers({
    ...deps,
    key: encryption(config).digest('calls of servers to each other'),
    longestMs: config.SANDBOX_MAX_EXEC_MS + beyondCommandsMs,
  });

/** Where other servers reach this one, unless a setting says otherwise. */
export function peerAddress({ HOST, PEER_URL }: Pick<Config, 'HOST' | 'PEER_URL'>, port: number): string {
  if (PEER_URL !== undefined) return new URL(PEER_URL).origin;
  const isEverywhere = HOST === '0.0.0.0' || HOST === '::';
  const host = isEverywhere ? (ownAddress() ?? '127.0.0.1') : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const ownAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
