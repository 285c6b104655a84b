import type { Environments } from './environments/index.ts';
import { judgeState } from './gate/index.ts';
import {
  ApiError,
  type Call,
  type Clock,
  type Config,
  type Disk,
  ensure,
  type Pool,
  type Route,
  recent,
  route,
  row,
  type Signing,
  withTimeout,
} from './platform/index.ts';
import { neededMigration } from './platform/postgres/index.ts';
import { SandboxError, type SandboxState } from './sandbox/index.ts';
import { atOneWithRole, type TaskDeps } from './tasks/index.ts';

/** How long readiness waits for the database: whoever asks gives up soon, and learns nothing then. */
const answerMs = 2_000;

/** Health (the process is up), readiness (it can do its work) and the keys of what the installation signs. */
export function systemRoutes(
  deps: {
    pool: Pool;
    clock: Clock;
    disk: Disk;
    config: Config;
    signing: Signing;
    sandboxState: () => Promise<SandboxState>;
    environments: Pick<Environments, 'list'>;
  } & Pick<TaskDeps, 'hosts' | 'peers' | 'random'>,
): Route[] {
  const needed = neededMigration();
  // One look at a time, so that those who ask while the database is silent do not fill the pool with questions.
  const schemaNow = recent(0, 0, () => appliedMigration(deps.pool));
  const late = () => new Error(`there was no answer in ${answerMs} ms`);
  return [
    route('system.jwks', async () => ({ keys: await deps.signing.published() })),
    route('system.health', async ({ now }) => ({ status: 'ok' as const, timestamp: now.toISOString() })),
    route('system.environments', (call) =>
      deps.config.ROLES.includes('sandboxes') || call.passedOn
        ? listed(deps.environments)
        : atOneWithRole(deps, call as unknown as Call, 'sandboxes'),
    ),
    route('system.ready', async ({ now }) => {
      await deps.disk.requireRoom();
      const schema = await withTimeout(deps.clock, answerMs, schemaNow.get(), late).catch((cause) => {
        throw new ApiError('NOT_READY', 'The database does not answer.', {}, { cause });
      });
      // A newer server may have migrated further while this one still serves. An older schema cannot be served.
      ensure(schema >= needed, 'NOT_READY', `The database is at migration ${schema}. This server needs ${needed}.`);
      const { driver, available, detail } = await deps.sandboxState();
      const sandbox = { driver, available, detail };
      return { status: 'ready' as const, timestamp: now.toISOString(), sandbox, judge: judgeState(deps.config) };
    }),
  ];
}

async function listed({ list }: Pick<Environments, 'list'>): ReturnType<Environments['list']> {
  try {
    return await list();
  } catch (error) {
    throw error instanceof SandboxError ? new ApiError('SANDBOX_UNAVAILABLE', error.message) : error;
  }
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
