import { type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { appendEvent } from '../../events/index.ts';
import { type Call, decodeCursor, ensure, type Pool, pageOf } from '../../platform/index.ts';
import { waiveRest } from '../payments/debts.ts';
import { clearFindingRow, countOpen, type FindingRow, listFindings, lockFinding } from './finding-sql.ts';
import { type ReconciliationDeps, reconcile } from './run.ts';

const findingView = (row: FindingRow): ReplyOf<Operations['vault.clearFinding']> => ({
  ...row,
  id: toId('finding', row.id),
  agentId: row.agentId === null ? null : toId('agent', row.agentId),
  ownerId: row.ownerId === null ? null : toId('owner', row.ownerId),
});

const cursorSchema = z.tuple([z.iso.datetime({ precision: 3 }).startsWith('20'), z.uuid()]);

export async function findingsPage(pool: Pool, { query }: Call<Operations['vault.listFindings']>) {
  const { pageSize, cursor, status } = query;
  const found = await listFindings(pool, status ?? null, decodeCursor(cursor, cursorSchema), pageSize + 1);
  return pageOf(found, pageSize, (last) => [last.foundAt, last.id], findingView);
}

export const listOpenFindings = async (pool: Pool, limit: number) =>
  (await listFindings(pool, 'open', null, limit)).map(findingView);

export async function reconcileNow(deps: ReconciliationDeps, call: Call<Operations['vault.reconcile']>) {
  const run = await reconcile(deps, call.correlationId);
  ensure(run, 'RECONCILIATION_IN_PROGRESS');
  return { ...run, id: toId('reconciliation', run.id), open: await countOpen(deps.pool) };
}

export async function clearFinding({ tx, params, body, now, correlationId }: Call<Operations['vault.clearFinding']>) {
  const id = toUuid('finding', params.findingId);
  const found = id === null ? null : await lockFinding(tx, id);
  ensure(found, 'FINDING_NOT_FOUND');
  ensure(found.agentId === null, 'WRONG_STATE', "The finding is about a wallet. Clear the wallet's flag instead.");
  const { reason, by } = body;
  const cleared = await clearFindingRow(tx, found.id, { at: now, by, reason });
  ensure(cleared, 'WRONG_STATE', `The finding is ${found.status}.`);
  if (cleared.kind === 'reversal_uncovered') await waiveRest(tx, cleared.subject, now);
  await appendEvent(tx, {
    type: 'reconciliation.finding_cleared',
    district: 'vault',
    at: now,
    correlationId,
    ...(cleared.ownerId !== null && { ownerId: cleared.ownerId }),
    data: { findingId: params.findingId, kind: cleared.kind, subject: cleared.subject, by, reason },
  });
  return findingView(cleared);
}
