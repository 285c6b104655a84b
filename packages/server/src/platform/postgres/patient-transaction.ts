import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** How long a migration waits for a lock, and how often it tries again after a pause: two minutes in all. */
const lockMs = 2_000;
const lockTries = 40;
const pauseMs = 1_000;
/** The lock was not to be had, or somebody waits for one of ours. */
const isLocked = (code: unknown) => code === '55P03' || code === '40P01';

/**
 * A change of the schema. Servers at work may hold a lock that it needs. While it waits, others wait behind it, so it waits only
 * a little at a time. `what` names it in the error.
 */
export async function inTransaction(client: pg.Client, what: string, work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    await client.query('begin');
    try {
      await client.query(`set local lock_timeout = ${lockMs}`);
      await work();
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if (error instanceof Refusal) throw error;
      if (!isLocked((error as { code?: string }).code) || tries >= lockTries)
        throw new Error(`${what} could not be applied: ${describe(error)}`, { cause: error });
    }
    await sleep(pauseMs);
  }
}

/** Says by itself what it is about. */
export class Refusal extends Error {}

export function describe(error: unknown): string {
  const { message, position } = error as { message: string; position?: string };
  return position ? `${message} (at character ${position})` : message;
}
