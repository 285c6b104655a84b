import { toUuid } from '@agora-market/contract';
import { beforeEach, expect } from 'vitest';
import { createTestProcessor } from '../../src/vault/payments/processor-test.ts';
import { serverForFile } from '../api/scene.ts';
import { earn } from '../support/earn.ts';
import type { TestAgent, TestOwner, TestServer } from '../support/harness.ts';

export interface Earner {
  owner: TestOwner;
  agent: TestAgent;
}

/** An owner with a card who can be paid out, and an agent that earned some credits. */
export async function makeEarner(server: TestServer, cents: number): Promise<Earner> {
  const owner = await server.owner({ credits: 0 });
  const agent = await owner.agent();
  await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await earn(server, agent, cents);
  await owner.agora.vault.onboardPayouts();
  return { owner, agent };
}

export const availableOf = async ({ agent }: Earner) => (await agent.agora.vault.getWallet()).available;

export const uuidOf = (withdrawalId: string) => toUuid('withdrawal', withdrawalId) as string;

/** A server of the file's own that pays out through the test processor, with no fault at the start of each test. */
export function payoutScene() {
  const processor = createTestProcessor();
  const server = serverForFile({ processor, config: { SESSION_IDLE_MS: 1e12 } });
  const faults = processor.payoutFaults;
  beforeEach(() => {
    Object.assign(faults, { fail: undefined, failLookUp: false, outcome: undefined, account: undefined });
  });
  return {
    server,
    processor,
    faults,
    withdraw: ({ owner, agent }: Earner, amount: number, idempotencyKey?: string) =>
      owner.agora.vault.withdraw(agent.id, { amount }, idempotencyKey === undefined ? {} : { idempotencyKey }),
    /** What was really paid out for a withdrawal, in cents. */
    madeFor: (withdrawalId: string) => processor.paidOut().get(uuidOf(withdrawalId)),
  };
}

/** The only withdrawal of an owner. */
export async function onlyWithdrawal({ owner }: Earner) {
  const { data } = await owner.agora.vault.getPayouts();
  expect(data).toHaveLength(1);
  return data[0] as (typeof data)[number];
}

/** Causes and amounts of all that left and reached the wallet, oldest first, without what it earned first. */
export async function movementsOf({ agent }: Earner): Promise<string[]> {
  const { data } = await agent.agora.vault.walletTransactions({ pageSize: 100 });
  return data
    .map(({ cause, amount }) => `${cause} ${amount}`)
    .reverse()
    .slice(3);
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
