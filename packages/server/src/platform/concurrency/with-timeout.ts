/** What the work gives, or undefined where it takes longer; it then goes on unheeded. */
export async function withTimeout<R>(ms: number, work: Promise<R>): Promise<R | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  // Once nobody waits for it, nobody hears of its failure.
  work.catch(() => undefined);
  return Promise.race([work, patience]).finally(() => clearTimeout(timer));
}
