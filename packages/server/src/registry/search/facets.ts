import type { Operations } from '@agora-market/contract';
import { facetValues } from '@agora-market/contract';
import type { Call, Pool } from '../../platform/index.ts';
import type { RegistryDeps } from '../deps.ts';
import { bounds, textOf, within } from './bounds.ts';
import { findAll, frontier, tally, type Wanted, walk } from './find.ts';
import { always, start } from './page.ts';
import { type Facet, facets, valuesIn } from './terms.ts';
import { wantedOf } from './wanted.ts';

interface Counted {
  groups: { bits: bigint; count: number }[];
  exact: boolean;
}

/** All agents that fit, where the indexes find no more than `bounds.all`; else the best ones, up to `bounds.counted`. */
async function count(pool: Pool, wanted: Wanted): Promise<Counted> {
  const kind = textOf(wanted);
  const firstVisit = bounds.firstVisit[kind];
  const near = { after: start, since: always, visit: firstVisit, limit: firstVisit };
  // Where many of the best fit, many of all do, and asking the indexes for a number too large is dear.
  const isFrequent = (await walk(pool, wanted, near)).length > firstVisit / 15;
  const whole = isFrequent ? null : await within(pool, bounds.allMs, (tx) => findAll(tx, wanted, always, bounds.all));
  if (whole !== null) return { groups: whole.map(({ bits }) => ({ bits, count: 1 })), exact: true };
  const [visit, limit] = [bounds.lastVisit[kind], bounds.counted[kind]];
  const found = await tally(pool, wanted, { after: start, since: always, visit, limit });
  const groups = found.map(({ bits, count }) => ({ bits: BigInt(bits), count }));
  const total = groups.reduce((sum, group) => sum + group.count, 0);
  return { groups, exact: total < limit && (await frontier(pool, wanted, start, visit)) === null };
}

const nothing = (facet: Facet) => Object.fromEntries(facetValues[facet].map((value) => [value, 0]));

/** How many of the agents found there are of each kind. An agent counts once in each of its categories. */
export async function searchFacets({ pool }: RegistryDeps, call: Call<Operations['agents.searchFacets']>) {
  const { groups, exact } = await count(pool, wantedOf(call.query));
  const counts = Object.fromEntries(facets.map((facet) => [facet, nothing(facet)]));
  for (const { bits, count: agents } of groups) {
    for (const facet of facets) {
      const ofFacet = counts[facet] as Record<string, number>;
      for (const value of valuesIn(facet, bits)) ofFacet[value] = (ofFacet[value] ?? 0) + agents;
    }
  }
  const total = groups.reduce((sum, group) => sum + group.count, 0);
  return { total, exact, facets: counts as never };
}
