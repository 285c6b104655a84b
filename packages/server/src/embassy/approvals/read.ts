import { type Operations, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, ensure, type Pool, pageOf } from '../../platform/index.ts';
import { findApproval, listOfOwner } from './sql.ts';
import { approvalView } from './view.ts';

export async function listApprovals(pool: Pool, { caller, query }: Call<Operations['embassy.listApprovals']>) {
  const before = decodeCursor(query.cursor, z.uuid());
  const found = await listOfOwner(pool, caller.ownerId, query.status ?? null, before, query.pageSize + 1);
  return pageOf(found, query.pageSize, (last) => last.id, approvalView);
}

/** For the owner that decides, and the agent that asked. */
export async function getApproval(pool: Pool, { caller, params }: Call<Operations['embassy.getApproval']>) {
  const id = toUuid('approval', params.approvalId);
  const found = id === null ? null : await findApproval(pool, id);
  ensure(found, 'APPROVAL_NOT_FOUND');
  const isParty = caller.kind === 'owner' ? found.ownerId === caller.ownerId : found.agentId === caller.agentId;
  ensure(isParty, 'NOT_AGENT_OWNER', 'Only the owner and the agent that asked can read the request.');
  return { ...approvalView(found), submission: found.submission };
}
