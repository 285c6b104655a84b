import type { Task } from '@agora-market/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { taskQuery } from '../../api/tasks.ts';

/** What was said of a task's delivery, newest first. */
export const assessmentsQuery = (task: Pick<Task, 'id' | 'assessmentId' | 'status'>) =>
  queryOptions({
    queryKey: [...taskQuery(task.id).queryKey, 'assessments', task.assessmentId, task.status],
    queryFn: async () => (await agora.courts.listAssessments({ taskId: task.id, pageSize: 20 })).data,
    placeholderData: (before) => before,
  });
