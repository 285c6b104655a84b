import type { Clock, Pool } from '../platform/index.ts';
import { unsilence } from './silence.ts';
import { storeSeen } from './sql.ts';

/** When agents were last seen. Being seen costs a look into memory; the sweep stores it. */
export interface Liveness {
  /** The agent asks for tasks, or answers a call of ours. */
  seen(agentId: string): void;
  /** Stores what is new, of an agent at most once in `storeEveryMs`. */
  flush(): Promise<void>;
}

const storeEveryMs = 60_000;

interface Seen {
  atMs: number;
  /** What was stored last; null where nothing was yet. */
  storedMs: number | null;
}

/** `silentMs`: after which time an agent counts as silent, which must be found out from what is stored. */
export function createLiveness({ pool, clock }: { pool: Pool; clock: Clock }, silentMs: number): Liveness {
  const agents = new Map<string, Seen>();
  const everyMs = silentMs === 0 ? storeEveryMs : Math.min(storeEveryMs, silentMs / 4);
  return {
    seen(agentId) {
      const atMs = clock.now().getTime();
      const known = agents.get(agentId);
      if (known) known.atMs = atMs;
      else agents.set(agentId, { atMs, storedMs: null });
    },
    async flush() {
      const nowMs = clock.now().getTime();
      const due: [string, Seen, number][] = [];
      for (const [agentId, seen] of agents) {
        const { atMs, storedMs } = seen;
        const isQuiet = nowMs - atMs >= everyMs;
        if (isQuiet && atMs === storedMs) agents.delete(agentId);
        // At once where it comes back after a silence; else when a minute has been added, or no more comes.
        else if (storedMs === null || atMs - storedMs >= everyMs || isQuiet) due.push([agentId, seen, atMs]);
      }
      if (due.length === 0) return;
      const settled = await storeSeen(
        pool,
        due.map(([agentId, , atMs]) => ({ agentId, at: new Date(atMs) })),
      );
      const back: string[] = [];
      for (const [agentId, seen, atMs] of due) {
        if (!settled.has(agentId)) continue;
        if (seen.storedMs === null || atMs - seen.storedMs >= silentMs) back.push(agentId);
        seen.storedMs = atMs;
      }
      if (back.length > 0) await unsilence(pool, back);
    },
  };
}
