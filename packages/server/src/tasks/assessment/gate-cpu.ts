import { gateCpu } from '@agora-market/contract';
import {
  ApiError,
  type Clock,
  type Config,
  type Logger,
  minuteMs,
  type Pool,
  recent,
  row,
  rows,
} from '../../platform/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';

/**
 * CPU time of gates, and of installing what sandboxes start with, counted against the owner who requested them. An owner who
 * has used up the allowance of the window can submit no more tasks whose gate runs commands. Accepted tasks are still
 * assessed, because their agents are to be paid.
 */
export interface GateCpu {
  /**
   * Refuses a submission of an owner who has used up the allowance. The figure may be a moment old, so that it costs
   * nothing.
   */
  requireAllowance(ownerId: string): Promise<void>;
  usage(ownerId: string): Promise<GateCpuUsage>;
  /** Books a run that has come to its verdict, once its sandboxes have ended. Nobody waits for it, and it never rejects. */
  book(run: Pick<GateRun, 'usedMs'>, booking: Booking): void;
  /** Forgets the hours that have left the window. */
  forget(): Promise<void>;
  /** Resolves when everything is booked, for an orderly stop. */
  idle(): Promise<void>;
}

interface GateCpuUsage {
  /** CPU time within the window. */
  usedMs: number;
  /** Null: there is no limit. */
  limitMs: number | null;
  windowSeconds: number;
}

interface Booking {
  /** Who asked for the run; null if the buyer did not. */
  buyerId: string | null;
  /** Null for a run that no verdict comes of. */
  assessmentId: string | null;
}

/** The sandboxes of one gate run. */
export interface GateRun {
  openSandbox(): Promise<Sandbox>;
  /** CPU time of all of them in ms, once they have ended; null if none was opened. */
  usedMs(): Promise<number | null>;
}

export function measured(open: () => Promise<Sandbox>): GateRun {
  const opened: Sandbox[] = [];
  return {
    async openSandbox() {
      const sandbox = await open();
      opened.push(sandbox);
      return sandbox;
    },
    async usedMs() {
      if (opened.length === 0) return null;
      await Promise.all(opened.map(({ closed }) => closed));
      return Math.round(opened.reduce((sum, sandbox) => sum + sandbox.cpuMs(), 0));
    },
  };
}

/** CPU time of the runs that ended within an hour; it counts for a window from the beginning of that hour. */
interface Hour {
  hour: string;
  cpuMs: number;
}

const windowMs = gateCpu.windowSeconds * 1000;
/** Time between two queries for owners who have used up the allowance. */
const lookEveryMs = 2_000;

/** When so much has left the window that less than the limit is used. Oldest hour first. */
export function freeAt(hours: readonly Hour[], limitMs: number): number {
  let usedMs = hours.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  let at = Number.NEGATIVE_INFINITY;
  for (const { hour, cpuMs } of hours) {
    if (usedMs < limitMs) break;
    usedMs -= cpuMs;
    at = Date.parse(hour) + windowMs;
  }
  return at;
}

interface Exhausted {
  usedMs: number;
  freeAt: number;
}

type Deps = { pool: Pool; clock: Clock; config: Config; log: Logger };

export function createGateCpu({ pool, clock, config, log }: Deps): GateCpu {
  const limitMs = config.GATE_CPU_MINUTES * minuteMs;
  const booking = new Set<Promise<void>>();
  /** Earlier use leaves the window. */
  const windowFrom = () => new Date(clock.now().getTime() - windowMs).toISOString();

  const exhausted = recent(lookEveryMs, new Map<string, Exhausted>(), async () => {
    const owners = await ownersAbove(pool, windowFrom(), limitMs);
    return new Map(owners.map(({ id, usedMs, hours }) => [id, { usedMs, freeAt: freeAt(hours, limitMs) }]));
  });

  async function store(run: Pick<GateRun, 'usedMs'>, { buyerId, assessmentId }: Booking): Promise<void> {
    const usedMs = await run.usedMs();
    if (usedMs === null) return;
    await rows(pool, 'gate_cpu_book', bookSql, [buyerId, assessmentId, clock.now().toISOString(), usedMs]);
    // An owner who has just exceeded the limit learns so at the next submission.
    exhausted.expire();
  }

  return {
    async requireAllowance(ownerId) {
      if (limitMs === 0) return;
      const found = (await exhausted.get()).get(ownerId);
      const waitMs = found === undefined ? 0 : found.freeAt - clock.now().getTime();
      if (found !== undefined && waitMs > 0) throw refusal(config, found.usedMs, Math.ceil(waitMs / 1000));
    },
    async usage(ownerId) {
      const usedMs = await usedBy(pool, ownerId, windowFrom());
      return { usedMs, limitMs: limitMs === 0 ? null : Math.round(limitMs), windowSeconds: gateCpu.windowSeconds };
    },
    book(run, to) {
      const work = store(run, to)
        .catch((error) => log.warn({ err: error, ...to }, 'what a gate cost in CPU time could not be stored'))
        .finally(() => booking.delete(work));
      booking.add(work);
    },
    async forget() {
      await rows(pool, 'gate_cpu_forget', 'delete from gate_cpu where hour <= $1', [windowFrom()]);
    },
    async idle() {
      await Promise.all(booking);
    },
  };
}

function refusal({ GATE_CPU_MINUTES: limit }: Config, usedMs: number, retryAfter: number): ApiError {
  const { setting, windowSeconds } = gateCpu;
  const used = Math.round(usedMs / 600) / 100;
  return new ApiError(
    'RATE_LIMITED',
    `The quality gates of this owner's tasks used ${used} of ${limit} CPU minutes in ${windowSeconds / 3600} hours. Wait ${retryAfter} s, or submit tasks without checks that change no code. The operator sets this limit with ${setting}.`,
    { scope: 'gateCpu', limit, used, windowSeconds, setting, retryAfter },
  );
}

const ownersAbove = (pool: Pool, from: string, limitMs: number) =>
  rows<{ id: string; usedMs: number; hours: Hour[] }>(
    pool,
    'gate_cpu_above',
    `select owner_id as id, sum(cpu_ms)::bigint as "usedMs",
       json_agg(json_build_object('hour', hour, 'cpuMs', cpu_ms) order by hour) as hours
     from gate_cpu where hour > $1 group by owner_id having sum(cpu_ms) >= $2 order by sum(cpu_ms) desc limit 10000`,
    [from, limitMs],
  );

const usedBy = async (pool: Pool, ownerId: string, from: string): Promise<number> =>
  (
    await row<{ usedMs: number }>(
      pool,
      'gate_cpu_used',
      `select coalesce(sum(cpu_ms), 0)::bigint as "usedMs" from gate_cpu where owner_id = $1 and hour > $2`,
      [ownerId, from],
    )
  )?.usedMs ?? 0;

const bookSql = `with noted as (
    update assessments set gate_cpu_ms = $4::bigint where id = $2
  )
  insert into gate_cpu as g (owner_id, hour, cpu_ms)
  select $1::uuid, date_trunc('hour', $3::timestamptz, 'UTC'), $4::bigint where $1 is not null
  on conflict (owner_id, hour) do update set cpu_ms = g.cpu_ms + excluded.cpu_ms`;
