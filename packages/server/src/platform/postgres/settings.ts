/** Start options of the embedded PostgreSQL. All are on the command line, so a new release can change them. */

export interface TuningOptions {
  /** False for throw-away test databases only: a crash of the machine may then lose or corrupt everything. */
  durable: boolean;
  maxConnections: number;
}

/** PostgreSQL's default port. No port is opened: the number is only part of the socket file's name. */
export const SOCKET_PORT = 5432;

// The machine is shared with the API server and the sandboxes: memory is kept small, and nothing is run in
// parallel inside one query, because with two cores the second one has other work.
const SHARED: Record<string, string> = {
  listen_addresses: '',
  port: String(SOCKET_PORT),
  unix_socket_permissions: '0700',
  shared_buffers: '128MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_parallel_workers_per_gather: '0',
  max_worker_processes: '4',
  max_logical_replication_workers: '0',
  jit: 'off',
  // The data fits into the page cache, so reads do not wait. The three I/O workers that PostgreSQL 18 starts by default
  // would only cost memory.
  io_method: 'sync',
  huge_pages: 'off',
  wal_compression: 'on',
  max_wal_size: '1GB',
  min_wal_size: '128MB',
  checkpoint_timeout: '15min',
  // Balance rows are updated thousands of times a second; a vacuum that comes late lets them bloat.
  autovacuum: 'on',
  autovacuum_naptime: '15s',
  autovacuum_vacuum_cost_delay: '1ms',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Failing statements are logged by the server that sent them, with a correlation id; here they would put
  // users' data into a second log.
  log_min_messages: 'log',
  log_line_prefix: '%m [%p] ',
};

const DURABLE: Record<string, string> = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
const THROW_AWAY: Record<string, string> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum_naptime: '60s',
  // They may lie in memory.
  max_wal_size: '256MB',
  min_wal_size: '64MB',
};

export function serverArguments(options: TuningOptions): string[] {
  const settings = {
    ...SHARED,
    max_connections: String(options.maxConnections),
    ...(options.durable ? DURABLE : THROW_AWAY),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

// LANG unset gives SQL_ASCII and a foreign LANG fails, so the encoding and the built-in C.UTF-8 are spelled out.
export const INITDB_ARGUMENTS = [
  '--username=agora',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  '--text-search-config=english',
  '--no-instructions',
];

/** A clean environment: a foreign locale or stray PG* variables of the parent must not reach PostgreSQL. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', LANG: 'C', TZ: 'UTC' };
