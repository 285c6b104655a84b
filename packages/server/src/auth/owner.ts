import { type BodyOf, type Operations, type ReplyOf, toId } from '@agora/contract';
import { appendEvent } from '../events/index.ts';
import { ensure, type Tx } from '../platform/index.ts';
import { ownerView } from './session.ts';
import { findOwner, findOwnerByEmail, updateOwner } from './sql.ts';

type UpdateOwner = Operations['auth.updateOwner'];

/** The operator's change to an owner, named by UUID or e-mail address. */
export interface OwnerChange extends BodyOf<UpdateOwner> {
  owner: string | { email: string };
  at: Date;
  correlationId: string;
}

/** Changes plan or status and records who did it and why. Without a difference it records nothing. */
export async function changeOwner(
  tx: Tx,
  { owner, plan, status, reason, by, at, correlationId }: OwnerChange,
): Promise<ReplyOf<UpdateOwner>> {
  const before = await (typeof owner === 'string' ? findOwner(tx, owner) : findOwnerByEmail(tx, owner.email));
  ensure(before, 'OWNER_NOT_FOUND');
  const changed = (plan ?? before.plan) !== before.plan || (status ?? before.status) !== before.status;
  if (!changed) return ownerView(before);
  const after = await updateOwner(tx, before.id, { plan, status });
  ensure(after, 'OWNER_NOT_FOUND');
  const data = { ownerId: toId('owner', after.id), plan: after.plan, status: after.status, reason, by };
  await appendEvent(tx, { type: 'owner.updated', district: 'auth', at, correlationId, ownerId: after.id, data });
  return ownerView(after);
}
