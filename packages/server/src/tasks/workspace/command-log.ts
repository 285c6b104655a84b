import { commandRecords } from '@agora-market/contract';
import { type Clock, newUuid, type Pool, type Queryable, rows } from '../../platform/index.ts';
import type { ExecResult } from '../../sandbox/index.ts';

/** When an agent's commands ran and how they ended, for the run of the task. What they are and what they print is not kept. */

export interface CommandRecord {
  id: string;
  taskId: string;
  agentId: string;
  label: string;
  /** ISO 8601 */
  at: string;
  durationMs: number | null;
  exitCode: number | null;
  timedOut: boolean;
}

export type CommandEnd = Pick<ExecResult, 'exitCode' | 'durationMs' | 'timedOut'>;

/** Records that wait to be stored; beyond them none is kept. */
const mostWaiting = 10_000;

/** The records of a server. They are stored once a second for all tasks together: a command does not wait for one. */
export class CommandLog {
  readonly #clock: Clock;
  #waiting = new Map<string, CommandRecord>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs a command and notes its beginning and its end. */
  async note<R extends CommandEnd>(
    of: Pick<CommandRecord, 'taskId' | 'agentId' | 'label'>,
    run: () => Promise<R>,
  ): Promise<R> {
    const began = this.#clock.now();
    const id = newUuid(this.#clock);
    const record = { id, ...of, at: began.toISOString(), durationMs: null, exitCode: null, timedOut: false };
    this.#put(record);
    try {
      const result = await run();
      const { exitCode, durationMs, timedOut } = result;
      this.#put({ ...record, exitCode, durationMs: Math.round(durationMs), timedOut });
      return result;
    } catch (error) {
      this.#put({ ...record, durationMs: Math.max(0, this.#clock.now().getTime() - began.getTime()) });
      throw error;
    }
  }

  #put(record: CommandRecord): void {
    if (this.#waiting.size < mostWaiting || this.#waiting.has(record.id)) this.#waiting.set(record.id, record);
  }

  /** Stores what waits. What could not be stored waits on. */
  async flush(pool: Pool): Promise<void> {
    const taken = this.#waiting;
    if (taken.size === 0) return;
    this.#waiting = new Map();
    try {
      await storeCommands(pool, [...taken.values()]);
    } catch (error) {
      for (const [id, record] of this.#waiting) taken.set(id, record);
      this.#waiting = taken;
      throw error;
    }
  }
}

/** Of a task so many are kept, the first ones; the end of one that is kept is stored in any case. */
const storeCommands = (db: Queryable, records: readonly CommandRecord[]) =>
  rows(
    db,
    'task_commands_store',
    `insert into task_commands (id, task_id, agent_id, label, at, duration_ms, exit_code, timed_out)
     select r.* from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::int[], $7::int[], $8::boolean[])
       as r(id, task_id, agent_id, label, at, duration_ms, exit_code, timed_out)
     where exists (select from task_commands k where k.id = r.id)
       or (select count(*) from (select from task_commands k where k.task_id = r.task_id limit $9) k) < $9
     on conflict (id) do update set duration_ms = excluded.duration_ms, exit_code = excluded.exit_code, timed_out = excluded.timed_out`,
    [
      records.map(({ id }) => id),
      records.map(({ taskId }) => taskId),
      records.map(({ agentId }) => agentId),
      records.map(({ label }) => label),
      records.map(({ at }) => at),
      records.map(({ durationMs }) => durationMs),
      // A number that the agent in the sandbox tells; no program ends with more.
      records.map(({ exitCode }) => exitCode && Math.min(exitCode, 255)),
      records.map(({ timedOut }) => timedOut),
      commandRecords.perTask,
    ],
  );

/** A program is called by a name like this; any other beginning of a command may say more than it should. */
const programName = /^[A-Za-z][\w.+-]{0,39}$/;

/** The program that a command begins with, without directory and arguments; `sh` where that is not plain. */
export function programOf(command: string): string {
  const [first = ''] = command
    .slice(0, 200)
    .trimStart()
    .split(/[\s;&|()<>]/, 1);
  const name = first.slice(first.lastIndexOf('/') + 1);
  return programName.test(name) ? name : 'sh';
}

/** With the inputs of these tasks. */
export const eraseCommands = (db: Queryable, taskIds: readonly string[]) =>
  rows(db, 'task_commands_erase', 'delete from task_commands where task_id = any($1::uuid[])', [taskIds]);
