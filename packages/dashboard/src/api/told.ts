/** When the owner's stream named a task last, in ms since 1970: of the tasks that it named most lately. */
const told = new Map<string, number>();
/** Of more, lists hear when they are read whole. */
const most = 200;

export function noteChanged(taskId: string): void {
  told.delete(taskId);
  told.set(taskId, Date.now());
  const [oldest] = told.keys();
  if (told.size > most && oldest !== undefined) told.delete(oldest);
}

/** 0 for one that was not named. */
export const toldAt = (taskId: string): number => told.get(taskId) ?? 0;
