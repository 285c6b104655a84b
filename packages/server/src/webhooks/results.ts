import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Logger, Pool } from '../platform/index.ts';
import { type AttemptResult, type RoundResult, storeResults } from './queue-sql.ts';

/** Attempts that one statement stores at most. */
const atOnce = 500;
const tries = 3;
const pauseMs = 300;

export interface Results {
  attempt(result: AttemptResult): void;
  /** Resolves when the end of the round, and all attempts before it, are stored or given up. Never rejects. */
  end(result: RoundResult): Promise<void>;
}

/**
 * Stores what became of attempts: all that comes while one statement runs goes together in the next. Where the database
 * is away for longer than a second they are given up. Then the lease ends, and the messages are sent once more.
 */
export function createResults({ pool, clock, log }: { pool: Pool; clock: Clock; log: Logger }): Results {
  const attempts: AttemptResult[] = [];
  const ends: { result: RoundResult; done: () => void }[] = [];
  let isStoring = false;

  async function storeSome(): Promise<void> {
    const some = attempts.splice(0, atOnce);
    // A round may end only once all its attempts are stored, so ends wait while more attempts do.
    const ended = attempts.length === 0 ? ends.splice(0) : [];
    const store = () =>
      storeResults(
        pool,
        some,
        ended.map(({ result }) => result),
        clock.now(),
      );
    for (let nth = 1; ; nth++) {
      try {
        await store();
        break;
      } catch (error) {
        if (nth === tries) {
          log.error(
            { err: error, attempts: some.length },
            'results of webhooks were lost; their messages are sent again',
          );
          break;
        }
        await sleep(pauseMs);
      }
    }
    for (const { done } of ended) done();
  }

  async function storeAll(): Promise<void> {
    isStoring = true;
    while (attempts.length > 0 || ends.length > 0) await storeSome();
    isStoring = false;
  }

  /** After the present turn of the event loop, in which more may come. */
  const wake = () => {
    if (isStoring) return;
    isStoring = true;
    setImmediate(storeAll);
  };

  return {
    attempt(result) {
      attempts.push(result);
      wake();
    },
    end(result) {
      return new Promise((done) => {
        ends.push({ result, done });
        wake();
      });
    },
  };
}
