import type { Clock } from '../clock.ts';

/**
 * The result of the work if it is done in time. Otherwise undefined, or the error that `late` makes. The work then
 * continues and its result is ignored. Give it the injected clock, or the system's for a stop and for what a sandbox owes
 * an answer: those must end whatever a test does.
 */
export async function withTimeout<R>(clock: Pick<Clock, 'after'>, ms: number, work: Promise<R>): Promise<R | undefined>;
export async function withTimeout<R>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: Promise<R>,
  late: () => Error,
): Promise<R>;
export async function withTimeout<R>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: Promise<R>,
  late?: () => Error,
): Promise<R | undefined> {
  let cancel = () => {};
  const timeout = new Promise<undefined>((resolve, reject) => {
    cancel = clock.after(ms, () => (late ? reject(late()) : resolve(undefined)));
  });
  work.catch(() => undefined);
  return Promise.race([work, timeout]).finally(() => cancel());
}

/** Resolves when this many milliseconds have passed; rejects with the reason of a signal that is aborted before. */
export function pause(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const leave = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    });
    signal?.addEventListener('abort', leave, { once: true });
  });
}
