interface Waiting {
  share: number;
  start: () => void;
}

/**
 * Lets work through while its shares fit together; the rest waits. Owners take turns, so that one who queues a
 * hundred does not keep the others waiting; the work of each is done in the order it came.
 */
export function createSlots(total: number): <R>(share: number, work: () => Promise<R>, owner?: string) => Promise<R> {
  let free = total;
  /** Whose turn it is stands first; who has nothing waiting is not in it. */
  const queues = new Map<string, Waiting[]>();
  const admit = () => {
    for (const [owner, queue] of queues) {
      const next = queue[0];
      if (next === undefined || next.share > free) return;
      queue.shift();
      free -= next.share;
      queues.delete(owner);
      if (queue.length > 0) queues.set(owner, queue);
      next.start();
    }
  };
  return async (wanted, work, owner = '') => {
    // What is larger than everything there is has to run alone.
    const share = Math.min(wanted, total);
    await new Promise<void>((start) => {
      const queue = queues.get(owner);
      if (queue) queue.push({ share, start });
      else queues.set(owner, [{ share, start }]);
      admit();
    });
    try {
      return await work();
    } finally {
      free += share;
      admit();
    }
  };
}
