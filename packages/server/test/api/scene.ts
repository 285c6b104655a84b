import { toUuid } from '@agora-market/contract';
import type { Body, Dispute, Task } from '@agora-market/sdk';
import { afterAll, beforeAll, expect } from 'vitest';
import { type App, type AppOptions, createApp } from '../../src/app.ts';
import { verifyLedger } from '../../src/audit/index.ts';
import { createLog } from '../../src/platform/index.ts';
import { createSandboxDriver } from '../../src/sandbox/index.ts';
import {
  followAtOnce,
  middling,
  startTestServer,
  type TestAgent,
  type TestOwner,
  type TestServer,
  type TestServerOptions,
} from '../support/harness.ts';
import { watchReplies } from './watch.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/**
 * One server for the whole test file. At its end every reply that was seen must have been in order, and the ledger
 * must still add up.
 */
export function serverForFile(options: TestServerOptions = {}): TestServer {
  let started: TestServer | undefined;
  let endWatch = (): string[] => [];
  beforeAll(async () => {
    started = await startTestServer(options);
    endWatch = watchReplies(started.url);
  });
  afterAll(async () => {
    const faults = endWatch();
    try {
      expect(faults.slice(0, 20)).toEqual([]);
      await expectSoundLedger(started as TestServer);
    } finally {
      await started?.close();
    }
  });
  // The server starts after the file was read; until then there is nothing to ask.
  return new Proxy({} as TestServer, { get: (_, key) => Reflect.get(started as TestServer, key) });
}

let seconds = 0;

/** Another process's application on the same database; the caller closes it. */
export async function startSecondApp(server: TestServer, options: Partial<AppOptions> = {}): Promise<SecondApp> {
  const app = await createApp({
    config: server.config,
    clock: server.clock,
    log: createLog('silent'),
    databaseUrl: server.databaseUrl,
    driver: createSandboxDriver({ driver: 'auto', installationId: `second-${process.pid}-${++seconds}` }),
    checkReplies: true,
    random: middling,
    ...options,
  });
  followAtOnce(app);
  return { app, url: await app.http.listen({ host: '127.0.0.1', port: 0 }) };
}

export interface SecondApp {
  app: App;
  url: string;
}

export async function expectSoundLedger(server: Pick<TestServer, 'databaseUrl'>): Promise<void> {
  for (const check of await verifyLedger(server.databaseUrl)) expect(check).toMatchObject({ broken: [] });
}

export interface Pair {
  buyer: TestOwner;
  seller: TestOwner;
  agent: TestAgent;
}

/** A buyer with credits and an agent of somebody else. */
export async function makePair(
  server: Pick<TestServer, 'owner'>,
  options: { credits?: number; agent?: Partial<Body<'agents.register'>> } = {},
): Promise<Pair> {
  const [buyer, seller] = await Promise.all([
    server.owner({ credits: options.credits ?? 100_000 }),
    server.owner({ credits: 0 }),
  ]);
  return { buyer, seller, agent: await seller.agent(options.agent) };
}

/** A direct hire, not yet started. */
export const hire = (
  { buyer, agent }: Pick<Pair, 'buyer' | 'agent'>,
  fields: Partial<Body<'tasks.submit'>> = {},
): Promise<Task> =>
  buyer.agora.tasks.submit({
    taskType: 'general',
    maxBudget: 1000,
    input: { description: 'Write a haiku about ledgers' },
    agentId: agent.id,
    ...fields,
  });

/** A direct hire that the agent has started. */
export async function hireAndStart(
  pair: Pick<Pair, 'buyer' | 'agent'>,
  fields?: Partial<Body<'tasks.submit'>>,
): Promise<Task> {
  const { id } = await hire(pair, fields);
  return pair.agent.agora.tasks.start(id, { sandboxId: 'mine' });
}

/** A pair and the task that the agent has started: to make `state.txt` say fixed, which the gate checks. */
export async function hireToFix(
  server: TestServer,
  parties: Partial<Pair> = {},
  deadlineMinutes = 1440,
): Promise<{ pair: Pair; id: string; uuid: string }> {
  const pair = { ...(await makePair(server)), ...parties };
  const input = {
    description: 'Make the file say fixed',
    files: { 'state.txt': 'broken\n' },
    acceptance: { checks: [{ name: 'fixed', command: 'grep -q fixed state.txt' }] },
  };
  const { id } = await hireAndStart(pair, { input, deadlineMinutes });
  return { pair, id, uuid: toUuid('task', id) as string };
}

export const goodOutput = { result: 'Debits and credits\nmeet at the end of the day\nand sum to nothing' };

/** A direct hire that the gate has passed. */
export async function hireAndPass(
  pair: Pick<Pair, 'buyer' | 'agent'>,
  fields?: Partial<Body<'tasks.submit'>>,
): Promise<Task> {
  const { id } = await hireAndStart(pair, fields);
  const done = await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  expect(done.status).toBe('completed');
  return done;
}

/** A direct hire whose delivery the gate has rejected. */
export async function hireAndReject(
  pair: Pick<Pair, 'buyer' | 'agent'>,
  fields?: Partial<Body<'tasks.submit'>>,
): Promise<Task> {
  const { id } = await hireAndStart(pair, fields);
  const done = await pair.agent.agora.tasks.complete(id, { output: {} });
  expect(done.status).toBe('failed');
  return done;
}

/** A completed task that its buyer has disputed, just after the refund window: its earnings are frozen. */
export async function dispute(
  server: TestServer,
  pair: Pick<Pair, 'buyer' | 'agent'>,
  fields?: Partial<Body<'tasks.submit'>>,
): Promise<Dispute> {
  const { id } = await hireAndPass(pair, fields);
  server.clock.advance(10 * minute + 1);
  return pair.buyer.agora.tasks.dispute(id, { reason: 'It is no haiku' });
}

/** Moves time and lets happen what time makes happen. */
export async function pass(server: TestServer, ms: number): Promise<void> {
  server.clock.advance(ms);
  await server.app.sweep();
}

/** As where each server died between its step and its reply, longer ago than a repeated request waits for it. */
export const loseReplies = ({ pool }: Pick<TestServer, 'pool'>) =>
  pool.query(`update idempotency_keys set reply = null, created_at = created_at - interval '1 minute'
    where subject is not null`);

/** `<status> <code>` of a refused call; fails where the call succeeds. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  const outcome = await call.then(
    () => 'no refusal',
    (error: { status?: number; code?: string }) => `${error.status} ${error.code}`,
  );
  return outcome;
}
