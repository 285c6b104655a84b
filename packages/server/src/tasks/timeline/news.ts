import { type TaskStatus, toId } from '@agora-market/contract';
import { toldTopic } from '../../embassy/index.ts';
import { type Queryable, rows } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';

/** What changed for an owner since it was last taken. */
export interface News {
  /** Some changes may have been missed: what is shown has to be read anew. */
  isMissing: boolean;
  tasks: ChangedTask[];
  /** How many notifications are unread may have changed. */
  isTold: boolean;
}

interface ChangedTask {
  id: string;
  status: TaskStatus;
  agentId: string | null;
  /** ISO 8601; when the last thing happened to it that is in its log. */
  updatedAt: string;
}

/** Between two looks at the database, however much changes. */
const lookEveryMs = 1_000;
const readAtOnce = 1_000;
/** Changed tasks of all owners that wait for a look, and of one owner that wait for its stream. Beyond them it is told to read anew. */
const mostWaiting = { tasks: 20_000, forStream: 1_000 };

/** One stream of an owner. */
class Listener {
  readonly ownerId: string;
  readonly #notice: () => void;
  #tasks = new Map<string, ChangedTask>();
  #isMissing = false;
  #isTold = false;

  constructor(ownerId: string, notice: () => void) {
    this.ownerId = ownerId;
    this.#notice = notice;
  }

  miss(): void {
    this.#isMissing = true;
    this.#isTold = true;
    this.#tasks.clear();
    this.#notice();
  }

  tell(task: ChangedTask): void {
    if (this.#isMissing) return;
    this.#tasks.set(task.id, task);
    if (this.#tasks.size > mostWaiting.forStream) this.miss();
    else this.#notice();
  }

  tellOfNotifications(): void {
    this.#isTold = true;
    this.#notice();
  }

  take(): News {
    const news = { isMissing: this.#isMissing, tasks: [...this.#tasks.values()], isTold: this.#isTold };
    this.#tasks = new Map();
    this.#isMissing = false;
    this.#isTold = false;
    return news;
  }
}

/**
 * What changes for the owners who listen at this server. It overhears the wake-ups of all tasks and reads the changed
 * ones together, once a second at most: the cost is that of the changes, however many streams are open.
 */
export class OwnersNews {
  readonly #deps: TaskDeps;
  readonly #listeners = new Map<string, Set<Listener>>();
  #changed = { tasks: new Set<string>(), owners: new Set<string>() };
  #isAwaited = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #leave: (() => void)[] = [];

  constructor(deps: TaskDeps) {
    this.#deps = deps;
  }

  /** `notice` is called when there is something to take. */
  listen(ownerId: string, notice: () => void): { take(): News; close(): void } {
    const listener = new Listener(ownerId, notice);
    if (this.#listeners.size === 0) this.#begin();
    const ofOwner = this.#listeners.get(ownerId) ?? new Set();
    this.#listeners.set(ownerId, ofOwner.add(listener));
    return {
      take: () => listener.take(),
      close: () => {
        ofOwner.delete(listener);
        if (ofOwner.size === 0) this.#listeners.delete(ownerId);
        if (this.#listeners.size === 0) for (const leave of this.#leave.splice(0)) leave();
      },
    };
  }

  #begin(): void {
    const { hub } = this.#deps;
    const hear = (prefix: string, isOwner: boolean) =>
      hub.overhear(prefix, (topic) => {
        if (topic === null) return this.#missed();
        const id = topic.slice(prefix.length);
        if (!isOwner) this.#changed.tasks.add(id);
        else if (this.#listeners.has(id)) this.#changed.owners.add(id);
        else return;
        if (this.#changed.tasks.size > mostWaiting.tasks) this.#missed();
        else this.#lookSoon();
      });
    this.#leave = [hear('task:', false), hear(toldTopic, true)];
  }

  #missed(): void {
    this.#changed = { tasks: new Set(), owners: new Set() };
    for (const listener of this.#all()) listener.miss();
  }

  *#all(): Generator<Listener> {
    for (const ofOwner of this.#listeners.values()) yield* ofOwner;
  }

  #lookSoon(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    const { clock } = this.#deps;
    const waitMs = this.#lookedAt + lookEveryMs - clock.now().getTime();
    // A clock that was set back is not waited for.
    if (waitMs > 0) clock.after(Math.min(waitMs, lookEveryMs), () => void this.#look());
    else void this.#look();
  }

  async #look(): Promise<void> {
    const { clock, pool, log } = this.#deps;
    this.#lookedAt = clock.now().getTime();
    const { tasks, owners } = this.#changed;
    this.#changed = { tasks: new Set(), owners: new Set() };
    try {
      for (const ownerId of owners)
        for (const listener of this.#listeners.get(ownerId) ?? []) listener.tellOfNotifications();
      const ids = [...tasks];
      for (let at = 0; at < ids.length && this.#listeners.size > 0; at += readAtOnce) {
        const found = await changedTasks(pool, ids.slice(at, at + readAtOnce), [...this.#listeners.keys()]);
        for (const { ownerId, id, agentId, ...rest } of found) {
          const task = { id: toId('task', id), agentId: agentId && toId('agent', agentId), ...rest };
          for (const listener of this.#listeners.get(ownerId) ?? []) listener.tell(task);
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'owners were not told which of their tasks changed');
      for (const listener of this.#all()) listener.miss();
    } finally {
      this.#isAwaited = false;
      if (this.#changed.tasks.size + this.#changed.owners.size > 0) this.#lookSoon();
    }
  }
}

/** Of these tasks those that these owners pay for, or that their agents do. */
const changedTasks = (db: Queryable, ids: string[], owners: string[]) =>
  rows<ChangedTask & { ownerId: string }>(
    db,
    'tasks_changed',
    // Each by its key, wherever the planner would rather read a whole table.
    `select t.id, l.owner_id as "ownerId", t.status, t.agent_id as "agentId", e.at as "updatedAt"
     from unnest($1::uuid[]) as i(id)
     cross join lateral (select * from tasks where id = i.id limit 1) t
     cross join lateral (select at from events where task_id = t.id order by seq desc limit 1) e
     cross join lateral (
       select t.owner_id union select owner_id from agents where id = t.agent_id
     ) l
     where l.owner_id = any($2::uuid[]) order by e.at, t.id`,
    [ids, owners],
  );
