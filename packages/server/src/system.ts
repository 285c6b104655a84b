import { ApiError, type Clock, type Pool, type Route, route } from './platform/index.ts';
import type { SandboxDriver } from './sandbox/index.ts';

type Probe = Awaited<ReturnType<SandboxDriver['probe']>>;

/** Health (the process is up) and readiness (it can do its work). */
export function systemRoutes(deps: { pool: Pool; clock: Clock; driver: SandboxDriver }): Route[] {
  let probe: Promise<Probe> | null = null;
  return [
    route('system.health', async ({ now }) => ({ status: 'ok' as const, timestamp: now.toISOString() })),
    route('system.ready', async ({ now }) => {
      await deps.pool.query('select 1').catch((cause) => {
        throw new ApiError('NOT_READY', 'The database does not answer.', {}, { cause });
      });
      // A probe starts a sandbox, so its answer is kept; a failed one is asked again.
      probe ??= deps.driver.probe();
      const result = await probe;
      if (!result.available) probe = null;
      return {
        status: 'ready' as const,
        timestamp: now.toISOString(),
        sandbox: {
          driver: deps.driver.name,
          available: result.available,
          detail: result.available ? `limits ${result.enforcement.limits}` : result.reason,
        },
      };
    }),
  ];
}
