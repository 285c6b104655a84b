import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOfTree } from '../measure/cpu.ts';
import type { Ledger } from './contenders.ts';

/** Among all accounts, or with one account on a side of every transfer. */
export type Mode = 'spread' | 'hot';

/** One contender's turn in one round. */
export interface Turn {
  round: number;
  mode: Mode;
  contender: string;
  callers: number;
  perSecond: number;
  /** CPU time of a transfer in µs. The callers are in the bench's process, as is the step writer. */
  cpuMicros: { client: number; postgres: number };
}

/** Account pairs drawn beforehand, so that drawing costs nobody's turn anything; the same ones for every contender. */
function drawPairs(accounts: number, mode: Mode): [number, number][] {
  let state = 1;
  const draw = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  return Array.from({ length: 65_536 }, () => {
    const from = mode === 'hot' ? 0 : draw(accounts);
    const to = (from + 1 + draw(accounts - 1)) % accounts;
    return draw(2) === 0 ? [from, to] : [to, from];
  });
}

export interface Load {
  mode: Mode;
  callers: number;
  warmUpMs: number;
  measureMs: number;
}

/** This many callers make one transfer after the other; those committed within the span count. */
export async function drive(ledger: Ledger, load: Load, postgresPid: number) {
  const pairs = drawPairs(ledger.accounts.length, load.mode);
  let made = 0;
  let stopped = false;
  const caller = async (nth: number) => {
    for (let at = nth * 97; !stopped; at++) {
      const [from, to] = pairs[at % pairs.length] as [number, number];
      await ledger.transfer(nth, ledger.accounts[from] as string, ledger.accounts[to] as string);
      made += 1;
    }
  };
  const now = () => {
    const { user, system } = process.cpuUsage();
    return { made, at: performance.now(), client: user + system, postgres: cpuOfTree(postgresPid) * 1e6 };
  };
  const running = Promise.all(Array.from({ length: load.callers }, (_, nth) => caller(nth)));
  const failed = running.then(() => {});
  await Promise.race([sleep(load.warmUpMs), failed]);
  const before = now();
  await Promise.race([sleep(load.measureMs), failed]);
  const after = now();
  stopped = true;
  await running;
  const count = after.made - before.made;
  return {
    total: made,
    perSecond: (count * 1000) / (after.at - before.at),
    cpuMicros: {
      client: (after.client - before.client) / count,
      postgres: (after.postgres - before.postgres) / count,
    },
  };
}
