import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { OperationId } from '@agora-market/contract';
import type { FastifyInstance } from 'fastify';
import { mountA2a, writePush } from './a2a/index.ts';
import { authQueue, authRoutes, createCaptcha, signInDeps } from './auth/index.ts';
import { authentication, requireCaller } from './authentication.ts';
import { joinedHosts, openPeers, roleJobs } from './company.ts';
import { mountDashboard } from './dashboard.ts';
import { createPrivateRegistries } from './dependencies/index.ts';
import { countDisputes, createDisputes } from './disputes/index.ts';
import { jobsOf, routesOf } from './districts.ts';
import { mountDocs } from './docs.ts';
import { createDeprecations, notificationJobs } from './embassy/index.ts';
import { createForges } from './forges/index.ts';
import { configuredJudge, createBaselines, openAdvisories, openAttempts } from './gate/index.ts';
import { createQueue, type JobHandler } from './jobs/index.ts';
import { mountLlms } from './llms.ts';
import { createMail } from './mail/index.ts';
import { mountMcp } from './mcp/index.ts';
import { createMonitoring } from './metrics/index.ts';
import type { ObjectStore } from './objects/index.ts';
import { credentials, credentialsQueue, deletionQueue, deletionRoutes, overviewRoutes } from './overview/index.ts';
import {
  configuredStore,
  createHttpServer,
  mountRoutes,
  notFound,
  type RateLimitStore,
  type Uses,
} from './platform/http/index.ts';
import {
  type AtEnd,
  type Clock,
  type Config,
  createFaults,
  createMetrics,
  createPool,
  createSigning,
  createStepWriter,
  type Disk,
  encryption,
  type Faults,
  type Job,
  type Jobs,
  type Logger,
  type Metrics,
  openHub,
  openInOrder,
  openTracing,
  type Peers,
  type Pool,
  publicUrl,
  type Route,
  schemaFunctions,
  schemaOfFunctions,
  systemClock,
  systemRandom,
  type Tracing,
  withTimeout,
} from './platform/index.ts';
import { createLiveness, loadHireable } from './registry/index.ts';
import { type SandboxDriver, type SandboxState, sandboxState } from './sandbox/index.ts';
import { createSchedules } from './schedules/index.ts';
import { taskStores } from './task-stores.ts';
import {
  createGateRunner,
  createQueueHints,
  createTaskCache,
  createUnderWay,
  type GateDeps,
  isPassedOn,
  stepsLock,
  type TaskDeps,
  type TaskSandboxes,
  taskLoader,
} from './tasks/index.ts';
import { createQuota, createTrustAuthentication, type Quota, summaryLoader, trustRoutes } from './trust/index.ts';
import {
  configuredProcessor,
  createReconciler,
  type PaymentProcessor,
  paymentGuard,
  paymentJobs,
  paymentQueue,
} from './vault/index.ts';
import { createWebhooks, type Pushes } from './webhooks/index.ts';

export interface AppOptions {
  config: Config;
  clock: Clock;
  log: Logger;
  databaseUrl: string;
  driver: SandboxDriver;
  /** Taken from the settings unless given. */
  processor?: PaymentProcessor | null;
  limitStore?: RateLimitStore;
  /** Numbers from 0 up to 1 that routing draws from; such as nobody can foretell unless given. */
  random?: () => number;
  /** Directory of the built dashboard; `build/dashboard` unless given. */
  dashboard?: string;
  /** Directory of what models read; `build/llms` unless given. */
  llms?: string;
  /** Checks every reply against its schema; for tests. */
  checkReplies?: boolean;
}

/** The running application, apart from its listening socket and timers. */
export interface App {
  http: FastifyInstance;
  pool: Pool;
  objects: ObjectStore;
  /** Joins the servers of the database, and repairs what dead servers left. Runs once, before it serves. */
  recover(): Promise<void>;
  /** Says where other servers reach this one. */
  announce(address: string): Promise<void>;
  /** From now on the jobs run, each by itself. */
  startJobs(): void;
  /** Runs all of these jobs once, one after the other; safe at any moment. */
  sweep(): Promise<void>;
  /** Runs one job now. */
  run(job: string): Promise<void>;
  /** Streams and long polls that wait here for a change. */
  waiting(): number;
  /** Whether sandboxes run here, and what is missing. */
  sandboxState(): Promise<SandboxState>;
  /** How many other processes on the database are notified of changes made here. */
  peers(): number;
  /** Stops taking requests, finishes what runs, and ends every sandbox and connection. */
  close(): Promise<void>;
}

export const createApp = (options: AppOptions): Promise<App> =>
  openInOrder(
    (error) => options.log.error({ err: error }, 'a part of the stop failed'),
    async (atEnd) => {
      const tracing = await openTracing(options.config, options.log);
      atEnd(() => tracing?.close());
      return openApp({ ...options, tracing }, atEnd);
    },
  );

type TracedOptions = AppOptions & { tracing: Tracing | null };

async function openApp(options: TracedOptions, atEnd: AtEnd): Promise<Omit<App, 'close'>> {
  const { config, clock, log, databaseUrl, driver } = options;
  const functions = schemaOfFunctions(schemaFunctions);
  const lost = (error: Error) => log.warn({ err: error }, 'a database connection was lost');
  const pool = createPool(databaseUrl, lost, { functions });
  atEnd(() => pool.end());
  const hub = openHub(options);
  atEnd(() => hub.close());
  const metrics = createMetrics();
  const shared = { pool, clock, config, log };
  const stopping = new AbortController();
  // Every open stream and long poll listens.
  setMaxListeners(0, stopping.signal);
  const hosts = joinedHosts(
    { ...shared, databaseUrl },
    { room: () => kept.sandboxes.room(), letGo: () => kept.sandboxes.letGo() },
  );
  atEnd(() => hosts.leave());
  const forges = createForges(shared);
  const privateRegistries = createPrivateRegistries(shared);
  const ways = { cloneToken: forges.accesses.forClone, privateRegistries };
  const stores = { ...shared, ...ways, driver, hosts, stopping: stopping.signal };
  const { live, ...kept } = await taskStores(stores);
  atEnd(
    () => live.destroyAll(),
    () => kept.sandboxes.leave(),
  );
  const writer = createStepWriter(databaseUrl, hub, log, {
    ...{ lock: stepsLock, metrics, functions },
    servers: () => hosts.count,
  });
  atEnd(() => writer.close());
  const base: GateDeps = {
    ...shared,
    hub,
    hosts,
    peers: openPeers({ ...shared, hosts }),
    writer,
    ...lookUps(pool, options),
    ...kept,
    signing: createSigning(shared),
    stopping: stopping.signal,
    sandboxState: opensSandboxes(config)
      ? sandboxState(driver, clock)
      : async () => elsewhere(driver, hosts.missingRoles.includes('sandboxes')),
  };
  const additions = await gateAdditions(base);
  const gate = createGateRunner(base, additions);
  const disputes = createDisputes({ ...base, gate, judge: additions.judge });
  const tasks = { ...base, gate, tracing: options.tracing };
  const quota = createQuota({ pool, clock });
  const webhooks = createWebhooks({ ...base, writePush });
  const accounts = openAccounts(base);
  const intake = forges.intake(tasks);
  const schedules = createSchedules(tasks);
  const handlers = [...accounts.handlers, ...intake.handlers, ...schedules.handlers];
  const { payments, reconciler, queue, timed } = await openPayments(base, options, handlers);
  const monitoring = createMonitoring({
    ...{ ...shared, metrics },
    jobs: { states: () => jobs.states() },
    host: () => hosts.id,
    waiting: () => hub.waiting(),
  });
  const jobs: Jobs = jobsOf(
    tasks,
    additions,
    jobsIn(
      disputes,
      { jobs: [...timed, ...roleJobs(base)] },
      monitoring,
      accounts,
      webhooks,
      forges.pulls(tasks),
      intake,
      schedules,
      kept.dependencies,
    ),
  );
  const httpDeps = await httpDepsOf(options, base, metrics, accounts);
  const http = createHttpServer(httpDeps);
  atEnd(
    () => stopping.abort(),
    () => void jobs.stop(),
    () => closeAndKeep(http, base.sandboxes),
    () => gate.idle(),
    () => base.liveness.flush(),
    () => base.underWay.commands.flush(pool),
    () => base.faults.flush(),
    () => disputes.idle(),
    () => quota.close(),
    () => withTimeout(systemClock, jobsMs, base.gateCpu.idle()),
    () => reconciler.idle(),
    () => withTimeout(systemClock, jobsMs, Promise.all([jobs.stop(), queue.idle()])),
    () => Promise.all([webhooks.close(), forges.close(), accounts.close()]),
  );
  const routes = [
    ...servedRoutes(tasks, payments, quota),
    ...routesIn(monitoring, accounts, webhooks, forges, privateRegistries, schedules),
  ];
  await mountAll(http, { ...httpDeps, pushes: webhooks.pushes }, withOverview({ ...base, jobs }, routes), base.peers);
  return {
    http,
    pool,
    objects: kept.objects,
    sandboxState: base.sandboxState,
    waiting: () => hub.waiting(),
    peers: () => hub.peers(),
    async recover() {
      await hosts.join();
      await kept.carryOver(AbortSignal.timeout(carryMs));
    },
    announce: (address) => hosts.announce(address),
    startJobs: () => jobs.start(),
    sweep: () => jobs.runAll(),
    run: (job) => jobs.run(job),
  };
}

/** Whether this server has sandboxes of tasks or gates; others open one only to look into it, and to lay out a bundle. */
const opensSandboxes = ({ ROLES }: Config): boolean => ROLES.includes('sandboxes') || ROLES.includes('gate');

const elsewhere = (driver: SandboxDriver, isMissing: boolean): SandboxState => ({
  driver: driver.name,
  available: !isMissing,
  detail: isMissing ? 'no server that has sandboxes is at work' : 'at other servers',
  isWorthAWarning: false,
});

/** A start does not wait longer for what its disk has for the bucket; a job carries the rest. */
const carryMs = 10_000;

const routesIn = (...parts: { routes: Route[] }[]): Route[] => parts.flatMap(({ routes }) => routes);

const jobsIn = (...parts: { jobs: Job[] }[]): Job[] => parts.flatMap(({ jobs }) => jobs);

const servedRoutes = (tasks: TaskDeps, payments: Parameters<typeof routesOf>[1], quota: Quota): Route[] => [
  ...routesOf(tasks, payments),
  ...trustRoutes(trusting(tasks, quota)),
];

/** With what owners and the operator see of all of them at once. */
const withOverview = (deps: Parameters<typeof overviewRoutes>[0], routes: Route[]): Route[] => [
  ...routes,
  ...overviewRoutes(deps, routes),
];

/** What takes and pays out money, and what time makes happen to it. */
async function openPayments(base: GateDeps, options: TracedOptions, otherQueued: JobHandler[]) {
  const { pool, clock, log, stopping, config } = base;
  const processor = options.processor === undefined ? await configuredProcessor(config, clock) : options.processor;
  const { digest } = encryption(config);
  const guard = paymentGuard(config.PAYMENT_LIMITS, digest);
  const payments = { pool, clock, log, digest, guard, processor, publicUrl: publicUrl(config) };
  const reconciler = createReconciler({ ...payments, everyMs: config.RECONCILE_EVERY_MS, stopping });
  const queue = createQueue({ ...base, tracing: options.tracing }, [...paymentQueue(payments), ...otherQueued]);
  return { payments, reconciler, queue, timed: [...paymentJobs(payments), ...queue.jobs, reconciler] };
}

/** What owners have to do with the service itself: their accounts and mail, and what they are told. */
function openAccounts(base: GateDeps) {
  const mail = createMail(base);
  const captcha = createCaptcha(base);
  const deps = signInDeps({ ...base, mail, captcha });
  const deprecations = createDeprecations(base);
  return {
    routes: [...authRoutes({ ...deps, credentials: credentials(base) }), ...deletionRoutes(deps)],
    handlers: [...mail.handlers, ...authQueue(deps), ...deletionQueue(deps), ...credentialsQueue(deps)],
    jobs: [...mail.jobs, ...notificationJobs({ ...base, mail }), ...deprecations.jobs],
    uses: deprecations.uses,
    close: () => Promise.all([deprecations.flush(), captcha.close()]),
  };
}

async function httpDepsOf(
  options: TracedOptions,
  { pool, disk, faults }: { pool: Pool; disk: Disk; faults: Faults },
  metrics: Metrics,
  { uses }: { uses: Uses },
) {
  const { config, clock, log, tracing, dashboard, llms, checkReplies = false } = options;
  const limitStore = options.limitStore ?? (await configuredStore(config, log));
  const authenticate = authentication({ pool, clock, config, log, trustOf: createTrustAuthentication({ pool }) });
  const observed = { metrics, faults, tracing, uses, checkReplies };
  return { config, clock, pool, disk, log, limitStore, authenticate, requireCaller, dashboard, llms, ...observed };
}

/** What every server answers, whatever its roles: how it is, and its figures. */
const forMonitoring: readonly OperationId[] = ['system.health', 'system.ready', 'system.metrics'];
const isForMonitoring = ({ operation }: Route): boolean => forMonitoring.includes(operation.id as OperationId);

async function mountAll(
  http: FastifyInstance,
  deps: Awaited<ReturnType<typeof httpDepsOf>> & { pushes: Pushes },
  routes: Route[],
  peers: Peers,
): Promise<void> {
  if (deps.config.ROLES.includes('api')) {
    await mountDocs(http, deps);
    await mountLlms(http, deps);
    mountRoutes(http, deps, routes);
    mountMcp(http, deps);
    mountA2a(http, deps);
    await mountDashboard(http, deps);
  } else mountRoutes(http, deps, routes.filter(isForMonitoring));
  peers.mount(http, routes.filter(isPassedOn), notFound(deps));
}

/** How long a stop waits for running jobs. Jobs that call another service give up by themselves, but later. */
const jobsMs = 5_000;
/** Commands under way get a moment to end; then they end with their sandboxes, whose work must be kept in time. */
const requestsMs = 4_000;

async function closeAndKeep(http: FastifyInstance, sandboxes: TaskSandboxes): Promise<void> {
  const closed = http.close();
  await withTimeout(systemClock, requestsMs, closed);
  await Promise.all([closed, sandboxes.keepAll()]);
}

/** What those who only read reputation are given. Disputes are a district beside theirs. */
const trusting = (deps: TaskDeps, quota: Quota) => ({
  ...deps,
  quota,
  loadSummary: summaryLoader(deps.pool, (agentIds) => countDisputes(deps.pool, agentIds)),
});

/** What this process reads from the database, remembers, and draws from. */
const lookUps = (pool: Pool, { clock, config, random = systemRandom }: AppOptions) => ({
  random,
  loadTask: taskLoader(pool),
  loadHireable: loadHireable(pool),
  cache: createTaskCache(clock, config),
  liveness: createLiveness({ pool, clock }, config.AGENT_SILENT_MS),
  faults: createFaults({ pool, clock }),
  queue: createQueueHints(),
  underWay: createUnderWay(clock),
});

/** What the settings add to the gate's rules. */
async function gateAdditions({ config, clock, log, stopping, pool }: GateDeps) {
  const directory = config.ADVISORY_DB_DIR;
  const { digest } = encryption(config);
  return {
    judge: configuredJudge({ config, clock, log, stopping, db: pool }),
    advisories: directory === undefined ? null : openAdvisories(directory, log, clock),
    baselines: createBaselines(),
    attempts: await openAttempts(join(config.AGORA_DATA_DIR, 'readings')),
    seedOf: (taskId: string) => digest('defects', taskId).toString('hex'),
  };
}
