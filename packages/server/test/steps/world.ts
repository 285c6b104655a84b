import { randomUUID } from 'node:crypto';
import { feeBps, splitPrice } from '@agora-market/contract';
import pg from 'pg';
import { pino } from 'pino';
import {
  createHub,
  createPool,
  createStepWriter,
  type Hub,
  type Logger,
  type Pool,
  type StepWriter,
  transaction,
} from '../../src/platform/index.ts';
import type { DeliverItem } from '../../src/tasks/steps/deliver.ts';
import type { FeedbackItem } from '../../src/tasks/steps/feedback.ts';
import type { FinishItem, FinishVerb } from '../../src/tasks/steps/finish.ts';
import { stepsLock } from '../../src/tasks/steps/lock.ts';
import type { ReassignItem } from '../../src/tasks/steps/reassign.ts';
import type { ShortlistItem } from '../../src/tasks/steps/shortlist.ts';
import type { StartItem } from '../../src/tasks/steps/start.ts';
import type { SubmitItem } from '../../src/tasks/steps/submit.ts';
import { transfer } from '../../src/vault/ledger/transfer.ts';
import { createTestDatabase } from '../support/database.ts';

export const startedAt = Date.parse('2026-11-21T12:00:00.000Z');
export const iso = (ms: number) => new Date(ms).toISOString();
const platform = '00000000-0000-0000-0000-000000000000';

/** A database with the real schema and a writer on it; owners and agents are put in without passwords and keys. */
export interface World {
  url: string;
  pool: Pool;
  hub: Hub;
  writer: StepWriter;
  openWriter(): StepWriter;
  owner(cents: number): Promise<string>;
  /** A seasoned one is established, with room for five open tasks. */
  agent(fields?: { status?: string; seasoned?: boolean }): Promise<string>;
  close(): Promise<void>;
}

export const quiet: Logger = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });

export async function createWorld(): Promise<World> {
  const database = await createTestDatabase();
  const pool = createPool(database.url, () => {}, { max: 8 });
  // Sessions of tests are ended on purpose, in the middle of transactions too.
  pool.on('connect', (client) => client.on('error', () => {}));
  const hub = createHub();
  const writers: StepWriter[] = [];
  const openWriter = () => {
    const writer = createStepWriter(database.url, hub, quiet, { lock: stepsLock });
    writers.push(writer);
    return writer;
  };
  const sellers = await insertOwner(pool);
  return {
    url: database.url,
    pool,
    hub,
    writer: openWriter(),
    openWriter,
    async owner(cents) {
      const id = await insertOwner(pool);
      if (cents > 0) await fund(pool, id, cents);
      return id;
    },
    async agent({ status = 'active', seasoned = false } = {}) {
      const id = randomUUID();
      await pool.query(
        `insert into agents (id, owner_id, display_name, framework, model, description, capabilities, categories, status,
           key_hash, key_prefix, created_at, updated_at)
         values ($1, $2, 'A', 'custom', 'm', 'd', '[]', '{general}', $3, $4, 'ac_live_x', now(), now())`,
        [id, sellers, status, Buffer.from(id)],
      );
      await pool.query('insert into agent_stats (agent_id) values ($1)', [id]);
      await pool.query('insert into reputations (agent_id, trust_tier) values ($1, $2)', [
        id,
        seasoned ? 'established' : 'unverified',
      ]);
      return id;
    },
    async close() {
      await Promise.all(writers.map((writer) => writer.close()));
      await pool.end();
      await database.drop();
    },
  };
}

async function insertOwner(pool: Pool): Promise<string> {
  const id = randomUUID();
  await pool.query(`insert into owners (id, name, email, password_hash, created_at) values ($1, 'O', $2, 'x', now())`, [
    id,
    `${id}@example.com`,
  ]);
  return id;
}

/** Credits as a top-up brings them, its row included, so that the ledger's proofs hold. */
async function fund(pool: Pool, owner: string, cents: number): Promise<void> {
  const id = randomUUID();
  await pool.query(
    `insert into top_ups (id, owner_id, amount, payment_method_id, status, correlation_id, created_at, resolved_at)
     values ($1, $2, $3, 'pm', 'succeeded', 'test', now(), now())`,
    [id, owner, cents],
  );
  await transaction(pool, 'ledger', (tx) =>
    transfer(tx, [
      {
        subject: id,
        cause: 'top_up',
        from: { holder: platform, kind: 'processor_clearing' },
        to: { holder: owner, kind: 'pool_available' },
        amount: cents,
        at: new Date(startedAt),
      },
    ]),
  );
}

/** Without an agent the task waits for one. */
export const submitItem = <Agent extends string | null>(
  ownerId: string,
  agentId: Agent,
  fields: Omit<Partial<SubmitItem>, 'agentId'> = {},
): SubmitItem & { agentId: Agent } => {
  const at = fields.at === undefined ? startedAt : Date.parse(fields.at);
  const maxBudget = fields.maxBudget ?? 1000;
  return {
    id: randomUUID(),
    ownerId,
    submitterAgentId: null,
    approvalId: null,
    offerId: null,
    offerTaskId: null,
    decision: null,
    agentId,
    queue: agentId === null ? 'general' : null,
    mostQueued: 100,
    routed: false,
    routing: null,
    taskType: 'general',
    maxBudget,
    price: maxBudget,
    feeBps,
    baseRate: null,
    input: { description: 'do it' },
    inputExpiresAt: iso(at + 86_400_000),
    dueAt: iso(at + 900_000),
    deadlineMs: 3_600_000,
    correlationId: 'test',
    at: iso(at),
    ...fields,
  };
};

export const startItem = (taskId: string, agentId: string, fields: Partial<StartItem> = {}): StartItem => ({
  taskId,
  agentId,
  sandboxId: 'sbx_test',
  at: iso(startedAt),
  ...fields,
});

export const reassignItem = (
  taskId: string,
  fromAgentId: string | null,
  agentId: string,
  fields: Partial<ReassignItem> = {},
): ReassignItem => {
  const at = fields.at === undefined ? startedAt : Date.parse(fields.at);
  return {
    taskId,
    fromAgentId,
    because: fromAgentId === null ? 'queued' : 'declined',
    reason: null,
    routing: null,
    agentId,
    names: { from: fromAgentId, to: agentId },
    price: 1,
    feeBps,
    baseRate: null,
    acceptBy: iso(at + 900_000),
    tries: 3,
    at: iso(at),
    ...fields,
  };
};

/** A process, or its data directory. */
export const nobody = '00000000-0000-0000-0000-000000000000';

export const deliverItem = (taskId: string, agentId: string, fields: Partial<DeliverItem> = {}): DeliverItem => ({
  taskId,
  agentId,
  output: { result: 'done' },
  declaredScore: null,
  executionTimeMs: 5,
  at: iso(startedAt),
  gateDueAt: iso(startedAt + 360_000),
  host: nobody,
  store: nobody,
  objectId: null,
  sha256: null,
  workspaceBytes: null,
  ...fields,
});

export const finishItem = (
  taskId: string,
  verb: FinishVerb,
  price: number,
  fields: Partial<FinishItem> = {},
): FinishItem => {
  const { feeCents, payoutCents } = splitPrice(price, feeBps);
  const at = fields.at === undefined ? startedAt : Date.parse(fields.at);
  const judged = verb === 'pass' || verb === 'reject';
  const score = verb === 'pass' ? 80 : 20;
  return {
    taskId,
    verb,
    agentId: null,
    at: iso(at),
    fee: feeCents,
    payout: payoutCents,
    releaseAt: iso(at + 900_000),
    errorMessage: verb === 'pass' ? null : verb,
    assessment: judged ? { id: randomUUID(), score, isMeasured: true, criteria: [], judge: null } : null,
    ...fields,
  };
};

export const shortlistItem = (taskId: string, score: number, fields: Partial<ShortlistItem> = {}): ShortlistItem => ({
  taskId,
  assessment: { id: randomUUID(), score, isMeasured: true, criteria: [], judge: null },
  at: iso(startedAt),
  ...fields,
});

export const feedbackItem = (
  taskId: string,
  direction: 'up' | 'down',
  fields: Partial<FeedbackItem> = {},
): FeedbackItem => ({ taskId, direction, comment: null, refundWindowMs: 600_000, at: iso(startedAt), ...fields });

/** One connection of its own, for locks that a test holds and lets go by hand. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Waits until a condition holds; fails with the description after five seconds. */
export async function until(what: string, holds: () => Promise<boolean> | boolean, timeoutMs = 5_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`it never came true that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
