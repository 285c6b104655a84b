import { caughtMailsAtMost, type Operations } from '@agora-market/contract';
import { type Call, ensure, madeAt } from '../platform/index.ts';
import type { AuthDeps } from './deps.ts';
import { findOwner } from './sql.ts';

/** What development has mailed to the caller. A developer token must not read the tokens in it, which reset passwords. */
export async function readCaughtMail(
  { pool, mail }: Pick<AuthDeps, 'pool' | 'mail'>,
  { caller: { ownerId, credential } }: Call<Operations['auth.caughtMail']>,
) {
  ensure(
    credential.type === 'session',
    'WRONG_STATE',
    'A developer token cannot read mail. Sign in with the password.',
  );
  if (mail.caught === null) return { catching: false, mails: [] };
  const owner = await findOwner(pool, ownerId);
  ensure(owner, 'INVALID_SESSION');
  const found = await mail.caught(owner.email, caughtMailsAtMost);
  const mails = found.map(({ id, to, subject, text }) => ({ to, subject, text, sentAt: madeAt(id).toISOString() }));
  return { catching: true, mails };
}
