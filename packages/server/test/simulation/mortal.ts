import type { Pool } from '../../src/platform/index.ts';
import type { PaymentProcessor } from '../../src/vault/payments/payment-processor.ts';

/** What a process that dies leaves of a call: nobody ever hears how it ended. */
export class Crash extends Error {}

export interface Statement {
  name: string | undefined;
  values: unknown[];
}

/** Says at each point whether the process goes on; throws `Crash` where it does not. */
export interface Fuse {
  before?(statement: Statement): void;
  after?(): void;
}

const statementOf = (query: string | { name?: string; values?: unknown[] }): Statement =>
  typeof query === 'string' ? { name: query, values: [] } : { name: query.name, values: query.values ?? [] };

/** A pool whose process may die between any two statements. What was open is rolled back, as PostgreSQL would do it. */
export function mortalPool(pool: Pool, fuse: Fuse): Pool {
  const guarded =
    (target: Pick<Pool, 'query'>) =>
    async (
      query: string | { name?: string; text: string; values?: unknown[] },
      values?: unknown[],
    ): Promise<unknown> => {
      if (query === 'rollback') return target.query(query);
      fuse.before?.(statementOf(query));
      const result = await target.query(query as string, values);
      fuse.after?.();
      return result;
    };
  return {
    query: guarded(pool),
    connect: async () => {
      const client = await pool.connect();
      return { query: guarded(client as never), release: (error?: Error) => client.release(error) };
    },
  } as unknown as Pool;
}

/** A processor that is asked by a process which may die before the question is out, or before the answer is in. */
export const mortalProcessor = (processor: PaymentProcessor, fuse: Fuse): PaymentProcessor =>
  new Proxy(processor, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown;
      if (typeof value !== 'function' || key === 'verifyWebhook') return value;
      return async (...args: unknown[]) => {
        fuse.before?.({ name: String(key), values: [] });
        const answer = await (value as (...args: unknown[]) => Promise<unknown>).apply(target, args);
        fuse.after?.();
        return answer;
      };
    },
  });

/** A fuse that burns down after so many points; from then on the process does nothing any more. */
export function burning(points: number): Fuse & { isBurnt(): boolean } {
  let left = points;
  const check = () => {
    if (left <= 0) throw new Crash('the process died');
  };
  return {
    isBurnt: () => left <= 0,
    before: check,
    after() {
      left -= 1;
      check();
    },
  };
}
