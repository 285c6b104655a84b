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
) => Promise<R>;

/** What is too large for what is free is gone by so often; then room is kept for it. */
const patience = 8;
/** How many that wait for one owner are looked at for one that fits, so that no queue makes each turn dearer. */
const lookAhead = 64;

/**
 * Lets work through while its shares fit together; the rest waits. Owners take turns, so that one who queues a
 * hundred does not keep the others waiting; the work of each is done in the order it came, what is urgent first. An
 * owner has at most `ownersShare` running, however much is free. What is small goes by what is too large for now.
 */
export function createFairSemaphore(total: number, ownersShare = total): FairSemaphore {
  let free = total;
  /** What runs, by owner. */
  const taken = new Map<string, number>();
  /** By the first owner of what waits. Whose turn it is stands first; who has nothing waiting is not in it. */
  const queues = new Map<string, Waiting[]>();
  const borne = (share: number, nth: number) => (nth === 0 ? share : share / 2);
  const hasRoom = (owner: string, share: number) => (taken.get(owner) ?? 0) + share <= ownersShare;
  const isAllowed = ({ share, owners }: Waiting) => owners.every((owner, nth) => hasRoom(owner, borne(share, nth)));

  /**
   * What may begin of one owner's queue. What waits for another of its owners does not hold up what stands behind it;
   * what is too large for what is left of this owner's share does, once it has been gone by often enough.
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

  return async (wanted, work, given = '', isUrgent = false) => {
    // What is larger than everything there is has to run alone.
    const share = Math.min(wanted, ownersShare);
    const owners = typeof given === 'string' ? [given] : [...new Set(given)];
    const [first = ''] = owners;
    await new Promise<void>((start) => {
      const queue = queues.get(first) ?? [];
      const before = isUrgent ? queue.findIndex((other) => !other.isUrgent) : -1;
      queue.splice(before < 0 ? queue.length : before, 0, { share, owners, isUrgent, passed: 0, start });
      queues.set(first, queue);
      admit();
    });
    try {
      return await work();
    } finally {
      giveBack(share, owners);
    }
  };
}
