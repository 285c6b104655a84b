import { changedRows, type Queryable, row, rows } from '../platform/index.ts';
import { holder, isThere } from './sql.ts';

/** What a client of A2A asked for; what is secret of it stands where a webhook has its secret. */
export interface Push {
  /** The client's name for it, unique for the task. */
  id: string;
  of: 'task' | 'approval';
  /** Of A2A, in which the client speaks. */
  version: string;
  /** Of the Authorization header. */
  scheme: string | null;
}

export interface PushRow {
  id: string;
  url: string;
  push: Push;
}

/** Stores it with a first message, which tells how the task stands by now. */
export const insertPush = (
  tx: Queryable,
  push: {
    id: string;
    messageId: string;
    ownerId: string;
    about: string;
    url: string;
    secret: Buffer;
    push: Push;
    at: Date;
  },
) =>
  rows(
    tx,
    'webhooks_insert_push',
    `with made as (
       insert into webhooks (id, owner_id, about, url, secret, push, events, created_at, sequence, waiting, next_at, set_at)
       values ($1, $2, $3, $4, $5, $6, '{push}', $7, 1, 1, $7, $7) returning id
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
    ],
  );

/** Those of a task or an approval, oldest first. */
export const listPushes = (db: Queryable, about: string) =>
  rows<PushRow>(
    db,
    'webhooks_list_pushes',
    `select id, url, push from webhooks where ${holder} = $1 and push is not null and ${isThere} order by id`,
    [about],
  );

/** Those of all tasks of an owner, `most` at most. */
export const countPushes = async (tx: Queryable, ownerId: string, most: number): Promise<number> =>
  (
    await row<{ count: number }>(
      tx,
      'webhooks_count_pushes',
      `select count(*)::int as count from (
         select from webhooks where owner_id = $1 and about is not null and ${isThere} limit $2
       ) w`,
      [ownerId, most],
    )
  )?.count ?? 0;

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
       limit $2
     )`,
    [endedBefore.toISOString(), limit],
  );
