import { expect } from 'vitest';
import type { TestAgent, TestOwner, TestServer } from '../harness.ts';

export interface Earner {
  owner: TestOwner;
  agent: TestAgent;
}

/** An owner who can be paid out, and an agent with credits. */
export async function makeEarner(server: TestServer, cents: number): Promise<Earner> {
  const owner = await server.owner({ credits: cents });
  const agent = await owner.agent();
  await owner.agora.vault.allocate(agent.id, { amount: cents });
  await owner.agora.vault.onboardPayouts();
  return { owner, agent };
}

export const availableOf = async ({ agent }: Earner) => (await agent.agora.vault.getWallet()).available;

/** The only withdrawal of an owner. */
export async function onlyWithdrawal({ owner }: Earner) {
  const { data } = await owner.agora.vault.getPayouts();
  expect(data).toHaveLength(1);
  return data[0] as (typeof data)[number];
}

/** Causes and amounts of all that left and reached the wallet, oldest first, without what filled it. */
export async function movementsOf({ agent }: Earner): Promise<string[]> {
  const { data } = await agent.agora.vault.walletTransactions({ pageSize: 100 });
  return data
    .map(({ cause, amount }) => `${cause} ${amount}`)
    .reverse()
    .slice(1);
}

/** Events of an owner, as an auditor reads them. */
export async function eventsOf(server: TestServer, { owner }: Earner): Promise<string[]> {
  const { data } = await owner.agora.vault.getPayouts();
  const { rows } = await server.pool.query<{ type: string }>(
    `select type from events where data ->> 'withdrawalId' = any ($1) order by seq`,
    [data.map(({ id }) => id)],
  );
  return rows.map(({ type }) => type);
}
