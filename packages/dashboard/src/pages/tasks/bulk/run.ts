import { rateLimits } from '@agora-market/contract';
import { AgoraError, type ApiPromise, type ResponseInfo } from '@agora-market/sdk';
import { type ReactNode, useSyncExternalStore } from 'react';
import { wasRefused } from '../../../api/attempt.ts';
import { isSignedOut, queryClient } from '../../../api/query-client.ts';
import { sessionQuery } from '../../../api/session.ts';
import { setSessionEnded } from '../../../app/session-end.ts';
import { say } from '../../../ui/toast.tsx';

/** One action on many things. It goes on while its owner visits other pages of this tab; one goes on at a time. */

/** Makes a call when the server has room for it. */
type Ask = <T>(call: () => ApiPromise<T>) => Promise<T>;

/** One thing that something is done with. */
export interface Piece {
  /** Cents that move when it is done. */
  cents: number;
  name: ReactNode;
  /** The same until the outcome is known, so that nothing is done twice. */
  idempotencyKey: string;
  work: (ask: Ask, idempotencyKey: string) => Promise<unknown>;
}

export interface Job {
  pieces: readonly Piece[];
  /** `Cancelling 12 tasks` */
  doing: (total: number) => string;
  /** `3 of 12 tasks are cancelled`, and what became of the money. */
  done: (done: number, total: number, cents: number) => string;
  /** At the end, where something may have been done: has the pages ask anew. */
  refresh: () => void;
}

export interface Run {
  /** In words, what is being done. */
  doing: string;
  total: number;
  done: number;
  /** In words, what has been done. */
  outcome: string;
  failed: readonly { piece: Piece; error: unknown }[];
  state: 'running' | 'stopping' | 'ended';
  /** Where the server has no room for more requests: when it goes on, in ms of the clock. */
  waitsUntil: number | null;
  /** Those that were not tried, once it has ended. */
  untried: readonly Piece[];
}

interface Going extends Run {
  ownerId: string | undefined;
  job: Job;
  cents: number;
}

let going: Going | null = null;
/** Pages that show it. */
const watchers = new Set<() => void>();

function change(part: Partial<Going> | null): void {
  going = going && part && { ...going, ...part };
  for (const tell of watchers) tell();
}

const subscribe = (watcher: () => void) => {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
};

const ownerNow = () => queryClient.getQueryData(sessionQuery.queryKey)?.id;

/** What goes on or has ended; null where there is nothing of this owner to tell. */
export const useRun = (): Run | null =>
  useSyncExternalStore(subscribe, () => (going?.ownerId === ownerNow() ? going : null));

/** Puts the result away. */
export const dismissRun = (): void => change(null);

/** Makes no new calls; those under way end. */
export const stopRun = (): void => {
  if (going?.state === 'running') change({ state: 'stopping' });
  wake();
};

/** Calls that are under way together. */
const atOnce = 4;

/** Begins, unless something goes on: the second half of a double click does nothing. */
export function beginRun(job: Job): void {
  if (going && going.state !== 'ended') return;
  const total = job.pieces.length;
  going = {
    ...{ job, ownerId: ownerNow(), total, done: 0, cents: 0, failed: [], untried: [] },
    ...{ doing: job.doing(total), outcome: job.done(0, total, 0), state: 'running', waitsUntil: null },
  };
  window.addEventListener('beforeunload', askToStay);
  change({});
  void takeAll(job);
}

/** What has failed or was not tried, once more. What was refused for sure is a new try; anything else repeats the first. */
export function tryRest({ failed, untried }: Run): void {
  if (!going) return;
  const { job } = going;
  const again = failed.map(({ piece, error }) =>
    wasRefused(error) ? { ...piece, idempotencyKey: crypto.randomUUID() } : piece,
  );
  beginRun({ ...job, pieces: [...again, ...untried] });
}

const askToStay = (event: BeforeUnloadEvent) => event.preventDefault();

const isRunning = () => going?.state === 'running';

async function takeAll(job: Job): Promise<void> {
  const queue = [...job.pieces];
  const ask = politely();
  const takeTurns = async () => {
    for (let piece = queue.shift(); piece; piece = isRunning() ? queue.shift() : undefined) {
      try {
        await piece.work(ask, piece.idempotencyKey);
        tally(piece);
      } catch (error) {
        if (error === stopped) queue.unshift(piece);
        else fail(piece, error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  window.removeEventListener('beforeunload', askToStay);
  change({ state: 'ended', waitsUntil: null, untried: queue });
  job.refresh();
  if (watchers.size === 0 && going) say(`${going.outcome}${restOf(going)}`);
}

const restOf = ({ done, total }: Run) =>
  done === total ? '' : ' The lists of tasks and approvals tell what became of the others.';

function tally({ cents }: Piece): void {
  if (!going) return;
  const [done, sum] = [going.done + 1, going.cents + cents];
  change({ done, cents: sum, outcome: going.job.done(done, going.total, sum) });
}

function fail(piece: Piece, error: unknown): void {
  if (!going) return;
  change({ failed: [...going.failed, { piece, error }] });
  if (isSignedOut(error)) setSessionEnded(true);
  // All others would fail like this one.
  if (isSignedOut(error) || isAway(error)) stopRun();
}

const isAway = (error: unknown) => error instanceof AgoraError && (error.status === null || error.status === 503);

const stopped = new Error('It was stopped.');

let timer: ReturnType<typeof setTimeout> | undefined;
const sleepers = new Set<() => void>();

function wake(): void {
  clearTimeout(timer);
  for (const go of sleepers) go();
  sleepers.clear();
}

/** Until the time that the run waits for, or until it is stopped. */
function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    sleepers.add(resolve);
    clearTimeout(timer);
    timer = setTimeout(wake, ms);
  });
}

/** Requests are counted for so long together. */
const { windowSeconds } = rateLimits.ownerTasks;

/** Leaves a third of the requests that the server takes to the pages, which ask it meanwhile. */
function politely(): Ask {
  let windowAt = Date.now();
  let left = Number.POSITIVE_INFINITY;
  const note = ({ limit, remaining }: ResponseInfo['rateLimit']) => {
    if (limit === null || remaining === null) return;
    if (remaining > left) windowAt = Date.now();
    left = remaining;
    if (remaining < limit / 3) change({ waitsUntil: windowAt + windowSeconds * 1_000 });
  };
  return async (call) => {
    for (;;) {
      for (let ms = msToWait(); ms > 0 && isRunning(); ms = msToWait()) await sleep(ms);
      if (going?.waitsUntil) change({ waitsUntil: null });
      // Whoever signs in on this tab meanwhile has not asked for it.
      if (going?.ownerId !== ownerNow()) stopRun();
      if (!isRunning()) throw stopped;
      try {
        const { data, response } = await call().withResponse();
        note(response.rateLimit);
        return data;
      } catch (error) {
        if (!(error instanceof AgoraError && error.code === 'RATE_LIMITED')) throw error;
        change({ waitsUntil: Date.now() + (error.retryAfterSeconds ?? 5) * 1_000 });
      }
    }
  };
}

const msToWait = () => (going?.waitsUntil ?? 0) - Date.now();
