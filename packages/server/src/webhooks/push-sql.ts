import { changedRows, type Queryable, row, rows } from '../platform/index.ts';
import type { HireKind } from './hire-kind.ts';
import type { Holder } from './manage.ts';
import { holder, isThere } from './sql.ts';

/** What a client of A2A asked for; what is secret of it stands where a webhook has its secret. */
export interface Push {
  /** The client's name for it, unique for the task. */
  id: string;
  of: HireKind;
  /** Of A2A, in which the client speaks. */
  version: string;
  /** Of the Authorization header. */
  scheme: string | null;
}

export interface PushRow extends Holder {
  id: string;
  url: string;
  push: Push;
}

/** Whose task or approval it is; null where there is none. */
export const findHirer = (tx: Queryable, about: string) =>
  row<Holder>(
    tx,
    'webhooks_find_hirer',
    `select owner_id as "ownerId", submitter_agent_id as "agentId" from tasks where id = $1
     union all select owner_id, agent_id from approvals where id = $1`,
    [about],
  );

/** Stores it with a first message, which tells how the task stands by now. */
export const insertPush = (
  tx: Queryable,
  push: PushRow & { messageId: string; about: string; secret: Buffer; at: Date },
) =>
  rows(
    tx,
    'webhooks_insert_push',
    `with made as (
       insert into webhooks
         (id, owner_id, about, url, secret, push, events, created_at, sequence, waiting, next_at, set_at, agent_id)
       values ($1, $2, $3, $4, $5, $6, '{push}', $7, 1, 1, $7, $7, $9) returning id
     )
     insert into webhook_deliveries (id, webhook_id, sequence, type, created_at) select $8, id, 1, 'push', $7 from made`,
    [
      push.id,
      push.ownerId,
      push.about,
      push.url,
      push.secret,
      JSON.stringify(push.push),
      push.at.toISOString(),
      push.messageId,
      push.agentId,
    ],
  );

/** What is sent from now on goes to another address, or with other secrets. */
export const updatePush = (
  tx: Queryable,
  id: string,
  { url, secret, push }: { url: string; secret: Buffer; push: Push },
) =>
  rows(tx, 'webhooks_update_push', 'update webhooks set url = $2, secret = $3, push = $4 where id = $1', [
    ...[id, url, secret, JSON.stringify(push)],
  ]);

/** Those of a task and of the approval that let it in, oldest first. */
export const listPushes = (db: Queryable, about: string) =>
  rows<PushRow>(
    db,
    'webhooks_list_pushes',
    `select id, owner_id as "ownerId", agent_id as "agentId", url, push from webhooks
     where ${holder} = any(array[$1::uuid] || array(select id from approvals where task_id = $1)
         || array(select task_id from approvals where id = $1 and task_id is not null))
       and push is not null and ${isThere} order by id`,
    [about],
  );

/** Those of all tasks of an owner but the newest. */
export const pushesBeyond = (tx: Queryable, ownerId: string, newest: number) =>
  rows<Holder & { id: string }>(
    tx,
    'webhooks_pushes_beyond',
    `select id, owner_id as "ownerId", agent_id as "agentId" from webhooks where owner_id = $1 and about is not null and ${isThere} order by id desc offset $2`,
    [ownerId, newest],
  );

/** Deletes those whose task ended before a time, or is there no more, and that have nothing to send; gives how many. */
export const forgetPushes = (db: Queryable, endedBefore: Date, limit: number): Promise<number> =>
  changedRows(
    db,
    'webhooks_forget_pushes',
    `delete from webhooks where id in (
       select w.id from webhooks w left join approvals p on p.id = w.about
         left join tasks t on t.id = coalesce(p.task_id, w.about)
       where w.about is not null and w.waiting = 0
         and case when t.id is null then p.id is null or p.decided_at < $1 else t.finished_at < $1 end
       order by w.id limit $2 for update of w skip locked
     )`,
    [endedBefore.toISOString(), limit],
  );
