import { type Credential, type Operations, toId } from '@agora-market/contract';
import { appendEvent } from '../events/index.ts';
import { type Call, ensure, publicUrl, type Tx, transaction } from '../platform/index.ts';
import { storePassword } from './change-password.ts';
import type { ResetDeps } from './deps.ts';
import { markVerified } from './email.ts';
import { credentialsEndedLetter, passwordChangedLetter } from './letters.ts';
import { findToken, issueToken, useToken } from './mailed-tokens.ts';
import { hashPassword } from './password.ts';
import { deleteTokens, findOwner, lockCredentials, lockOwner, requireAccount } from './sql.ts';
import { endTotp } from './totp/totp.ts';

/**
 * Who resets has the mailbox. If nobody had shown that before, the account may have been made by a stranger with somebody
 * else's address: then nothing that the stranger made goes on. Otherwise the owner made it, is shown it, and decides.
 */
export async function resetPassword(deps: ResetDeps, call: Call<Operations['auth.resetPassword']>) {
  const { token, password, endCredentials = false } = call.body;
  const { now: at, correlationId } = call;
  const known = await findToken(deps.pool, token, 'reset_password', at);
  ensure(known, 'MAILED_TOKEN_INVALID');
  const passwordHash = await hashPassword(password);
  return transaction(deps.pool, 'ledger', async (tx) => {
    await lockCredentials(tx, known.ownerId);
    const ownerId = await useToken(tx, token, 'reset_password', at);
    ensure(ownerId, 'MAILED_TOKEN_INVALID');
    await requireAccount(tx, ownerId);
    await lockOwner(tx, ownerId);
    const owner = await findOwner(tx, ownerId);
    ensure(owner, 'MAILED_TOKEN_INVALID');
    const isStrangers = owner.emailVerifiedAt === null;
    const found = await deps.credentials.list(tx, ownerId);
    await markVerified(tx, ownerId, { at, correlationId });
    await storePassword(tx, { ownerId, passwordHash, at, correlationId, by: 'reset', kept: null });
    if (isStrangers) await endTotp(tx, { ownerId, now: at, correlationId, by: { by: 'reset' } });
    const ends = isStrangers || endCredentials;
    if (ends) await endAll(deps, tx, found, { ownerId, at, correlationId });
    const end = ends || found.length === 0 ? null : await issueToken(tx, ownerId, 'end_credentials', at);
    const also = isStrangers
      ? `Nobody had verified this address before, so the second factor was turned off and what was made in its name was ended: ${counted(found)}.`
      : ends
        ? `These were ended as well: ${counted(found)}.`
        : `These go on: ${counted(found)}.`;
    await deps.mail.queue(tx, passwordChangedLetter(owner, publicUrl(deps.config), `All sessions were ended. ${also}`));
    return { ended: ends ? found : [], kept: ends ? [] : found, endToken: end?.text ?? null };
  });
}

/** Ends what a reset has kept, by the token of its reply. The second factor stays: who has the mailbox may lack it. */
export async function endCredentials(deps: ResetDeps, call: Call<Operations['auth.endCredentials']>): Promise<void> {
  const { tx, now: at, correlationId } = call;
  const ownerId = await useToken(tx, call.body.token, 'end_credentials', at);
  ensure(ownerId, 'MAILED_TOKEN_INVALID');
  await lockCredentials(tx, ownerId);
  await requireAccount(tx, ownerId);
  await lockOwner(tx, ownerId);
  const owner = await findOwner(tx, ownerId);
  ensure(owner, 'MAILED_TOKEN_INVALID');
  const found = await deps.credentials.list(tx, ownerId);
  await endAll(deps, tx, found, { ownerId, at, correlationId });
  await deps.mail.queue(tx, credentialsEndedLetter(owner, publicUrl(deps.config), counted(found)));
}

async function endAll(
  { credentials }: ResetDeps,
  tx: Tx,
  found: readonly Credential[],
  { ownerId, at, correlationId }: { ownerId: string; at: Date; correlationId: string },
): Promise<void> {
  await deleteTokens(tx, ownerId);
  await credentials.end(tx, { ownerId, at, correlationId });
  const data = { ownerId: toId('owner', ownerId), count: found.length };
  await appendEvent(tx, { type: 'owner.credentials_ended', district: 'auth', at, correlationId, ownerId, data });
}

const inWords: Record<Credential['kind'], string> = {
  developer_token: 'developer token',
  agent_key: 'agent key',
  trust_key: 'trust key',
  webhook: 'webhook',
  forge_connection: 'connection to a forge',
  package_registry: 'package registry',
  payment_method: 'payment method',
  payout_account: 'account for payouts',
};

/** How many of each kind, without a name: a stranger may have chosen it. */
function counted(found: readonly Credential[]): string {
  const kinds = Map.groupBy(found, ({ kind }) => kind);
  const parts = [...kinds].map(([kind, { length }]) => `${length} × ${inWords[kind]}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
