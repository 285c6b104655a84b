import { idPrefixes } from '@agora-market/contract';

/** What a client of A2A means by the id of a task: the task itself, or the approval that lets it in. */
export type HireKind = 'task' | 'approval';

export const kindOf = (id: string): HireKind => (id.startsWith(`${idPrefixes.approval}_`) ? 'approval' : 'task');

/** The approval that is meant, and the task that is meant or that was let in. Ids are those of the source. */
export async function standsFor<A extends { taskId: string | null }, T>(
  of: HireKind,
  id: string,
  source: { approval(id: string): Promise<A | null>; task(id: string): Promise<T | undefined> },
): Promise<{ approval: A | null; task: T | null }> {
  const approval = of === 'approval' ? await source.approval(id) : null;
  const taskId = of === 'task' ? id : (approval?.taskId ?? null);
  return { approval, task: taskId === null ? null : ((await source.task(taskId)) ?? null) };
}
