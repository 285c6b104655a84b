import { type Operations, type ReplyOf, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, ensure, type Pool, pageOf } from '../platform/index.ts';
import { sideOf } from './parties.ts';
import { type DisputeRow, disputeById, disputesIn, disputesOf } from './sql.ts';
import { summary, whole } from './view.ts';

type Dispute = ReplyOf<Operations['courts.getDispute']>;

export async function named(pool: Pool, disputeId: string): Promise<DisputeRow> {
  const id = toUuid('dispute', disputeId);
  const found = id === null ? null : await disputeById(pool, id);
  ensure(found, 'DISPUTE_NOT_FOUND');
  return found;
}

export async function getDispute(pool: Pool, call: Call<Operations['courts.getDispute']>): Promise<Dispute> {
  const found = await named(pool, call.params.disputeId);
  ensure(sideOf(found, call.caller) !== 'none', 'NOT_A_PARTY', 'Only the buyer and the seller can read a dispute.');
  return whole(pool, found);
}

/** Both sides of an owner or an agent, newest first. */
export async function listDisputes(pool: Pool, { caller, query }: Call<Operations['courts.listDisputes']>) {
  const before = decodeCursor(query.cursor, z.uuid());
  const whose = { kind: caller.kind, id: caller.kind === 'owner' ? caller.ownerId : caller.agentId };
  const found = await disputesOf(pool, whose, query.status ?? null, before, query.pageSize + 1);
  return pageOf(found, query.pageSize, (last) => last.id, summary);
}

export async function docket(pool: Pool, { query }: Call<Operations['courts.docket']>) {
  const after = decodeCursor(query.cursor, z.uuid());
  const found = await disputesIn(pool, query.status, after, query.pageSize + 1);
  return pageOf(found, query.pageSize, (last) => last.id, summary);
}

export const docketEntry = async (pool: Pool, call: Call<Operations['courts.docketEntry']>): Promise<Dispute> =>
  whole(pool, await named(pool, call.params.disputeId));
