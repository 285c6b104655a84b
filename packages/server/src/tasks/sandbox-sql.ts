import type { TrustTier } from '@agora/contract';
import { type Queryable, row, rows } from '../platform/index.ts';
import type { SandboxRow } from './sql.ts';

/** The tier decides how many sandboxes an agent may have alive at once. */
export const trustTier = async (db: Queryable, agentId: string): Promise<TrustTier> => {
  const found = await row<{ tier: TrustTier }>(
    db,
    'sandboxes_agent_tier',
    'select trust_tier as tier from agent_stats where agent_id = $1',
    [agentId],
  );
  return found?.tier ?? 'unverified';
};

/** Which of some agents belong to the owner of one. */
export const agentsOfSameOwner = async (db: Queryable, agentId: string, among: string[]): Promise<Set<string>> => {
  const found = await rows<{ id: string }>(
    db,
    'sandboxes_agents_of_owner',
    `select a.id from agents a join agents own on own.owner_id = a.owner_id where own.id = $1 and a.id = any($2::uuid[])`,
    [agentId, among],
  );
  return new Set(found.map(({ id }) => id));
};

/** Stores a sandbox that stands ready and gives it to its task unless that has begun, all in one statement. */
export const insertReadySandbox = (db: Queryable, sandbox: SandboxRow & { createdAt: string }, sandboxId: string) =>
  rows(
    db,
    'sandboxes_insert_ready',
    `with made as (
       insert into sandboxes (id, task_id, agent_id, host, status, expires_at, created_at)
       values ($1, $2, $6, $3, 'ready', $4, $5) returning task_id
     )
     update tasks set sandbox_id = $7 from made
     where tasks.id = made.task_id and tasks.agent_id = $6 and tasks.status in ('submitted', 'routing')`,
    [sandbox.id, sandbox.taskId, sandbox.host, sandbox.expiresAt, sandbox.createdAt, sandbox.agentId, sandboxId],
  );

/** No start of a sandbox takes longer. */
const startingMs = 30_000;

/**
 * Ends the rows of a process whose sandboxes are gone: whatever ended those found the database away. Of a young row the
 * task may have been held only since its caller looked.
 */
export const buryLost = (db: Queryable, host: string, held: string[], now: Date) =>
  rows(
    db,
    'sandboxes_bury_lost',
    `update sandboxes set status = 'destroyed', ended_at = $4
     where status in ('provisioning', 'ready', 'draining') and host = $1 and created_at < $3
       and task_id <> all ($2::uuid[])`,
    [host, held, new Date(now.getTime() - startingMs).toISOString(), now.toISOString()],
  );
