/**
 * The result of the work if it is done in time. Otherwise undefined, or the error that `late` makes. The work then
 * continues and its result is ignored.
 */
export async function withTimeout<R>(ms: number, work: Promise<R>): Promise<R | undefined>;
export async function withTimeout<R>(ms: number, work: Promise<R>, late: () => Error): Promise<R>;
export async function withTimeout<R>(ms: number, work: Promise<R>, late?: () => Error): Promise<R | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve, reject) => {
    timer = setTimeout(() => (late ? reject(late()) : resolve(undefined)), ms);
  });
  work.catch(() => undefined);
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
