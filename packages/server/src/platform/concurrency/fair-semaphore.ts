interface Waiting {
  share: number;
  /** The first has it in its queue and bears the share; the others bear half of it. */
  owners: readonly string[];
  isUrgent: boolean;
  /** How often others have gone by while there was no room for it. */
  passed: number;
  start: () => void;
}

type FairSemaphore = <R>(
  share: number,
  work: () => Promise<R>,
  owners?: string | readonly string[],
  isUrgent?: boolean,
  /** Who still waits when this aborts leaves the queue, and gets its reason. */
  signal?: AbortSignal,
) => Promise<R>;

/** A large item that does not fit is overtaken this often; then room is kept for it. */
const patience = 8;
/**
 * How many waiting items of one owner are examined for one that fits, so that a long queue does not make each turn
 * slower.
 */
const lookAhead = 64;

/**
 * Runs work while its shares fit together; the rest waits. Owners take turns, so an owner with a hundred items does not
 * delay others. The work of one owner runs in order of arrival, urgent work first. An owner has at most `ownersShare`
 * running, even if more is free. Small work may overtake work that is too large for now.
 */
export function createFairSemaphore(total: number, ownersShare = total): FairSemaphore {
  let free = total;
  /** What runs, by owner. */
  const taken = new Map<string, number>();
  /**
   * Waiting work by its first owner. The owner whose turn it is comes first; owners without waiting work are left out.
   */
  const queues = new Map<string, Waiting[]>();
  const borne = (share: number, nth: number) => (nth === 0 ? share : share / 2);
  const hasRoom = (owner: string, share: number) => (taken.get(owner) ?? 0) + share <= ownersShare;
  const isAllowed = ({ share, owners }: Waiting) => owners.every((owner, nth) => hasRoom(owner, borne(share, nth)));

  /**
   * The next item of one owner's queue that can start. An item that waits for its second owner does not delay the items
   * behind it. An item too large for this owner's share does, once it has been overtaken often enough.
   */
  function headOf(queue: Waiting[]): Waiting | undefined {
    for (const work of queue.slice(0, lookAhead)) {
      if (isAllowed(work)) return work;
      if (work.passed >= patience && !hasRoom(work.owners[0] as string, work.share)) return undefined;
    }
    return undefined;
  }

  function next(): Waiting | undefined {
    const heads = [...queues.values()].map(headOf).filter((head) => head !== undefined);
    const kept = heads.find(({ passed }) => passed >= patience);
    if (kept !== undefined) return kept.share <= free ? kept : undefined;
    const chosen = heads.find(({ share }) => share <= free);
    if (chosen !== undefined) for (const head of heads) if (head.share > free) head.passed += 1;
    return chosen;
  }

  function admit() {
    for (let work = next(); work !== undefined; work = next()) {
      const [first = ''] = work.owners;
      const queue = queues.get(first)!;
      const at = queue.indexOf(work);
      for (const before of queue.slice(0, at)) before.passed += 1;
      queue.splice(at, 1);
      free -= work.share;
      for (const [nth, owner] of work.owners.entries())
        taken.set(owner, (taken.get(owner) ?? 0) + borne(work.share, nth));
      queues.delete(first);
      if (queue.length > 0) queues.set(first, queue);
      work.start();
    }
  }

  function giveBack(share: number, owners: readonly string[]) {
    free += share;
    for (const [nth, owner] of owners.entries()) {
      const left = (taken.get(owner) ?? 0) - borne(share, nth);
      if (left > 0) taken.set(owner, left);
      else taken.delete(owner);
    }
    admit();
  }

  return async (wanted, work, given = '', isUrgent = false, signal) => {
    signal?.throwIfAborted();
    // Work larger than the total has to run alone.
    const share = Math.min(wanted, ownersShare);
    const owners = typeof given === 'string' ? [given] : [...new Set(given)];
    const [first = ''] = owners;
    await new Promise<void>((start, refuse) => {
      const queue = queues.get(first) ?? [];
      const before = isUrgent ? queue.findIndex((other) => !other.isUrgent) : -1;
      const waiting = { share, owners, isUrgent, passed: 0, start };
      queue.splice(before < 0 ? queue.length : before, 0, waiting);
      queues.set(first, queue);
      const leave = () => {
        if (!queue.includes(waiting)) return;
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) queues.delete(first);
        refuse(signal?.reason);
        // Room may have been kept for it.
        admit();
      };
      signal?.addEventListener('abort', leave, { once: true });
      admit();
    });
    try {
      return await work();
    } finally {
      giveBack(share, owners);
    }
  };
}
