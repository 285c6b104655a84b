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
