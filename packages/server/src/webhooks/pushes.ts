import { toId, webhookLimits } from '@agora-market/contract';
import { z } from 'zod';
import { afterCommit, ensure, invalidField, newUuid, type Tx, transaction } from '../platform/index.ts';
import { urlProblem } from '../platform/outbound/index.ts';
import type { WebhookDeps } from './deps.ts';
import { type Holder, lockActiveOwner, record } from './manage.ts';
import type { PushSecret } from './push-message.ts';
import { findHirer, insertPush, listPushes, type Push, type PushRow, pushesBeyond, updatePush } from './push-sql.ts';
import { messagesTopic } from './sender.ts';
import { deleteWebhook } from './sql.ts';

/** A push notification as a client of A2A asks for it; what is told of it later has no secrets. */
export interface PushConfig {
  id: string;
  url: string;
  token: string;
  authentication: { scheme: string; credentials: string } | undefined;
}

/** A request about a task, or about the approval that lets it in. */
export interface PushCall {
  of: Push['of'];
  uuid: string;
  /** Whose credential the client has. */
  as: 'owner' | 'agent';
  /** Of A2A. */
  version: string;
  correlationId: string;
}

/** Push notifications of A2A. The caller has made sure that the task is the client's. */
export interface Pushes {
  /** Refuses what cannot be stored, before anything else is done for the client. Throws VALIDATION_ERROR. */
  check(config: PushConfig): void;
  /** Stores one. The same id changes it; else the oldest of too many gives way. */
  set(call: PushCall, config: PushConfig): Promise<PushConfig>;
  list(call: PushCall): Promise<PushConfig[]>;
  remove(call: PushCall, id: string): Promise<void>;
}

const line = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\x20-\x7e]*$/, 'must be one line of ASCII');
const form = z.object({
  url: z.string().max(webhookLimits.urlChars),
  id: z
    .string()
    .max(128)
    .regex(/^[\w.:~-]*$/, 'must have letters, digits and . : ~ _ - alone'),
  token: line(1_000),
  authentication: z
    .object({
      scheme: z.string().regex(/^[\w-]{1,50}$/, 'must be the name of a scheme: Bearer'),
      credentials: line(8_000),
    })
    .optional(),
});

export function createPushes(deps: WebhookDeps): Pushes {
  const { pool, clock, config, hub, secrets } = deps;

  const note = (tx: Tx, type: 'webhook.created' | 'webhook.deleted', call: PushCall, push: Holder & { id: string }) =>
    record({ tx, now: clock.now(), correlationId: call.correlationId }, type, push, push.id);

  async function remove(tx: Tx, call: PushCall, push: Holder & { id: string }): Promise<void> {
    await deleteWebhook(tx, push.id);
    await note(tx, 'webhook.deleted', call, push);
  }

  function check(given: PushConfig): void {
    const problem = urlProblem(given.url, { allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK });
    if (problem !== null) throw invalidField('url', problem);
    const [issue] = form.safeParse(given).error?.issues ?? [];
    if (issue !== undefined) throw invalidField(issue.path.join('.'), issue.message);
  }

  return {
    check,
    async set(call, given) {
      check(given);
      const { token, authentication, url } = given;
      const { of, uuid: about, as, version } = call;
      const secret: PushSecret = { token, credentials: authentication?.credentials ?? '' };
      const sealed = secrets.seal(JSON.stringify(secret));
      const push: Push = { id: given.id || toId(of, about), of, version, scheme: authentication?.scheme ?? null };
      await transaction(pool, 'write', async (tx) => {
        const hirer = await findHirer(tx, about);
        ensure(hirer, 'TASK_NOT_FOUND');
        const holder = as === 'owner' ? { ...hirer, agentId: null } : hirer;
        await lockActiveOwner(tx, holder.ownerId);
        const all = await listPushes(tx, about);
        const same = all.find((each) => each.push.id === push.id);
        if (same !== undefined)
          return updatePush(tx, same.id, { url, secret: sealed, push: { ...push, of: same.push.of } });
        // The oldest give way, so that no message is refused after it was taken.
        const beyond = await pushesBeyond(tx, holder.ownerId, webhookLimits.pushesPerOwner - 1);
        const surplus = all.slice(0, Math.max(0, all.length - webhookLimits.pushesPerTask + 1));
        for (const each of new Map([...beyond, ...surplus].map((one) => [one.id, one])).values()) {
          await remove(tx, call, each);
        }
        const [id, messageId, at] = [newUuid(clock), newUuid(clock), clock.now()];
        await insertPush(tx, { id, messageId, ...holder, about, url, secret: sealed, push, at });
        await note(tx, 'webhook.created', call, { ...holder, id });
        afterCommit(tx, () => hub.notify([messagesTopic]));
      });
      return shown({ url, push });
    },
    list: async ({ uuid }) => (await listPushes(pool, uuid)).map(shown),
    async remove(call, id) {
      await transaction(pool, 'write', async (tx) => {
        const found = (await listPushes(tx, call.uuid)).find(({ push }) => push.id === id);
        if (found !== undefined) await remove(tx, call, found);
      });
    },
  };
}

const shown = ({ url, push: { id, scheme } }: Pick<PushRow, 'url' | 'push'>): PushConfig => ({
  ...{ id, url, token: '' },
  authentication: scheme === null ? undefined : { scheme, credentials: '' },
});
