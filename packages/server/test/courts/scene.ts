import type { Body } from '@agora-market/sdk';
import { day, dispute, makePair, minute, type Pair, pass, serverForFile } from '../api/scene.ts';
import type { TestServer, TestServerOptions } from '../support/harness.ts';

/** Sessions that outlast two weeks, which is how long some of this takes. */
export const courtServer = (options: TestServerOptions = {}): TestServer =>
  serverForFile({ ...options, config: { SESSION_IDLE_MS: 365 * day, ...options.config } });

/** A delivery that the rules give 87: the buyer's own measure is met. */
export const proven = {
  input: { description: 'Write a haiku about ledgers', acceptance: { schema: { type: 'string' as const } } },
};

/** A dispute that the seller has answered and the gate has left open: it waits for the operator. */
export async function answered(server: TestServer, pair: Pair, fields?: Partial<Body<'tasks.submit'>>) {
  const { id, taskId } = await dispute(server, pair, fields);
  await pair.agent.agora.courts.respondToDispute(id, { response: 'It has five, seven and five' });
  await pass(server, 0);
  return pair.buyer.agora.courts.getDispute(id).then((seen) => ({ ...seen, taskId }));
}

/** A new pair, the buyer of which has 5000 cents; the agent takes 1000 for a task. */
export const fresh = (server: TestServer) => makePair(server, { credits: 5000 });

export interface Money {
  buyer: number;
  escrowed: number;
  available: number;
}

/** What buyer and agent have. */
export async function moneyOf({ buyer, agent }: Pair): Promise<Money> {
  const [pool, { escrowed, available }] = await Promise.all([
    buyer.agora.vault.getPool(),
    agent.agora.vault.getWallet(),
  ]);
  return { buyer: pool.balance, escrowed, available };
}

/** The platform's accounts, which have no balance but their entries. */
export async function platform(server: TestServer): Promise<{ fees: number; reserve: number }> {
  const { rows } = await server.pool.query(
    `select coalesce(sum(amount) filter (where kind = 'platform_fees'), 0)::int as fees,
       coalesce(sum(amount) filter (where kind = 'dispute_reserve'), 0)::int as reserve from ledger_entries`,
  );
  return rows[0];
}

export const overWindow = 10 * minute + 1;
