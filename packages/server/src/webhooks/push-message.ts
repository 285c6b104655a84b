import { toId } from '@agora-market/contract';
import { approvalView, findApproval } from '../embassy/index.ts';
import { messagesAbout, taskView } from '../tasks/index.ts';
import type { PushedStanding, WebhookDeps } from './deps.ts';
import { standsFor } from './hire-kind.ts';
import { commonHeaders, storedOf, type Written } from './message.ts';
import type { Push } from './push-sql.ts';
import type { Claimed } from './queue-sql.ts';

/** What a client of A2A gave, which authenticates Agora to its endpoint. */
export interface PushSecret {
  token: string;
  credentials: string;
}

/** Writes push notifications: how the task stands when each is sent (A2A 1.0, 4.3.3). Null as for other webhooks. */
export function pushWriterOf(deps: WebhookDeps, webhook: Claimed, push: Push): (() => Promise<Written>) | null {
  const sealed = deps.secrets.unseal(webhook.secret);
  if (sealed === null) return null;
  const { token, credentials } = JSON.parse(sealed) as PushSecret;
  const proof = {
    ...(token !== '' && { 'x-a2a-notification-token': token }),
    ...(push.scheme !== null && credentials !== '' && { authorization: `${push.scheme} ${credentials}` }),
  };
  return async () => {
    const { contentType, body } = await deps.writePush(push.version, await standingOf(deps, webhook, push));
    return { headers: { 'content-type': contentType, ...commonHeaders, ...proof }, body };
  };
}

async function standingOf(deps: WebhookDeps, { about }: Pick<Claimed, 'about'>, { of }: Push): Promise<PushedStanding> {
  const { pool, clock, loadTask } = deps;
  const uuid = about as string;
  const { approval, task } = await standsFor(of, uuid, { approval: (id) => findApproval(pool, id), task: loadTask });
  const isAsked = task !== null && task.waitingUntil !== null;
  return {
    id: toId(of, uuid),
    approval: approval && approvalView(approval),
    task: task && storedOf(taskView(task, 'submitter')),
    messages: isAsked ? await messagesAbout(pool, task, clock.now()) : [],
  };
}
