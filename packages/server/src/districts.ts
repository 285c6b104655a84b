import { purgeMailedTokens, purgeSessions } from './auth/index.ts';
import { disputeRoutes } from './disputes/index.ts';
import { embassyJobs, embassyRoutes } from './embassy/index.ts';
import { agreementAssessment, exchangeJobs, exchangeRoutes } from './exchange/index.ts';
import type { GateAdditions } from './gate/index.ts';
import { keysDue, purgeKeys } from './platform/http/index.ts';
import { askDue, createJobs, type Job, type Jobs, type Roots, untilEmpty } from './platform/index.ts';
import { orderJob, registryJobs, registryRoutes } from './registry/index.ts';
import { systemRoutes } from './system.ts';
import { type TaskDeps, taskJobs, taskRoutes } from './tasks/index.ts';
import { vaultRoutes } from './vault/index.ts';

/** Every operation of the service, bound to its rule. */
export const routesOf = (deps: TaskDeps, payments: Payments) => [
  ...systemRoutes(deps),
  ...registryRoutes(deps),
  ...vaultRoutes({ ...payments, stopping: deps.stopping }),
  ...embassyRoutes(deps),
  ...taskRoutes(deps),
  ...disputeRoutes({ ...deps, otherAssessment: (id, caller) => agreementAssessment(deps.pool, id, caller) }),
  ...exchangeRoutes(deps),
];

type Payments = Omit<Parameters<typeof vaultRoutes>[0], 'stopping'>;

/** All timed jobs. Tasks come after the courts, because erasing the input of a task erases what an appeal needs. */
export const jobsOf = (deps: TaskDeps & { tracing: Roots | null }, additions: GateAdditions, others: Job[]): Jobs => {
  const { pool, clock, log } = deps;
  const purges = [
    {
      name: 'http.purgeKeys',
      due: keysDue,
      run: () => untilEmpty(1_000, (limit) => purgeKeys(pool, clock.now(), limit)),
    },
    {
      name: 'auth.purgeSessions',
      everyMs: 60_000,
      run: () => untilEmpty(1_000, (limit) => purgeSessions(pool, clock.now(), limit)),
    },
    {
      name: 'auth.purgeMailedTokens',
      everyMs: 60_000,
      run: () => untilEmpty(1_000, (limit) => purgeMailedTokens(pool, clock.now(), limit)),
    },
  ];
  return createJobs(
    [
      ...others,
      orderJob(deps),
      ...exchangeJobs({ ...deps, additions }),
      ...embassyJobs(deps),
      ...taskJobs(deps),
      ...registryJobs(deps),
      ...purges,
    ],
    log,
    {
      tracing: deps.tracing,
      has: (role) => deps.config.ROLES.includes(role),
      servers: (role) => deps.hosts.countOf(role),
      isOutdated: (role) => deps.hosts.isOutdated(role),
      ask: askDue(deps),
    },
  );
};
