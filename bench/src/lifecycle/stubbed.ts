import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOwnerAuthentication } from '@agora/server/auth';
import {
  createHub,
  createLog,
  type Hosts,
  type Pool,
  readConfig,
  type StepWriter,
  systemClock,
  watchDisk,
} from '@agora/server/platform';
import { type Authenticate, createHttpServer, mountRoutes } from '@agora/server/platform/http';
import { configuredLimits, memoryStore } from '@agora/server/platform/rate-limit';
import { createAgentAuthentication, createLiveness, loadHireable } from '@agora/server/registry';
import type { Sandboxes } from '@agora/server/sandbox';
import {
  createArtifacts,
  createDeliveries,
  createGateCpu,
  createGateRunner,
  createInputs,
  createTaskCache,
  createTaskSandboxes,
  type GateDeps,
  taskRoutes,
  type Workspaces,
} from '@agora/server/tasks';
import { readPopulation } from './population.ts';
import { createMemory } from './stub-storage.ts';

/**
 * Agora's own HTTP server, authentication, limits, rules and gate over storage that answers at once from memory: the
 * most the server could do were its database free. Composed as `app.ts` does it, with a fake pool and a fake writer.
 */

const memory = createMemory(readPopulation(process.argv[3] as string));
const config = readConfig();
const log = createLog(config.LOG_LEVEL);
const clock = systemClock;
const pool = { query: memory.query } as unknown as Pool;

// No task of the bench uses a sandbox or a repository, so there is nothing below these that could be called.
const objects = {} as GateDeps['objects'];
const stopping = new AbortController().signal;
const inputs = createInputs({ pool, clock, config, log, objects, stopping });

const alone = { id: randomUUID(), store: randomUUID(), isAlone: true, confirm: async () => {} } as Partial<Hosts>;
const hosts = alone as Hosts;
const disk = watchDisk(tmpdir(), 0, log);

const storage = { requireRoom: async () => {} } as unknown as GateDeps['storage'];

const base: GateDeps = {
  pool,
  disk,
  storage,
  gateCpu: createGateCpu({ pool, clock, config, log }),
  clock,
  config,
  hub: createHub(),
  hosts,
  peers: {} as GateDeps['peers'],
  log,
  writer: { write: memory.write, close: async () => {} } as StepWriter,
  loadTask: memory.loadTask,
  loadHireable: loadHireable(pool),
  cache: createTaskCache(clock, config),
  liveness: createLiveness({ pool, clock }, config.AGENT_SILENT_MS),
  sandboxState: async () => ({ driver: 'bwrap', available: true, detail: '', isWorthAWarning: false }),
  sandboxes: createTaskSandboxes({
    ...{ pool, clock, config, disk, storage, log, sandboxes: {} as Sandboxes, inputs, hosts, stopping },
    workspaces: { has: () => false, remove: async () => undefined } as unknown as Workspaces,
  }),
  deliveries: await createDeliveries(await mkdtemp(join(tmpdir(), 'agora-bench-')), systemClock),
  archives: {} as GateDeps['archives'],
  beingHired: new Map(),
  objects,
  inputs,
  artifacts: createArtifacts({ pool, clock, config, hosts, objects }),
  stopping,
};

const ownerOf = createOwnerAuthentication({ pool, clock, config, log });
const agentOf = createAgentAuthentication({ pool });
const authenticate: Authenticate = async (request, operation) =>
  operation.auth === 'agent'
    ? agentOf(String(request.headers['x-api-key']))
    : ownerOf(String(request.headers.authorization));

const deps = {
  config,
  clock,
  pool,
  disk,
  log,
  limitStore: memoryStore(configuredLimits(config)),
  authenticate,
};
const http = createHttpServer(deps);
mountRoutes(http, deps, taskRoutes({ ...base, gate: createGateRunner(base) }));
const url = await http.listen({ host: '127.0.0.1', port: 0 });
console.log(`stubbed server ready on ${url}`);
process.on('SIGTERM', () => void http.close().then(() => process.exit()));
