/**
 * What the work gives, if it does so in time. If it takes longer, the result is undefined, or the error that `late`
 * makes; the work goes on and nobody hears of its end.
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
