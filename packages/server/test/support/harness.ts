import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rateLimits } from '@agora-market/contract';
import { Agora, type Body } from '@agora-market/sdk';
import { type App, createApp } from '../../src/app.ts';
import { type Config, createLog, manualClock, type Pool, readConfig } from '../../src/platform/index.ts';
import { createSandboxDriver, driverSettings } from '../../src/sandbox/index.ts';
import type { PaymentProcessor } from '../../src/vault/index.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { callsInTransactions } from './outside-calls.ts';

export interface TestServerOptions {
  config?: Partial<Config>;
  processor?: PaymentProcessor | null;
  /** What routing draws from; `middling` unless given. */
  random?: () => number;
  /** A migrated one to start on; it is dropped at the end. */
  database?: TestDatabase;
  /** Where the injected clock starts. */
  at?: string;
  /** Another clock, in place of one that stands still. */
  clock?: TestServer['clock'];
}

export interface TestServer {
  url: string;
  app: App;
  pool: Pool;
  databaseUrl: string;
  dataDir: string;
  clock: ReturnType<typeof manualClock>;
  config: Config;
  /** A client without credentials, or with those given. Retries are off, so that tests see the first answer. */
  client(credentials?: { ownerToken?: string; agentKey?: string; operatorToken?: string; trustKey?: string }): Agora;
  /** A client with the operator's token. */
  operator(): Agora;
  /** An owner with a verified address, and so many cents by a test card; owners with the same card are one payer. */
  owner(options?: { credits?: number; name?: string; card?: string }): Promise<TestOwner>;
  close(): Promise<void>;
}

export interface TestOwner {
  id: string;
  email: string;
  token: string;
  agora: Agora;
  agent(fields?: Partial<Body<'agents.register'>>): Promise<TestAgent>;
}

export interface TestAgent {
  id: string;
  key: string;
  agora: Agora;
  owner: TestOwner;
}

/** Limits are off unless a test turns one on, for tests send more than people do. */
const noLimits = Object.fromEntries(
  Object.values(rateLimits).map(({ setting }) => [setting, 0]),
) as unknown as Partial<Config>;

/** The operator's token on every test server. */
export const operatorToken = 'an-operator-token-of-43-characters-for-tests';

/**
 * Chance that always comes out in the middle: no lottery is held, and agents of whom the same is known draw the same
 * quality. So the cheaper one is chosen, of equal ones the older.
 */
export const middling = (): number => 0.5;

let serial = 0;

/** A real server on a database of its own, on real sandboxes, with a clock that the test moves. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = options.database ?? (await createTestDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), 'agora-test-'));
  const config: Config = {
    ...readConfig({ PORT: '0', LOG_LEVEL: 'silent' }),
    ...noLimits,
    REQUESTS_AT_ONCE: 0,
    AGORA_DATA_DIR: dataDir,
    // Tests say when to reconcile, for a run of the schedule would find what they plant before they look.
    RECONCILE_EVERY_MS: 0,
    // Earnings can be withdrawn at once, but in tests of what holds them back.
    PAYOUT_HOLD_MS: 0,
    // Owners of a test share one card and one address.
    PAYMENT_LIMITS: 'off',
    // Nor does anything start that they do not ask for.
    SANDBOX_WARM: 0,
    // What a test may open does not depend on the machine that it runs on.
    SANDBOX_MAX_LIVE: 200,
    AGORA_OPERATOR_TOKEN: operatorToken,
    // No test asks the real one.
    GITHUB_API_BASE: 'http://127.0.0.1:9',
    GITHUB_BASE_URL: 'http://127.0.0.1:9',
    TURNSTILE_VERIFY_URL: 'http://127.0.0.1:9',
    DEPENDENCY_REGISTRIES: 'off',
    // The legacy exchange still works on test servers, but for tests of its end.
    EXCHANGE_SUNSET: '2099-01-01T00:00:00Z',
    STORAGE_OWNER_BYTES: 1e14,
    STORAGE_TOTAL_BYTES: 1e14,
    ...options.config,
  };
  const clock = options.clock ?? manualClock(options.at ?? '2026-11-21T12:00:00.000Z');
  const driver = createSandboxDriver({
    ...driverSettings(config),
    installationId: `test-${process.pid}-${++serial}`,
  });
  const app = await createApp({
    config,
    clock,
    log: createLog(process.env.TEST_LOG_LEVEL ?? config.LOG_LEVEL),
    databaseUrl: database.url,
    driver,
    checkReplies: true,
    random: options.random ?? middling,
    ...(options.processor !== undefined && { processor: options.processor }),
  });
  followAtOnce(app);
  await app.recover();
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  await app.announce(url);
  const client: TestServer['client'] = (credentials = {}) => new Agora({ baseUrl: url, maxRetries: 0, ...credentials });
  return {
    url,
    app,
    pool: app.pool,
    databaseUrl: database.url,
    dataDir,
    clock,
    config,
    client,
    operator: () => client({ operatorToken }),
    async owner({ credits = 100_000, name, card } = {}) {
      const made = await makeOwner(client, credits, name, card);
      await app.pool.query('update owners set email_verified_at = created_at where email = $1', [made.email]);
      return made;
    },
    async close() {
      await app.close();
      await driver.reclaim();
      driver.forget?.();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
      const [first] = callsInTransactions();
      if (first) throw first;
    },
  };
}

/** Requests after which an agent's reputation or status may be another. */
const matters = /\/(complete|fail|feedback|resolve|reactivate)$/;

/**
 * Reputations follow a moment after a task has ended, when the reader of the event log comes to it. On test servers the
 * reader runs before the reply is sent, so that tests need not wait. That it runs by itself is tested where jobs run.
 */
export const followAtOnce = (app: App): void => {
  app.http.addHook('onSend', async ({ url }) => {
    if (matters.test(url.split('?')[0] as string)) await app.run('registry.followLog');
  });
};

/** An owner who signs up with the server that `client` makes clients of. */
export async function makeOwner(
  client: TestServer['client'],
  credits: number,
  name = 'Test Owner',
  card = 'pm_card_visa',
): Promise<TestOwner> {
  const email = `owner-${process.pid}-${++serial}@example.com`;
  const { owner, token } = await client().auth.signUp({ name, email, password: 'correct horse' });
  const agora = client({ ownerToken: token });
  const made: TestOwner = { id: owner.id, email, token, agora, agent: (fields) => makeAgent(client, made, fields) };
  if (credits > 0) {
    await agora.vault.addPaymentMethod({ paymentMethodId: card });
    await agora.vault.topUp({ amount: credits });
  }
  return made;
}

async function makeAgent(
  client: TestServer['client'],
  owner: TestOwner,
  fields: Partial<Body<'agents.register'>> = {},
): Promise<TestAgent> {
  const { agent, apiKey } = await owner.agora.agents.register({
    displayName: `Agent ${++serial}`,
    framework: 'custom',
    model: 'test-model',
    description: 'An agent of the tests',
    capabilities: [{ category: 'general', tags: [] }],
    pricing: { model: 'per_task', baseRate: 1000, currency: 'USD' },
    ...fields,
  });
  return { id: agent.id, key: apiKey, agora: client({ agentKey: apiKey }), owner };
}
