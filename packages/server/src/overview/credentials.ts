import type { Credential } from '@agora/contract';
import type { Credentials } from '../auth/index.ts';
import { eraseRegistries } from '../dependencies/index.ts';
import { eraseForges } from '../forges/index.ts';
import { type Clock, type Queryable, rows, type Tx } from '../platform/index.ts';
import { endAgentKeys } from '../registry/index.ts';
import { endKeys } from '../trust/index.ts';
import { erasePayments } from '../vault/index.ts';
import { deleteWebhooks } from '../webhooks/index.ts';

/** More than the limits of the largest plan let an owner have would be a long reply. */
const listedAtMost = 1_000;

/** By what an account is used apart from its password, the newest first. What each district has is ended by it. */
export const credentials = ({ clock }: { clock: Clock }): Credentials => ({
  list: (db, ownerId) => listCredentials(db, ownerId),
  async end(tx: Tx, ownerId: string, at: Date): Promise<void> {
    await endAgentKeys(tx, ownerId, at);
    await endKeys(tx, ownerId, at);
    await deleteWebhooks(tx, ownerId);
    await eraseForges(tx, ownerId);
    await eraseRegistries(tx, ownerId);
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
       select 'webhook', ${hostOf('w.url')}, w.created_at, null
         from agents a join webhooks w on w.agent_id = a.id where a.owner_id = $1
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
