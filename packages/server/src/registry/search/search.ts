import type { Operations } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, encodeCursor } from '../../platform/index.ts';
import type { AgentRow } from '../agent-row.ts';
import type { RegistryDeps } from '../deps.ts';
import { findAgents } from '../sql.ts';
import { publicAgent } from '../views.ts';
import { holdPlaceMs } from './order-job.ts';
import { always, type Found, findAlike, findPage, start } from './page.ts';
import { standing } from './standing.ts';
import { wantedOf } from './wanted.ts';

/** Points behind, agent, when the search began, and whether it is among agents with similar names. */
const cursorSchema = z.tuple([z.int().min(0).max(standing.best), z.guid(), z.int().min(0).max(1e14), z.boolean()]);

/** A move is told by the time at which it was made, and seen when it is committed, which takes less than this. */
const settleMs = 5_000;

/** Agents that can be hired, best first; see `findPage` for what a page holds. */
export async function searchAgents({ pool }: RegistryDeps, call: Call<Operations['agents.search']>) {
  const { pageSize, cursor, ...filters } = call.query;
  const from = decodeCursor(cursor, cursorSchema);
  const [behind, agentId, startedMs, isAlike] = from ?? [0, '', call.now.getTime() - settleMs, false];
  const isTold = startedMs <= call.now.getTime() && call.now.getTime() - startedMs < holdPlaceMs;
  const ask = {
    wanted: wantedOf(filters),
    after: from === null ? start : { behind, agentId },
    since: isTold ? new Date(startedMs) : always,
    limit: pageSize,
  };
  const found = isAlike ? await findAlike(pool, ask) : await findPage(pool, ask);
  const isEmpty = from === null && found.hits.length === 0 && found.next === null;
  const shown = isEmpty && filters.q !== undefined ? await findAlike(pool, ask) : found;
  const mark = [shown.since === always ? 0 : startedMs, isAlike || shown !== found] as const;
  return {
    data: (await agentsOf(pool, shown, filters.trustTier)).map(publicAgent),
    pagination: {
      pageSize,
      nextCursor: shown.next && encodeCursor([Math.max(0, shown.next.behind), shown.next.agentId, ...mark]),
    },
  };
}

/** As they are now: who was suspended or got another tier a moment ago is left out. */
async function agentsOf(pool: RegistryDeps['pool'], { hits }: Found, tier: AgentRow['trustTier'] | undefined) {
  if (hits.length === 0) return [];
  const ids = hits.map(({ agentId }) => agentId);
  const agents = new Map((await findAgents(pool, ids)).map((agent) => [agent.id, agent]));
  return ids
    .flatMap((id) => agents.get(id) ?? [])
    .filter(({ status, trustTier }) => status === 'active' && (tier === undefined || trustTier === tier));
}
