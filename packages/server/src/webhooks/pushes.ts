import { webhookLimits } from '@agora-market/contract';
import { z } from 'zod';
import { findApproval } from '../embassy/index.ts';
import { ensure, invalidField, newUuid, notifyAtCommit, type Tx, transaction } from '../platform/index.ts';
import { urlProblem } from '../platform/outbound/index.ts';
import { lockOwner } from '../registry/index.ts';
import type { WebhookDeps } from './deps.ts';
import { record } from './manage.ts';
import type { PushSecret } from './push-message.ts';
import { countPushes, insertPush, listPushes, type Push, type PushRow } from './push-sql.ts';
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
  /** Of A2A. */
  version: string;
  correlationId: string;
}

/** Push notifications of A2A. The caller has made sure that the task is the client's. */
export interface Pushes {
  /** Refuses what cannot be stored, before anything else is done for the client. Throws VALIDATION_ERROR. */
  check(config: PushConfig): void;
  /** Stores one, in place of that with the same id. Throws WEBHOOK_LIMIT_REACHED. */
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
      credentials: line(2_000),
    })
    .optional(),
});

export function createPushes(deps: WebhookDeps): Pushes {
  const { pool, clock, config, secrets } = deps;

  async function ownerOf({ of, uuid }: PushCall): Promise<string> {
    const found = of === 'task' ? await deps.loadTask(uuid) : await findApproval(pool, uuid);
    ensure(found, of === 'task' ? 'TASK_NOT_FOUND' : 'APPROVAL_NOT_FOUND');
    return found.ownerId;
  }

  const note = (tx: Tx, type: 'webhook.created' | 'webhook.deleted', call: PushCall, ownerId: string, id: string) =>
    record({ tx, now: clock.now(), correlationId: call.correlationId }, type, { ownerId, agentId: null }, id);

  /** Gives how many others the task has. */
  async function removeIn(tx: Tx, call: PushCall, ownerId: string, id: string): Promise<number> {
    await lockOwner(tx, ownerId);
    const all = await listPushes(tx, call.uuid);
    const found = all.find(({ push }) => push.id === id);
    if (found === undefined) return all.length;
    await deleteWebhook(tx, found.id);
    await note(tx, 'webhook.deleted', call, ownerId, found.id);
    return all.length - 1;
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
      const [ownerId, id] = [await ownerOf(call), newUuid(clock)];
      const push = { id: given.id || id, of: call.of, version: call.version, scheme: authentication?.scheme ?? null };
      const secret: PushSecret = { token, credentials: authentication?.credentials ?? '' };
      await transaction(pool, 'write', async (tx) => {
        const others = await removeIn(tx, call, ownerId, push.id);
        const { pushesPerTask, pushesPerOwner } = webhookLimits;
        const limit = (most: number, whose: string) =>
          [`${whose} can have ${most} push notifications. Delete one first.`, { limit: most }] as const;
        ensure(others < pushesPerTask, 'WEBHOOK_LIMIT_REACHED', ...limit(pushesPerTask, 'A task'));
        const isFull = (await countPushes(tx, ownerId, pushesPerOwner)) >= pushesPerOwner;
        ensure(!isFull, 'WEBHOOK_LIMIT_REACHED', ...limit(pushesPerOwner, 'The tasks of an owner'));
        const [messageId, at] = [newUuid(clock), clock.now()];
        const sealed = secrets.seal(JSON.stringify(secret));
        await insertPush(tx, { id, messageId, ownerId, about: call.uuid, url, secret: sealed, push, at });
        await note(tx, 'webhook.created', call, ownerId, id);
        await notifyAtCommit(tx, [messagesTopic]);
      });
      return shown({ id, url, push });
    },
    list: async ({ uuid }) => (await listPushes(pool, uuid)).map(shown),
    async remove(call, id) {
      const ownerId = await ownerOf(call);
      await transaction(pool, 'write', (tx) => removeIn(tx, call, ownerId, id));
    },
  };
}

const shown = ({ url, push: { id, scheme } }: PushRow): PushConfig => ({
  ...{ id, url, token: '' },
  authentication: scheme === null ? undefined : { scheme, credentials: '' },
});
