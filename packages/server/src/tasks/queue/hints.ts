/**
 * What this process knows of the queue without asking the database, so that submissions and finished tasks cost nothing
 * more while no task waits. All of it is a hint: the look for free agents finds again what was lost with a process.
 */
export interface QueueHints {
  /** An agent has ended a task or asks for one. With `now`, it has room that a task may be waiting for. */
  mayBeFree(agentId: string, now?: 'now'): void;
  /** A task has joined the queue. */
  joined(taskId: string): void;
  /** Whether tasks wait, here or on other servers; up to a second old. */
  isUsed(): boolean;
  /** What a look in the database said to that. */
  found(isUsed: boolean): void;
  /** While no task waits, what was noted is nobody's. */
  forget(): void;
  /** Hands out the noted agents, those noted first; so many at most, or all. */
  takeAgents(most?: number): string[];
  /** Hands out the tasks that joined, those first that did first. */
  takeTasks(most: number): string[];
  /** Is called where an agent became free while tasks wait. */
  onFree(wake: () => void): void;
}

/** More than that are forgotten. */
const mostNoted = 10_000;

export function createQueueHints(): QueueHints {
  const agents = new Set<string>();
  const tasks = new Set<string>();
  let isUsed = false;
  let wake = (): void => undefined;

  const note = (kept: Set<string>, id: string) => {
    if (kept.size < mostNoted) kept.add(id);
  };
  const take = (kept: Set<string>, most?: number): string[] => {
    const taken = [...kept].slice(0, most);
    for (const id of taken) kept.delete(id);
    return taken;
  };

  return {
    mayBeFree(agentId, now) {
      note(agents, agentId);
      if (isUsed && now) wake();
    },
    joined(taskId) {
      note(tasks, taskId);
      isUsed = true;
    },
    isUsed: () => isUsed,
    found(used) {
      isUsed = used;
    },
    forget() {
      agents.clear();
      tasks.clear();
    },
    takeAgents: (most) => take(agents, most),
    takeTasks: (most) => take(tasks, most),
    onFree(listener) {
      wake = listener;
    },
  };
}
