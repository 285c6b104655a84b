import { isWorking, type Operations, toId } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, pageOf, rows } from '../../platform/index.ts';
import { readableTask } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import { readerAgent } from '../view.ts';
import type { CommandRecord } from './command-log.ts';

/** A page of a task's commands, as far as its reader may see them. */
export async function listCommands(deps: TaskDeps, call: Call<Operations['tasks.commands']>) {
  const { task, role } = await readableTask(deps, call.params.taskId, call.caller);
  const { query } = call;
  const after = decodeCursor(query.cursor, z.uuid());
  const found = await rows<CommandRecord>(
    deps.pool,
    'task_commands_list',
    `select id, task_id as "taskId", agent_id as "agentId", label, at, duration_ms as "durationMs", exit_code as "exitCode", timed_out as "timedOut"
     from task_commands where task_id = $1 and ($2::uuid is null or agent_id = $2) and ($3::uuid is null or id > $3)
     order by id limit $4`,
    [task.id, readerAgent(task, role), after, query.pageSize + 1],
  );
  return pageOf(
    found,
    query.pageSize,
    (last) => last.id,
    ({ agentId, label, at, durationMs, exitCode, timedOut }) => ({
      label,
      agentId: toId('agent', agentId),
      startedAt: at,
      // The server of one that never ended has died.
      running: durationMs === null && isWorking(task),
      ...{ durationMs, exitCode, timedOut },
    }),
  );
}
