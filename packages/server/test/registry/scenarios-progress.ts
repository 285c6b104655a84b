import type { World } from '../api/requests.ts';
import { hireAndStart } from '../api/scene.ts';
import { at, type Scenarios } from './scenario.ts';

type ProgressScenarios = Pick<Scenarios, 'tasks.progress' | 'tasks.receipt'>;

export const progressScenarios: ProgressScenarios = {
  'tasks.progress': {
    TASK_WRONG_STATE: async ({ completed }) => at(`/tasks/${completed}/progress`),
    PROGRESS_LIMIT_REACHED: async ({ pair, server }) => {
      const { id } = await hireAndStart(pair);
      await pair.agent.agora.tasks.progress(id, { percent: 1 });
      await server.pool.query('update task_progress set notes = 500');
      return at(`/tasks/${id}/progress`);
    },
  },
  // The world's task is still being worked on.
  'tasks.receipt': { TASK_WRONG_STATE: async () => ({}) },
};

/** A directory with so many long names that its listing is above what is read of one. */
export async function largeDirectory({ pair }: World) {
  const { id } = await hireAndStart(pair);
  const name = 'x'.repeat(240);
  const { data } = await pair.agent.agora.sandbox.exec(id, {
    command: `mkdir large && cd large && seq -f '${name}%g' 1 20000 | xargs touch`,
  });
  if (data.exitCode !== 0) throw new Error(data.stderr);
  return { ...at(`/tasks/${id}/sandbox/files`), query: '?path=large' };
}
