import { randomUUID } from 'node:crypto';
import { toUuid } from '@agora-market/contract';
import { transaction } from '../../src/platform/index.ts';
import { platformHolder, type Transfer, transfer } from '../../src/vault/ledger/transfer.ts';
import type { TestAgent, TestOwner, TestServer } from '../support/harness.ts';

/** Movements put straight into the ledger, for histories that would take a day to live through. */
export const plant = (server: Pick<TestServer, 'pool'>, transfers: Transfer[]) =>
  transaction(server.pool, 'ledger', (tx) => transfer(tx, transfers));

export const uuidOf = (of: TestOwner | TestAgent): string =>
  toUuid('owner', of.id) ?? (toUuid('agent', of.id) as string);

export const topUpOf = (owner: TestOwner, amount: number, at: string | Date): Transfer => ({
  subject: randomUUID(),
  cause: 'top_up',
  from: { holder: platformHolder, kind: 'processor_clearing' },
  to: { holder: uuidOf(owner), kind: 'pool_available' },
  amount,
  at: new Date(at),
});

export function holdOf(owner: TestOwner, amount: number, at: string | Date): Transfer {
  const holder = uuidOf(owner);
  return {
    subject: randomUUID(),
    cause: 'hold',
    from: { holder, kind: 'pool_available' },
    to: { holder, kind: 'pool_held' },
    amount,
    at: new Date(at),
  };
}
