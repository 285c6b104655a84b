import { readdirSync } from 'node:fs';
import { ApiError, type Clock, ensure, type Pool, type Route, route, row } from './platform/index.ts';
import { migrationsDirectory } from './platform/postgres/index.ts';
import type { SandboxDriver } from './sandbox/index.ts';

type Probe = Awaited<ReturnType<SandboxDriver['probe']>>;

/** Health (the process is up) and readiness (it can do its work). */
export function systemRoutes(deps: { pool: Pool; clock: Clock; driver: SandboxDriver }): Route[] {
  let probe: Promise<Probe> | null = null;
  const newest = readdirSync(migrationsDirectory).filter((name) => name.endsWith('.sql')).length;
  return [
    route('system.health', async ({ now }) => ({ status: 'ok' as const, timestamp: now.toISOString() })),
    route('system.ready', async ({ now }) => {
      const schema = await appliedMigration(deps.pool).catch((cause) => {
        throw new ApiError('NOT_READY', 'The database does not answer.', {}, { cause });
      });
      // A newer server may have migrated further while this one still serves; behind is what cannot be served on.
      ensure(schema >= newest, 'NOT_READY', `The schema is at migration ${schema}, and this server needs ${newest}.`);
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

/** The newest migration that the database has; 0 where it has none at all. */
async function appliedMigration(pool: Pool): Promise<number> {
  try {
    const found = await row<{ version: number | null }>(
      pool,
      'system_schema_version',
      'select max(version) as version from schema_migrations',
      [],
    );
    return found?.version ?? 0;
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return 0;
    throw error;
  }
}
