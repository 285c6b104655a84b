import { type ErrorCode, errorsOf, idPrefixes } from '@agora-market/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppOptions } from '../../src/app.ts';
import { createSandboxDriver, type Sandbox, type SandboxDriver, SandboxError } from '../../src/sandbox/index.ts';
import type { PaymentProcessor } from '../../src/vault/index.ts';
import { createStripeProcessor } from '../../src/vault/payments/processor-stripe.ts';
import { createTestProcessor } from '../../src/vault/payments/processor-test.ts';
import { allOperations, makeWorld, pathOf, type Sent, send, type World } from '../api/requests.ts';
import { makePair, type SecondApp, serverForFile, startSecondApp } from '../api/scene.ts';
import { startGitHub } from '../github/scene.ts';
import { startStripeFake } from '../stripe/fake.ts';
import { databaseLine } from '../support/database-line.ts';
import { startTurnstile } from '../support/turnstile.ts';
import type { generic, Surroundings } from './scenario.ts';
import { scenarios } from './scenarios.ts';

/** Every error that an operation declares is brought about here, and by that operation. */

const real = createTestProcessor();
let isBroken = false;
let held: Promise<void> | undefined;
/** Calls that find the processor away once a scenario has broken it. */
const fragile = [
  'setUpMethod',
  'openMethodPage',
  'saveMethod',
  'charge',
  'refund',
  'createAccount',
  'onboardingLink',
  'accountStatus',
  'payOut',
];
const processor: PaymentProcessor = new Proxy(real, {
  get: (target, key) => {
    const value = Reflect.get(target, key);
    if (!fragile.includes(String(key))) return value;
    return async (...request: unknown[]) => {
      if (key === 'charge') await held;
      if (isBroken) throw new Error('the processor is away');
      return value.apply(target, request);
    };
  },
});

const server = serverForFile({ processor });
let world: World;
const apps: SecondApp[] = [];
const closers: (() => Promise<void>)[] = [];
let around: Surroundings;

/** A driver whose every sandbox ends like this. */
function driverThat(spoil: 'cannot start' | 'refuses'): SandboxDriver {
  const driver = createSandboxDriver({ driver: 'auto', installationId: `spoiled-${process.pid}-${spoil.length}` });
  closers.push(async () => driver.forget?.());
  return {
    name: driver.name,
    probe: async () =>
      spoil === 'refuses' ? driver.probe() : { available: false, reason: 'No sandbox can be started.' },
    reclaim: () => driver.reclaim(),
    create: async (id, limits) => {
      if (spoil === 'cannot start') throw new SandboxError('SANDBOX_UNAVAILABLE', 'No sandbox can be started.');
      const sandbox = await driver.create(id, limits);
      const refusal = (code: 'REFUSED' | 'SANDBOX_GONE') => async () => {
        throw new SandboxError(code, 'The sandbox refuses.');
      };
      const spoiled: Partial<Sandbox> = { exec: refusal('REFUSED'), exportWorkspace: refusal('SANDBOX_GONE') };
      return new Proxy(sandbox, {
        get: (target, key) => {
          const value = spoiled[key as keyof Sandbox] ?? Reflect.get(target, key);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    },
  };
}

beforeAll(async () => {
  world = await makeWorld(server);
  const second = async (options: Parameters<typeof startSecondApp>[1]) => {
    const app = await startSecondApp(server, options);
    apps.push(app);
    return app.url;
  };
  around = {
    withoutSandboxes: await second({ driver: driverThat('cannot start') }),
    withRefusingSandboxes: await second({ driver: driverThat('refuses') }),
    ...(await secondWithTinyQuota()),
    withLittleStorage: await second({ config: { ...server.config, ...littleStorage } }),
    withoutQueue: await second({ config: { ...server.config, QUEUE_OWNER_TASKS: 0, DRY_RUN_MS: 8_000 } }),
    withoutProcessor: await second({ processor: null }),
    withLimits: await second({ config: { ...server.config, PAYMENT_LIMITS: 'on' } }),
    ...(await secondWithStripe(second)),
    ...(await secondWithGitHub(second)),
    withVerification: await second({ config: { ...server.config, EMAIL_VERIFICATION: 'required' } }),
    withCaptcha: await secondWithCaptcha(second),
    breakProcessor: () => {
      isBroken = true;
    },
    refusePayouts: () => {
      real.payoutFaults.outcome = 'failed';
    },
    holdCharge: () => {
      let letGo = () => {};
      held = new Promise((resolve) => {
        letGo = resolve;
      });
      return letGo;
    },
  };
});
afterAll(async () => {
  for (const { app } of apps) await app.close();
  for (const close of closers) await close();
});

const littleStorage = { SANDBOX_DISK_BYTES: 2 ** 20, ARTIFACT_TOTAL_BYTES: 0, STORAGE_OWNER_BYTES: 2 ** 20 };

async function secondWithTinyQuota() {
  const config = { ...server.config, SANDBOX_CPU_QUOTA_MS: 1, SANDBOX_RESUMES: 0 };
  const tiny = await startSecondApp(server, { config });
  apps.push(tiny);
  return { withTinyQuota: tiny.url, sweepTinyQuota: () => tiny.app.sweep() };
}

async function secondWithStripe(second: (options: Partial<AppOptions>) => Promise<string>) {
  const stripe = await startStripeFake({ now: server.clock.now });
  closers.push(() => stripe.close());
  const { url: apiBase, secretKey, webhookSecret } = stripe;
  const ours = createStripeProcessor({ apiBase, secretKey, webhookSecret, retries: 0 });
  const url = await second({ processor: ours });
  const agora = server.client({ ownerToken: (await server.owner({ credits: 0 })).token }).withOptions({ baseUrl: url });
  await agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await agora.vault.topUp({ amount: 500 });
  return { withStripe: url, stripe };
}

async function secondWithGitHub(second: (options: Partial<AppOptions>) => Promise<string>) {
  const github = await startGitHub();
  closers.push(() => github.close());
  return { withGitHub: await second({ config: { ...server.config, ...github.settings } }), github };
}

async function secondWithCaptcha(second: (options: Partial<AppOptions>) => Promise<string>) {
  const turnstile = await startTurnstile();
  closers.push(() => turnstile.close());
  return second({ config: { ...server.config, ...turnstile.settings } });
}

type Row = (typeof allOperations)[number];
type Generic = (typeof generic)[number];

const nobody = (kind: keyof typeof idPrefixes) => `${idPrefixes[kind]}_01jxyz3k9mf5t8v2q7h4n6p0rs`;

async function strangers(row: Row): Promise<Sent> {
  const { buyer, agent } = await makePair(server, { credits: 0 });
  return { headers: row.auth === 'agent' ? { 'x-api-key': agent.key } : { authorization: `Bearer ${buyer.token}` } };
}

const genericScenarios: Record<Generic, (row: Row) => Promise<Sent>> = {
  VALIDATION_ERROR: async () => ({ query: '?x=%00' }),
  NOT_A_PARTY: strangers,
  NOT_AGENT_OWNER: strangers,
  TASK_NOT_FOUND: async (row) =>
    row.path.includes(':taskId')
      ? { path: pathOf(row, world, { taskId: nobody('task') }) }
      : { query: `?taskId=${nobody('task')}` },
  TOKEN_NOT_FOUND: async (row) => ({ path: pathOf(row, world, { tokenId: nobody('token') }) }),
  ASSESSMENT_NOT_FOUND: async (row) => ({ path: pathOf(row, world, { assessmentId: nobody('assessment') }) }),
};

/** How an error of an operation is brought about; undefined if nobody has said. */
function scenarioOf(row: Row, code: ErrorCode): (() => Promise<Sent>) | undefined {
  if (code in genericScenarios) return () => genericScenarios[code as Generic](row);
  const own = (scenarios as Record<string, Record<string, (world: World, around: Surroundings) => Promise<Sent>>>)[
    row.id
  ];
  const scenario = own?.[code];
  return scenario && (() => scenario(world, around));
}

describe.each(allOperations.filter((row) => row.errors.length > 0).map((row) => [row.id, row] as const))(
  '%s',
  (id, row) => {
    test.each(row.errors)('%s', async (code) => {
      const scenario = scenarioOf(row, code);
      expect(scenario, `${id} declares ${code}, and no scenario brings it about`).toBeDefined();
      // The database is taken away only at the end, by a test of its own.
      if (code === 'NOT_READY') return;
      try {
        const { code: seen, text } = await send(row, world, await scenario?.());
        expect(`${seen}${seen === code ? '' : ` ${text}`}`).toBe(code);
      } finally {
        isBroken = false;
        held = undefined;
        real.payoutFaults.outcome = undefined;
        around.github.answer(null);
      }
    });
  },
);

test('where the database is away every operation is NOT_READY, and serves again once it is back', async () => {
  const line = await databaseLine(server.databaseUrl);
  const { app, url } = await startSecondApp(server, { databaseUrl: line.url });
  // What is signed is refused before anybody looks at the database, and some operations need none.
  const needNone = ['system.health', 'system.environments', 'system.metrics', 'auth.captcha'];
  const guarded = allOperations.filter((row) => !needNone.includes(row.id) && !row.rawBody);
  try {
    expect((await send(rowOf('vault.getPool'), world, { url })).status).toBe(200);
    line.cut();
    for (const row of guarded) {
      const { status, code } = await send(row, world, { url });
      expect(`${row.id}: ${status} ${code}`).toBe(`${row.id}: 503 NOT_READY`);
    }
    expect((await send(rowOf('system.health'), world, { url })).status).toBe(200);
    await line.mend();
    expect((await send(rowOf('vault.getPool'), world, { url })).status).toBe(200);
    const { status, text } = await send(rowOf('tasks.submit'), world, { url });
    expect(status, text).toBe(201);
  } finally {
    await app.close();
    line.cut();
  }
});

const rowOf = (id: string) => allOperations.find((row) => row.id === id) as Row;

test('errors that are common to all operations are declared for all', () => {
  for (const row of allOperations) {
    expect(errorsOf(row)).toEqual(
      expect.arrayContaining(['RATE_LIMITED', 'INTERNAL_ERROR', 'NOT_READY', 'VALIDATION_ERROR']),
    );
  }
});
