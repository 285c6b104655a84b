interface Waiting {
  share: number;
  isUrgent: boolean;
  start: () => void;
}

type Slots = <R>(share: number, work: () => Promise<R>, owner?: string, isUrgent?: boolean) => Promise<R>;

/**
 * Lets work through while its shares fit together; the rest waits. Owners take turns, so that one who queues a
 * hundred does not keep the others waiting; the work of each is done in the order it came, what is urgent first. An
 * owner has at most `ownersShare` running, however much is free.
 */
export function createSlots(total: number, ownersShare = total): Slots {
  let free = total;
  /** What runs, by owner. */
  const taken = new Map<string, number>();
  /** Whose turn it is stands first; who has nothing waiting is not in it. */
  const queues = new Map<string, Waiting[]>();
  const admit = () => {
    for (const [owner, queue] of queues) {
      const next = queue[0];
      if (next === undefined) return;
      if (next.share > free) return;
      const used = taken.get(owner) ?? 0;
      if (used + next.share > ownersShare) continue;
      queue.shift();
      free -= next.share;
      taken.set(owner, used + next.share);
      queues.delete(owner);
      if (queue.length > 0) queues.set(owner, queue);
      next.start();
    }
  };
  const giveBack = (share: number, owner: string) => {
    free += share;
    const left = (taken.get(owner) ?? 0) - share;
    if (left > 0) taken.set(owner, left);
    else taken.delete(owner);
    admit();
  };
  return async (wanted, work, owner = '', isUrgent = false) => {
    // What is larger than everything there is has to run alone.
    const share = Math.min(wanted, ownersShare);
    await new Promise<void>((start) => {
      const queue = queues.get(owner) ?? [];
      const before = isUrgent ? queue.findIndex((other) => !other.isUrgent) : -1;
      queue.splice(before < 0 ? queue.length : before, 0, { share, isUrgent, start });
      queues.set(owner, queue);
      admit();
    });
    try {
      return await work();
    } finally {
      giveBack(share, owner);
    }
  };
}
