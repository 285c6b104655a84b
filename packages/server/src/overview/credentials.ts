import type { Credential } from '@agora-market/contract';
import { z } from 'zod';
import type { Credentials } from '../auth/index.ts';
import { eraseRegistries } from '../dependencies/index.ts';
import { eraseForges } from '../forges/index.ts';
import { enqueue, handler, type JobHandler, type JobKind } from '../jobs/index.ts';
import { type Clock, type Pool, type Queryable, rows } from '../platform/index.ts';
import { endAgentKeys } from '../registry/index.ts';
import { endKeys } from '../trust/index.ts';
import { erasePayments, returnHeldWithdrawals } from '../vault/index.ts';
import { endWebhooks, forgetWebhooks } from '../webhooks/index.ts';

/** More than the limits of the largest plan let an owner have would be a long reply. */
const listedAtMost = 1_000;

const ended = z.object({ ownerId: z.string() });

const atOnce = 10;

/** What there may be much of goes after the commit, so that nobody waits behind the ledger lock. */
const kind: JobKind<z.infer<typeof ended>> = {
  name: 'overview.forgetCredentials',
  payload: ended,
  attempts: 500,
  atOnce: 1,
  timeoutMs: 600_000,
  pauseMs: { first: 10_000, longest: 3_600_000 },
};

export const credentialsQueue = ({ pool }: { pool: Pool }): JobHandler[] => [
  handler(kind, async ({ ownerId }, signal) => {
    while ((await forgetWebhooks(pool, ownerId, atOnce)) === atOnce) signal.throwIfAborted();
  }),
];

/** By what an account is used apart from its password, the newest first. What each district has is ended by it. */
export const credentials = ({ clock }: { clock: Clock }): Credentials => ({
  list: (db, ownerId) => listCredentials(db, ownerId),
  async end(tx, { ownerId, at, correlationId }): Promise<void> {
    await endAgentKeys(tx, ownerId, at);
    await endKeys(tx, ownerId, at);
    await endWebhooks(tx, ownerId);
    await enqueue(tx, clock, kind, { key: ownerId, payload: { ownerId }, at });
    await eraseForges(tx, ownerId);
    await eraseRegistries(tx, ownerId);
    const reason = 'All credentials of the account were ended, and with them its account for payouts.';
    await returnHeldWithdrawals(tx, { ownerId, reason, by: 'Agora', at, correlationId });
    await erasePayments({ clock }, tx, ownerId, at);
  },
});

/** SQL: without the path, which may be a secret of its own. */
const hostOf = (url: string) => `coalesce(substring(${url} from '^[a-z]+://(?:[^/?#]*@)?([^/?#]*)'), '')`;

const listCredentials = (db: Queryable, ownerId: string) =>
  rows<Credential>(
    db,
    'overview_credentials',
    `select kind, name, created_at as "createdAt", last_used_at as "lastUsedAt" from (
       select 'developer_token' as kind, name, created_at, last_used_at from developer_tokens where owner_id = $1
       union all
       select 'agent_key', a.display_name, a.created_at, s.last_seen_at
         from agents a join agent_stats s on s.agent_id = a.id where a.owner_id = $1 and a.key_prefix not in ('', 'ended')
       union all
       select 'trust_key', name, created_at, null from trust_keys where owner_id = $1 and revoked_at is null
       union all
       select 'webhook', ${hostOf('url')}, created_at, null from webhooks where owner_id = $1 and url <> '' and about is null
       union all
       select 'forge_connection', concat_ws(' ', forge, nullif(base_url, ''), login), connected_at, null
         from forge_connections where owner_id = $1
       union all
       select 'package_registry', url, updated_at, null from package_registries where owner_id = $1
       union all
       select 'payment_method', brand || ' ' || last4, created_at, null from payment_methods where owner_id = $1
       union all
       select 'payout_account', processor, created_at, null from payout_accounts where owner_id = $1
     ) as each order by created_at desc, kind, name limit $2`,
    [ownerId, listedAtMost],
  );
