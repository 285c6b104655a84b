import { type BodyOf, type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { appendEvent } from '../events/index.ts';
import { ensure, type Queryable, type Tx } from '../platform/index.ts';
import { markVerified } from './email.ts';
import { ownerView } from './session.ts';
import { findOwner, findOwnerByEmail, type OwnerRow, updateOwner } from './sql.ts';
import { endTotp } from './totp/totp.ts';

type UpdateOwner = Operations['auth.updateOwner'];

/** The operator's change to an owner, named by id or e-mail address. */
export interface OwnerChange extends BodyOf<UpdateOwner> {
  owner: string;
  at: Date;
  correlationId: string;
}

/** The owner of an id or an e-mail address. */
export async function namedOwner(db: Queryable, named: string): Promise<OwnerRow> {
  const id = toUuid('owner', named);
  const owner = await (id === null ? findOwnerByEmail(db, named.toLowerCase()) : findOwner(db, id));
  ensure(owner, 'OWNER_NOT_FOUND');
  return owner;
}

/** Changes plan or status, takes the address for verified, or ends the second factor, and records who did it and why. Without a difference it records nothing. */
export async function changeOwner(
  tx: Tx,
  { owner, plan, status, emailVerified, totp, reason, by, at, correlationId }: OwnerChange,
): Promise<ReplyOf<UpdateOwner>> {
  const before = await namedOwner(tx, owner);
  if (totp === 'off') await endTotp(tx, { ownerId: before.id, now: at, correlationId, by: { reason, by } });
  if (emailVerified) await markVerified(tx, before.id, { at, correlationId, by: { reason, by } });
  const changed = (plan ?? before.plan) !== before.plan || (status ?? before.status) !== before.status;
  if (!changed) return ownerView((await findOwner(tx, before.id)) ?? before);
  const after = await updateOwner(tx, before.id, { plan, status });
  ensure(after, 'OWNER_NOT_FOUND');
  const data = { ownerId: toId('owner', after.id), plan: after.plan, status: after.status, reason, by };
  await appendEvent(tx, { type: 'owner.updated', district: 'auth', at, correlationId, ownerId: after.id, data });
  return ownerView(after);
}
