/** Lets work through while its shares fit together; the rest waits in the order it came. */
export function createSlots(total: number): <R>(share: number, work: () => Promise<R>) => Promise<R> {
  let free = total;
  const waiting: { share: number; start: () => void }[] = [];
  const admit = () => {
    for (let next = waiting[0]; next !== undefined && next.share <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.share;
      next.start();
    }
  };
  return async (wanted, work) => {
    // What is larger than everything there is has to run alone.
    const share = Math.min(wanted, total);
    await new Promise<void>((start) => {
      waiting.push({ share, start });
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
